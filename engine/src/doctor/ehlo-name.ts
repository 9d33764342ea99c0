/** Is the name we greet with (EHLO_NAME) a full name of our own, and does it lead to our address? */
import { isIP } from "node:net";
import { getDomain } from "tldts";
import { specialUseOf } from "../address/special-use.ts";
import { isHostName, normaliseName } from "../dns/host-name.ts";
import type { Resolver } from "../dns/resolver.ts";
import { type Case, type Finding, judge } from "./finding.ts";
import { type AddressesOfName, findAddressesOf } from "./forward-lookup.ts";
import { isSameAddress } from "./reverse-dns-name.ts";

export async function examineEhloName(
  deps: { resolver: Pick<Resolver, "ask">; ehloName: string; exemptSpecialUse: readonly string[] },
  ourAddress: string | undefined,
): Promise<Finding> {
  const name = normaliseName(deps.ehloName);
  const complaint = complaintAbout(name, deps.exemptSpecialUse);
  const forward: AddressesOfName =
    complaint === undefined ? await findAddressesOf(deps.resolver, name) : { addresses: [] };
  return judge("EHLO name", CASES, { name, complaint, forward, ourAddress });
}

/** Houses that nobody else speaks for; a stranger who greets with their name is taken for a forger. */
const GIANTS: ReadonlySet<string> = new Set([
  ...["gmail.com", "google.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "microsoft.com"],
  ...["yahoo.com", "aol.com", "icloud.com", "apple.com", "gmx.net", "gmx.de", "mail.ru", "yandex.ru"],
]);

const COMPLAINTS: readonly [string, (name: string) => boolean][] = [
  ["is an IP address, not a name", (name) => isIP(name) !== 0],
  ["is not a full name: it has no domain", (name) => !name.includes(".")],
  ["is not a host name", (name) => !isHostName(name)],
  ["belongs to a large provider, not to you", (name) => GIANTS.has(getDomain(name) ?? "")],
];

function complaintAbout(name: string, exempt: readonly string[]): string | undefined {
  const complaint = COMPLAINTS.find(([, applies]) => applies(name))?.[0];
  if (complaint !== undefined) return complaint;
  const specialUse = specialUseOf(name, exempt);
  return specialUse === undefined ? undefined : `cannot be looked up by anyone else: ${specialUse}`;
}

type Facts = {
  name: string;
  complaint: string | undefined;
  forward: AddressesOfName;
  ourAddress: string | undefined;
};

const CASES: readonly Case<Facts>[] = [
  {
    outcome: "bad",
    when: ({ complaint }) => complaint !== undefined,
    found: ({ name, complaint }) => `${name} ${complaint}.`,
    advice: ({ ourAddress }) =>
      `Set EHLO_NAME to a name in a domain of yours, such as probe.example.com, and give it an address record for ${ourAddress ?? "this machine's public address"}.`,
  },
  {
    outcome: "unknown",
    when: ({ forward }) => forward.failure !== undefined,
    found: ({ name, forward }) => `${name} could not be looked up (${forward.failure}).`,
    advice: () => "Put the name servers right, or those of this name's domain, and look again.",
  },
  {
    outcome: "bad",
    when: ({ forward }) => forward.addresses.length === 0,
    found: ({ name }) => `${name} has no address.`,
    advice: ({ name, ourAddress }) =>
      `Give ${name} an address record for ${ourAddress ?? "this machine's public address"}, or set EHLO_NAME to a name that has one.`,
  },
  {
    outcome: "unknown",
    when: ({ ourAddress }) => ourAddress === undefined,
    found: ({ name, forward }) =>
      `${name} leads to ${forward.addresses.join(", ")}; whether that is us is not known.`,
  },
  {
    outcome: "good",
    when: ({ forward, ourAddress }) => forward.addresses.some((one) => isSameAddress(one, ourAddress!)),
    found: ({ name, ourAddress }) => `${name} leads to ${ourAddress}.`,
  },
  {
    outcome: "bad",
    when: () => true,
    found: ({ name, forward, ourAddress }) =>
      `${name} leads to ${forward.addresses.join(", ")}, but we come from ${ourAddress}.`,
    advice: ({ name, ourAddress }) =>
      `Change the address record of ${name} to ${ourAddress}, or set EHLO_NAME to the name of ${ourAddress}.`,
  },
];
