/**
 * What a domain publishes about its mail: SPF, DMARC and MTA-STS. Signs of care, never proof of a mailbox.
 *
 * Whether a policy stands is decided here, not what it says. Several records where one is allowed are as good
 * as none (RFC 7208, 4.5; RFC 7489, 6.6.3; RFC 8461, 3.1).
 */
import { getDomain } from "tldts";
import { type DnsAnswer, isFailure } from "./dns-answer.ts";
import { plainName } from "./host-name.ts";
import type { Resolver } from "./resolver.ts";

/** Undefined where we could not find out. */
export type MailPolicies = {
  spf: boolean | undefined;
  dmarc: boolean | undefined;
  mtaSts: boolean | undefined;
};

const SPF = /^v=spf1(?: |$)/i;
const DMARC = /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/;
const MTA_STS = /^v=STSv1[ \t]*;/;

export async function findMailPolicies(
  resolver: Pick<Resolver, "ask">,
  domain: string,
): Promise<MailPolicies> {
  const count = async (name: string, policy: RegExp) => countRecords(await resolver.ask(name, "TXT"), policy);
  const [spf, dmarc, mtaSts] = await Promise.all([
    count(domain, SPF),
    countDmarc(count, plainName(domain)),
    count(`_mta-sts.${domain}`, MTA_STS),
  ]);
  return { spf: isOne(spf), dmarc: isOne(dmarc), mtaSts: isOne(mtaSts) };
}

type Count = (name: string, policy: RegExp) => Promise<number | undefined>;

/** A domain without a DMARC record of its own is under the one of its organisational domain. */
async function countDmarc(count: Count, domain: string): Promise<number | undefined> {
  const own = await count(`_dmarc.${domain}`, DMARC);
  const organisation = getDomain(domain, { allowPrivateDomains: true });
  if (own !== 0 || !organisation || organisation === domain) return own;
  return count(`_dmarc.${organisation}`, DMARC);
}

function countRecords(answer: DnsAnswer<"TXT">, policy: RegExp): number | undefined {
  if (isFailure(answer)) return undefined;
  return answer.status === "answer" ? answer.records.filter((text) => policy.test(text)).length : 0;
}

function isOne(count: number | undefined): boolean | undefined {
  return count === undefined ? undefined : count === 1;
}
