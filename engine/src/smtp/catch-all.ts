/**
 * Which domains take mail for anyone: asked once with a made-up name, remembered, and shared by everybody who
 * wants to know at the same time.
 */
import { LRUCache } from "lru-cache";
import type { DecoyFinding, MailboxAnswer, MailboxFinding } from "../evidence.ts";

const MAX_DOMAINS = 50_000;
const REMEMBER_MS = 24 * 3600 * 1000;
/** Undecided is soon asked again, but not for every address of a list. */
const REMEMBER_UNDECIDED_MS = 60_000;
/** And when they said when to come back, whoever comes back then must not find the old answer. */
const PART_OF_THEIR_TIME = 0.5;

/** What one made-up name says about a domain, where the planner has not asked for a second. */
const CONFIDENCE: Partial<Record<MailboxAnswer, number>> = { accepted: 0.92, not_found: 0.95 };

/** What was said of the made-up names, and how sure that is where more than one was asked for. */
export type DecoyReply = MailboxFinding & { confidence?: number };

type Known = { finding: DecoyFinding; acceptances: number };
type Inquiry = { finding: Promise<DecoyFinding>; want: () => void; hurry: () => void };

/** How a made-up name is asked for: now or when it is wanted, and before others if somebody is in a hurry. */
export type AskDecoy = () => {
  finding: Promise<DecoyReply | undefined>;
  want: () => void;
  hurry: () => void;
};

export type CatchAllCache = {
  /** What is known, without asking. Counts as one use, so that a giant is checked anew from time to time. */
  known(domain: string, acceptancesPerDecoy: number): DecoyFinding | undefined;
  /** Puts the question, without insisting on an answer. */
  prepare(domain: string, ask: AskDecoy): void;
  /** The answer, known or asked for. */
  finding(domain: string, ask: AskDecoy): Promise<DecoyFinding>;
  /** Somebody waits in person for what is being asked of the domain, if anything is. */
  hurry(domain: string): void;
};

export function createCatchAllCache(): CatchAllCache {
  const memory = new LRUCache<string, Known>({ max: MAX_DOMAINS, ttl: REMEMBER_MS });
  const inquiries = new Map<string, Inquiry>();

  const inquire = (domain: string, ask: AskDecoy): Inquiry => {
    const underWay = inquiries.get(domain);
    if (underWay) return underWay;
    const { finding, want, hurry } = ask();
    const inquiry: Inquiry = {
      want,
      hurry,
      finding: finding.then((heard) => {
        inquiries.delete(domain);
        const decoy = heard ? decoyFinding(heard) : UNDECIDED;
        if (heard) memory.set(domain, { finding: decoy, acceptances: 0 }, { ttl: rememberMs(decoy) });
        return decoy;
      }),
    };
    inquiries.set(domain, inquiry);
    return inquiry;
  };

  return {
    known(domain, acceptancesPerDecoy) {
      const known = memory.get(domain);
      if (!known) return undefined;
      if (++known.acceptances <= acceptancesPerDecoy) return known.finding;
      memory.delete(domain); // time to look again
      return undefined;
    },
    prepare: (domain, ask) => void inquire(domain, ask),
    finding(domain, ask) {
      const known = memory.get(domain);
      if (known) return Promise.resolve(known.finding);
      const inquiry = inquire(domain, ask);
      inquiry.want();
      return inquiry.finding;
    },
    hurry: (domain) => inquiries.get(domain)?.hurry(),
  };
}

function rememberMs({ confidence, retryAfterSeconds = Number.POSITIVE_INFINITY }: DecoyFinding): number {
  if (confidence > 0) return REMEMBER_MS;
  return Math.min(REMEMBER_UNDECIDED_MS, retryAfterSeconds * 1000 * PART_OF_THEIR_TIME);
}

const REFUSALS: ReadonlySet<MailboxAnswer> = new Set([
  "disabled",
  "full",
  "restricted",
  "domain_not_accepted",
]);
/** A refusal that gives no reason is a little less than "no such user". */
const UNEXPLAINED = 0.9;

/** However it was refused, a made-up mailbox was refused as a mailbox: the domain took others, and nothing meant us. */
export function isRefusalOfDecoy({ answer, isSoftRefusal, isUnexplained }: MailboxFinding): boolean {
  return answer === "not_found" || REFUSALS.has(answer) || isSoftRefusal === true || isUnexplained === true;
}

const UNDECIDED: DecoyFinding = { answer: "temporary_error", confidence: 0 };

function decoyFinding({
  answer,
  isSoftRefusal,
  isUnexplained,
  reply,
  mxHost,
  retryAfterSeconds,
  confidence,
}: DecoyReply): DecoyFinding {
  const heard = {
    ...(reply ? { reply } : {}),
    ...(mxHost ? { mxHost } : {}),
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  };
  // A server that looks mailboxes up elsewhere says so of a stranger before it is quite sure.
  if (isSoftRefusal) return { ...heard, answer: "not_found", confidence: 0.85 };
  if (isUnexplained) return { ...heard, answer: "not_found", confidence: UNEXPLAINED };
  const plain = REFUSALS.has(answer) ? "not_found" : answer;
  return { ...heard, answer: plain, confidence: confidence ?? CONFIDENCE[plain] ?? 0 };
}
