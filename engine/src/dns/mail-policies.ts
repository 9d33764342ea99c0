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
  /** What this was read from; not kept with cached evidence. */
  records?: PolicyRecords;
};

export type PolicyRecords = Record<"spf" | "dmarc" | "mtaSts", RecordsAt>;

/** The records of one kind at a name. */
type RecordsAt = { name: string; texts: string[] };
type Found = RecordsAt & { isKnown: boolean };

const SPF = /^v=spf1(?: |$)/i;
const DMARC = /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/;
const MTA_STS = /^v=STSv1[ \t]*;/;

export async function findMailPolicies(
  resolver: Pick<Resolver, "ask">,
  domain: string,
): Promise<MailPolicies> {
  const find: Find = async (name, policy) => ({
    name,
    ...matching(await resolver.ask(name, "TXT"), policy),
  });
  const [spf, dmarc, mtaSts] = await Promise.all([
    find(domain, SPF),
    findDmarc(find, plainName(domain)),
    find(`_mta-sts.${domain}`, MTA_STS),
  ]);
  const records = { spf: recordsOf(spf), dmarc: recordsOf(dmarc), mtaSts: recordsOf(mtaSts) };
  return { spf: stands(spf), dmarc: stands(dmarc), mtaSts: stands(mtaSts), records };
}

type Find = (name: string, policy: RegExp) => Promise<Found>;

/** A domain without a DMARC record of its own is under the one of its organisational domain. */
async function findDmarc(find: Find, domain: string): Promise<Found> {
  const own = await find(`_dmarc.${domain}`, DMARC);
  const organisation = getDomain(domain, { allowPrivateDomains: true });
  if (!own.isKnown || own.texts.length > 0 || !organisation || organisation === domain) return own;
  return find(`_dmarc.${organisation}`, DMARC);
}

function matching(answer: DnsAnswer<"TXT">, policy: RegExp): Pick<Found, "texts" | "isKnown"> {
  const texts = answer.status === "answer" ? answer.records.filter((text) => policy.test(text)) : [];
  return { texts, isKnown: !isFailure(answer) };
}

function stands({ texts, isKnown }: Found): boolean | undefined {
  return isKnown ? texts.length === 1 : undefined;
}

const MAX_RECORDS = 10;
const MAX_RECORD_CHARACTERS = 2000;

/** A stranger's records, bounded: kept for every domain that is asked about. */
function recordsOf({ name, texts }: Found): RecordsAt {
  return { name, texts: texts.slice(0, MAX_RECORDS).map((text) => text.slice(0, MAX_RECORD_CHARACTERS)) };
}
