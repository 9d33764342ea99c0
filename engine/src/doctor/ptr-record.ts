/**
 * Does our address have a name (PTR), does that name lead back to the address, and is it the one we greet with?
 * Most mail servers look at the first two before they look at anything else.
 */
import { isFailure } from "../dns/dns-answer.ts";
import { normaliseName } from "../dns/host-name.ts";
import type { Resolver } from "../dns/resolver.ts";
import { type Case, type Finding, judge } from "./finding.ts";
import { findAddressesOf } from "./forward-lookup.ts";
import { isSameAddress, reverseNameOf } from "./reverse-dns-name.ts";

export async function examinePtrRecord(
  deps: { resolver: Pick<Resolver, "ask">; ehloName: string },
  ourAddress: string | undefined,
): Promise<Finding> {
  const greeting = normaliseName(deps.ehloName);
  if (ourAddress === undefined) return judge("reverse DNS", CASES, { greeting, ourAddress, names: [] });
  const answer = await deps.resolver.ask(reverseNameOf(ourAddress), "PTR");
  const failure = isFailure(answer) ? answer.status : undefined;
  const names = answer.status === "answer" ? answer.records.slice(0, MAX_NAMES) : [];
  const leadBack = await Promise.all(
    names.map(async (name) =>
      (await findAddressesOf(deps.resolver, name)).addresses.some((one) => isSameAddress(one, ourAddress)),
    ),
  );
  const confirmed = names.filter((_, index) => leadBack[index]);
  return judge("reverse DNS", CASES, { greeting, ourAddress, names, confirmed, failure });
}

const MAX_NAMES = 10;

type Facts = {
  greeting: string;
  ourAddress: string | undefined;
  names: readonly string[];
  /** Those of the names that lead back to our address. */
  confirmed?: readonly string[];
  failure?: string | undefined;
};

const listed = ({ names }: Facts) => names.join(", ");

const CASES: readonly Case<Facts>[] = [
  {
    outcome: "unknown",
    when: ({ ourAddress }) => ourAddress === undefined,
    found: () => "Cannot be looked at without our address.",
  },
  {
    outcome: "unknown",
    when: ({ failure }) => failure !== undefined,
    found: ({ ourAddress, failure }) => `The name of ${ourAddress} could not be looked up (${failure}).`,
    advice: () => "Put the name servers right, or ask the owner of the address to, and look again.",
  },
  {
    outcome: "bad",
    when: ({ names }) => names.length === 0,
    found: ({ ourAddress }) => `${ourAddress} has no name (PTR record).`,
    advice: ({ ourAddress, greeting }) =>
      `Many mail servers refuse nameless addresses. Ask whoever gave you ${ourAddress} to set its PTR record to ${greeting}; most hosts have a field for it.`,
  },
  {
    outcome: "bad",
    when: ({ confirmed }) => confirmed?.length === 0,
    found: (facts) => `${facts.ourAddress} is called ${listed(facts)}, which does not lead back to it.`,
    advice: ({ ourAddress, greeting }) =>
      `Name and address must lead to each other. Have the PTR record of ${ourAddress} set to ${greeting}, and give ${greeting} an address record for ${ourAddress}.`,
  },
  {
    outcome: "warning",
    when: ({ confirmed, greeting }) => confirmed?.includes(greeting) !== true,
    found: (facts) => `${facts.ourAddress} is called ${listed(facts)}, but we greet as ${facts.greeting}.`,
    advice: ({ confirmed, greeting }) =>
      `Set EHLO_NAME=${confirmed?.[0]}, or have the PTR record changed to ${greeting}.`,
  },
  {
    outcome: "warning",
    when: ({ greeting, ourAddress }) => looksMachineMade(greeting, ourAddress!),
    found: ({ ourAddress, greeting }) =>
      `${ourAddress} is called ${greeting}, which looks like any rented or home machine.`,
    advice: ({ ourAddress }) =>
      `Some mail servers refuse such names. Have the PTR record of ${ourAddress} set to a name in your own domain, and greet with it.`,
  },
  {
    outcome: "good",
    when: () => true,
    found: ({ ourAddress, greeting }) => `${ourAddress} is called ${greeting}, and each leads to the other.`,
  },
];

/** `ec2-192-0-2-7.cloud.example`, `7.2.0.192.dsl.example`: the numbers of the address make up the name. */
function looksMachineMade(name: string, address: string): boolean {
  if (address.includes(":")) return false;
  const numbers = name.match(/\d+/g)?.map(Number).join(".") ?? "";
  const parts = address.split(".");
  return [parts, parts.toReversed()].some((order) => `.${numbers}.`.includes(`.${order.join(".")}.`));
}
