/**
 * Is our address on a public list of senders to refuse (RFC 5782)?
 *
 * A list answers with an address below 127.0.0.0/8 for who is on it. It may also turn away whoever asks, and
 * then its answers say nothing about us. So we ask for its two test entries as well: 127.0.0.2 is on every
 * list that answers us, 127.0.0.1 on none.
 */
import { type DnsAnswer, isFailure } from "../dns/dns-answer.ts";
import type { Resolver } from "../dns/resolver.ts";
import { type Case, type Finding, judge } from "./finding.ts";
import { ipNameUnder } from "./reverse-dns-name.ts";

export async function examineBlocklists(
  deps: { resolver: Pick<Resolver, "ask"> },
  ourAddress: string | undefined,
): Promise<Finding[]> {
  if (ourAddress === undefined) {
    return [{ name: "blocklists", outcome: "unknown", found: "Cannot be looked at without our address." }];
  }
  const lists = BLOCKLISTS.filter(({ hasIpv6 }) => hasIpv6 || !ourAddress.includes(":"));
  return Promise.all(lists.map((list) => examineBlocklist(deps, list, ourAddress)));
}

type Blocklist = {
  zone: string;
  hasIpv6: boolean;
  /** What to do when it does not answer us, and when we are on it. */
  toBeAnswered: string;
  toGetOff: string;
};

const OWN_RESOLVER =
  "Lists turn away large public resolvers. Ask through a resolver of your own (DNS_SERVERS), or look at the list's web page.";

const BLOCKLISTS: readonly Blocklist[] = [
  {
    zone: "zen.spamhaus.org",
    hasIpv6: true,
    toBeAnswered: OWN_RESOLVER,
    toGetOff: "See why and how to get off at https://check.spamhaus.org/",
  },
  {
    zone: "bl.spamcop.net",
    hasIpv6: false,
    toBeAnswered: OWN_RESOLVER,
    toGetOff: "It ends by itself a day after the last complaint; see https://www.spamcop.net/bl.shtml",
  },
  {
    zone: "b.barracudacentral.org",
    hasIpv6: false,
    toBeAnswered:
      "It answers registered resolvers alone: register yours at https://www.barracudacentral.org/rbl",
    toGetOff: "Ask to be taken off at https://www.barracudacentral.org/rbl/removal-request",
  },
];

const ON_EVERY_LIST = "127.0.0.2";
const ON_NO_LIST = "127.0.0.1";

async function examineBlocklist(
  { resolver }: { resolver: Pick<Resolver, "ask"> },
  list: Blocklist,
  ourAddress: string,
): Promise<Finding> {
  const ask = (address: string) => resolver.ask(ipNameUnder(list.zone, address), "A");
  const [ours, always, never] = await Promise.all([ask(ourAddress), ask(ON_EVERY_LIST), ask(ON_NO_LIST)]);
  return judge(list.zone, CASES, { list, ourAddress, ours, always, never });
}

type Facts = {
  list: Blocklist;
  ourAddress: string;
  ours: DnsAnswer<"A">;
  always: DnsAnswer<"A">;
  never: DnsAnswer<"A">;
};

const recordsOf = (answer: DnsAnswer<"A">) => (answer.status === "answer" ? answer.records : []);
/** Spamhaus says with these why it does not answer: a public resolver, too many questions, a misspelt zone. */
const isTurnedAway = (answer: DnsAnswer<"A">) =>
  recordsOf(answer).some((record) => record.startsWith("127.255.255."));
const isListed = (answer: DnsAnswer<"A">) => recordsOf(answer).some((record) => record.startsWith("127."));

const CASES: readonly Case<Facts>[] = [
  {
    outcome: "unknown",
    when: ({ ours, always }) => isTurnedAway(ours) || isTurnedAway(always),
    found: () => "This blocklist does not answer your name servers.",
    advice: ({ list }) => list.toBeAnswered,
  },
  {
    outcome: "unknown",
    when: ({ ours }) => isFailure(ours),
    found: ({ ours }) => `This blocklist could not be asked (${ours.status}).`,
    advice: ({ list }) => list.toBeAnswered,
  },
  {
    outcome: "unknown",
    when: ({ always, never }) => !isListed(always) || never.status === "answer",
    found: () => "This blocklist does not tell its own test entries right, so its answers mean nothing.",
    advice: ({ list }) => list.toBeAnswered,
  },
  {
    outcome: "bad",
    when: ({ ours }) => isListed(ours),
    found: ({ ourAddress, ours, list }) =>
      `${ourAddress} is on this blocklist (${[...recordsOf(ours)].sort().map(sublist(list.zone)).join(", ")}).`,
    advice: ({ list }) => list.toGetOff,
  },
  { outcome: "good", when: () => true, found: ({ ourAddress }) => `${ourAddress} is not on this blocklist.` },
];

/** What Spamhaus means by its answers; another list's answer is told as it is. */
const SPAMHAUS_LISTS: Readonly<Record<string, string>> = {
  "127.0.0.2": "SBL: spam was seen",
  "127.0.0.3": "CSS: spam was seen",
  "127.0.0.4": "XBL: an infected machine",
  "127.0.0.9": "DROP: the whole network",
  "127.0.0.10": "PBL: the owner of the network says that no mail comes from here",
  "127.0.0.11": "PBL: a range from which no mail is expected",
};

const sublist = (zone: string) => (record: string) =>
  (zone === "zen.spamhaus.org" ? SPAMHAUS_LISTS[record] : undefined) ?? record;
