/**
 * Checks whether our public IP is on a DNS blocklist (RFC 5782).
 *
 * A list answers with an address in 127.0.0.0/8 for listed IPs. It may also refuse the resolver, and then its answers
 * say nothing. Therefore its two test entries are queried as well: 127.0.0.2 is on every list, 127.0.0.1 on none.
 */
import { type DnsAnswer, isFailure } from "../dns/dns-answer.ts";
import type { Resolver } from "../dns/resolver.ts";
import { type Diagnosis, type FindingRule, judge } from "./finding.ts";
import { ipNameUnder } from "./reverse-dns-name.ts";

export async function examineBlocklists(
  deps: { resolver: Pick<Resolver, "query"> },
  publicIp: string | undefined,
): Promise<Diagnosis[]> {
  if (publicIp === undefined) {
    return [
      { name: "blocklists", outcome: "unknown", found: "Not checked: our public IP address is unknown." },
    ];
  }
  const lists = BLOCKLISTS.filter(({ hasIpv6 }) => hasIpv6 || !publicIp.includes(":"));
  return Promise.all(lists.map((list) => examineBlocklist(deps, list, publicIp)));
}

type Blocklist = {
  zone: string;
  hasIpv6: boolean;
  /** Advice when it does not answer us, and when our IP is listed. */
  lookupAdvice: string;
  delistingAdvice: string;
};

const OWN_RESOLVER =
  "Blocklists refuse large public resolvers. Use your own resolver (DNS_SERVERS), or check the list's web page.";

const BLOCKLISTS: readonly Blocklist[] = [
  {
    zone: "zen.spamhaus.org",
    hasIpv6: true,
    lookupAdvice: OWN_RESOLVER,
    delistingAdvice: "See the reason and request delisting at https://check.spamhaus.org/",
  },
  {
    zone: "bl.spamcop.net",
    hasIpv6: false,
    lookupAdvice: OWN_RESOLVER,
    delistingAdvice: "The listing expires a day after the last report; see https://www.spamcop.net/bl.shtml",
  },
  {
    zone: "b.barracudacentral.org",
    hasIpv6: false,
    lookupAdvice:
      "It answers registered resolvers only: register yours at https://www.barracudacentral.org/rbl",
    delistingAdvice: "Request delisting at https://www.barracudacentral.org/rbl/removal-request",
  },
];

export const BLOCKLIST_ZONES: readonly string[] = BLOCKLISTS.map(({ zone }) => zone);

const ON_EVERY_LIST = "127.0.0.2";
const ON_NO_LIST = "127.0.0.1";

async function examineBlocklist(
  { resolver }: { resolver: Pick<Resolver, "query"> },
  list: Blocklist,
  publicIp: string,
): Promise<Diagnosis> {
  const ask = (address: string) => resolver.query(ipNameUnder(list.zone, address), "A");
  const [ours, always, never] = await Promise.all([ask(publicIp), ask(ON_EVERY_LIST), ask(ON_NO_LIST)]);
  return judge(list.zone, RULES, { list, publicIp, ours, always, never });
}

type Facts = {
  list: Blocklist;
  publicIp: string;
  ours: DnsAnswer<"A">;
  always: DnsAnswer<"A">;
  never: DnsAnswer<"A">;
};

const recordsOf = (answer: DnsAnswer<"A">) => (answer.status === "answer" ? answer.records : []);
/** Spamhaus error codes: public resolver, too many queries, misspelt zone. */
const isRefused = (answer: DnsAnswer<"A">) =>
  recordsOf(answer).some((record) => record.startsWith("127.255.255."));
const isListed = (answer: DnsAnswer<"A">) => recordsOf(answer).some((record) => record.startsWith("127."));

const RULES: readonly FindingRule<Facts>[] = [
  {
    outcome: "unknown",
    when: ({ ours, always }) => isRefused(ours) || isRefused(always),
    found: () => "This blocklist refuses queries from your DNS servers.",
    advice: ({ list }) => list.lookupAdvice,
  },
  {
    outcome: "unknown",
    when: ({ ours }) => isFailure(ours),
    found: ({ ours }) => `The blocklist lookup failed (${ours.status}).`,
    advice: ({ list }) => list.lookupAdvice,
  },
  {
    outcome: "unknown",
    when: ({ always, never }) => !isListed(always) || never.status === "answer",
    found: () => "This blocklist failed our test query, so its answer is ignored.",
    advice: ({ list }) => list.lookupAdvice,
  },
  {
    outcome: "bad",
    when: ({ ours }) => isListed(ours),
    found: ({ publicIp, ours, list }) =>
      `${publicIp} is on this blocklist (${[...recordsOf(ours)].sort().map(sublist(list.zone)).join(", ")}).`,
    advice: ({ list }) => list.delistingAdvice,
  },
  { outcome: "good", when: () => true, found: ({ publicIp }) => `${publicIp} is not on this blocklist.` },
];

/** Meaning of Spamhaus return codes; those of other lists are shown as they are. */
const SPAMHAUS_LISTS: Readonly<Record<string, string>> = {
  "127.0.0.2": "SBL: spam source",
  "127.0.0.3": "CSS: spam source",
  "127.0.0.4": "XBL: an infected machine",
  "127.0.0.9": "DROP: hijacked or spam network",
  "127.0.0.10": "PBL: listed by the network owner as not sending mail",
  "127.0.0.11": "PBL: a range not expected to send mail",
};

const sublist = (zone: string) => (record: string) =>
  (zone === "zen.spamhaus.org" ? SPAMHAUS_LISTS[record] : undefined) ?? record;
