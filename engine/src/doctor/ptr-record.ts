/**
 * Checks that our IP has a PTR record, that the name resolves back to the IP (FCrDNS), and that it equals the EHLO
 * name. Most mail servers require the first two.
 */
import { isFailure } from "../dns/dns-answer.ts";
import { normaliseName } from "../dns/host-name.ts";
import type { Resolver } from "../dns/resolver.ts";
import { type Diagnosis, type FindingRule, judge } from "./finding.ts";
import { findAddressesOf } from "./forward-lookup.ts";
import { isSameAddress, reverseNameOf } from "./reverse-dns-name.ts";

export async function examinePtrRecord(
  deps: { resolver: Pick<Resolver, "query">; ehloName: string },
  publicIp: string | undefined,
): Promise<Diagnosis> {
  const ehloName = normaliseName(deps.ehloName);
  if (publicIp === undefined) return judge("reverse DNS", RULES, { ehloName, publicIp, names: [] });
  const answer = await deps.resolver.query(reverseNameOf(publicIp), "PTR");
  const failure = isFailure(answer) ? answer.status : undefined;
  const names = answer.status === "answer" ? answer.records.slice(0, MAX_NAMES) : [];
  const resolvesBack = await Promise.all(
    names.map(async (name) =>
      (await findAddressesOf(deps.resolver, name)).addresses.some((one) => isSameAddress(one, publicIp)),
    ),
  );
  const confirmed = names.filter((_, index) => resolvesBack[index]);
  return judge("reverse DNS", RULES, { ehloName, publicIp, names, confirmed, failure });
}

const MAX_NAMES = 10;

type Facts = {
  ehloName: string;
  publicIp: string | undefined;
  names: readonly string[];
  /** The names that resolve back to our IP. */
  confirmed?: readonly string[];
  failure?: string | undefined;
};

const nameList = ({ names }: Facts) => names.join(", ");

const RULES: readonly FindingRule<Facts>[] = [
  {
    outcome: "unknown",
    when: ({ publicIp }) => publicIp === undefined,
    found: () => "Not checked: our public IP address is unknown.",
  },
  {
    outcome: "unknown",
    when: ({ failure }) => failure !== undefined,
    found: ({ publicIp, failure }) => `The PTR lookup for ${publicIp} failed (${failure}).`,
    advice: () =>
      "Fix the DNS servers, or ask the owner of the IP to fix theirs, and run the diagnostics again.",
  },
  {
    outcome: "bad",
    when: ({ names }) => names.length === 0,
    found: ({ publicIp }) => `${publicIp} has no PTR record.`,
    advice: ({ publicIp, ehloName }) =>
      `Many mail servers reject IPs without a PTR record. Ask your hosting provider to set the PTR record of ${publicIp} to ${ehloName}; most have a setting for it.`,
  },
  {
    outcome: "bad",
    when: ({ confirmed }) => confirmed?.length === 0,
    found: (facts) =>
      `The PTR record of ${facts.publicIp} is ${nameList(facts)}, which does not resolve back to it.`,
    advice: ({ publicIp, ehloName }) =>
      `Forward and reverse DNS must match. Set the PTR record of ${publicIp} to ${ehloName}, and add an address record for ${publicIp} to ${ehloName}.`,
  },
  {
    outcome: "warning",
    when: ({ confirmed, ehloName }) => confirmed?.includes(ehloName) !== true,
    found: (facts) =>
      `The PTR record of ${facts.publicIp} is ${nameList(facts)}, but the EHLO name is ${facts.ehloName}.`,
    advice: ({ confirmed, ehloName }) =>
      `Set EHLO_NAME=${confirmed?.[0]}, or change the PTR record to ${ehloName}.`,
  },
  {
    outcome: "warning",
    when: ({ ehloName, publicIp }) => looksGeneric(ehloName, publicIp!),
    found: ({ publicIp, ehloName }) =>
      `The PTR record of ${publicIp} is ${ehloName}, which looks like a generic name of a hosting or home connection.`,
    advice: ({ publicIp }) =>
      `Some mail servers reject generic names. Set the PTR record of ${publicIp} to a name in your own domain, and use it as EHLO_NAME.`,
  },
  {
    outcome: "good",
    when: () => true,
    found: ({ publicIp, ehloName }) =>
      `The PTR record of ${publicIp} is ${ehloName}, which resolves back to it.`,
  },
];

/** `ec2-192-0-2-7.cloud.example`, `7.2.0.192.dsl.example`: the name contains the octets of the address. */
function looksGeneric(name: string, address: string): boolean {
  if (address.includes(":")) return false;
  const numbers = name.match(/\d+/g)?.map(Number).join(".") ?? "";
  const parts = address.split(".");
  return [parts, parts.toReversed()].some((order) => `.${numbers}.`.includes(`.${order.join(".")}.`));
}
