/**
 * Looks up a domain's SPF, DMARC and MTA-STS records. They indicate a maintained domain, never that a mailbox exists.
 *
 * Only presence is decided here, not content. Several records where one is allowed count as none (RFC 7208, 4.5; RFC
 * 7489, 6.6.3; RFC 8461, 3.1).
 */
import { getDomain } from "../address/public-suffix.ts";
import { type DnsAnswer, isFailure } from "./dns-answer.ts";
import { normaliseName } from "./host-name.ts";
import type { LookupUrgency } from "./mail-route.ts";
import type { Resolver } from "./resolver.ts";

/** Undefined where the lookup failed. */
export type MailPolicies = {
  spf: boolean | undefined;
  dmarc: boolean | undefined;
  mtaSts: boolean | undefined;
  /** The records found; not stored with cached evidence. */
  records?: PolicyRecords;
};

export type PolicyRecords = Record<"spf" | "dmarc" | "mtaSts", RecordsAt>;

/** The records of one kind at a name. */
type RecordsAt = { name: string; texts: string[] };
type PolicyLookup = RecordsAt & { isKnown: boolean };

const SPF = /^v=spf1(?: |$)/i;
const DMARC = /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/;
const MTA_STS = /^v=STSv1[ \t]*;/;

export async function findMailPolicies(
  resolver: Pick<Resolver, "query">,
  domain: string,
  { isUrgent, tenant }: LookupUrgency = { isUrgent: true },
): Promise<MailPolicies> {
  const priority = isUrgent ? "interactive" : "policy";
  const find: Find = async (name, policy) => ({
    name,
    ...matching(await resolver.query(name, "TXT", priority, tenant), policy),
  });
  const [spf, dmarc, mtaSts] = await Promise.all([
    find(domain, SPF),
    findDmarc(find, normaliseName(domain)),
    find(`_mta-sts.${domain}`, MTA_STS),
  ]);
  const records = { spf: recordsOf(spf), dmarc: recordsOf(dmarc), mtaSts: recordsOf(mtaSts) };
  return { spf: isPresent(spf), dmarc: isPresent(dmarc), mtaSts: isPresent(mtaSts), records };
}

type Find = (name: string, policy: RegExp) => Promise<PolicyLookup>;

/** Without a DMARC record of its own, a domain is under that of its organisational domain. */
async function findDmarc(find: Find, domain: string): Promise<PolicyLookup> {
  const own = await find(`_dmarc.${domain}`, DMARC);
  if (!own.isKnown || own.texts.length > 0) return own;
  const organisation = getDomain(domain, { allowPrivateDomains: true });
  if (!organisation || organisation === domain) return own;
  return find(`_dmarc.${organisation}`, DMARC);
}

function matching(answer: DnsAnswer<"TXT">, policy: RegExp): Pick<PolicyLookup, "texts" | "isKnown"> {
  const texts = answer.status === "answer" ? answer.records.filter((text) => policy.test(text)) : [];
  return { texts, isKnown: !isFailure(answer) };
}

function isPresent({ texts, isKnown }: PolicyLookup): boolean | undefined {
  return isKnown ? texts.length === 1 : undefined;
}

const MAX_RECORDS = 10;
const MAX_RECORD_CHARACTERS = 2000;

/** Bounded, because they are remote input and kept for every domain. */
function recordsOf({ name, texts }: PolicyLookup): RecordsAt {
  return { name, texts: texts.slice(0, MAX_RECORDS).map((text) => text.slice(0, MAX_RECORD_CHARACTERS)) };
}
