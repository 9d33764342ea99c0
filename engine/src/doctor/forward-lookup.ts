/** Resolves a name to its IPv4 and IPv6 addresses. */
import { isFailure } from "../dns/dns-answer.ts";
import type { Resolver } from "../dns/resolver.ts";

export type AddressesOfName = {
  addresses: readonly string[];
  /** Why the lookup failed; absent if at least one address is known. */
  failure?: string;
};

const MAX_ADDRESSES = 16;

export async function findAddressesOf(
  resolver: Pick<Resolver, "query">,
  name: string,
): Promise<AddressesOfName> {
  const answers = await Promise.all([resolver.query(name, "A"), resolver.query(name, "AAAA")]);
  const addresses = answers.flatMap((answer) => (answer.status === "answer" ? answer.records : []));
  const failure = answers.find(isFailure)?.status;
  if (addresses.length > 0 || failure === undefined) return { addresses: addresses.slice(0, MAX_ADDRESSES) };
  return { addresses, failure };
}
