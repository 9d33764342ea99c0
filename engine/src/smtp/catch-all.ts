/**
 * Catch-all cache: whether a domain accepts any mailbox name. One decoy probe per domain, shared by all callers while it
 * is in flight and remembered afterwards.
 *
 * Sending decoys is the planner's (probe-planner.ts, through `AskDecoy`); their names are in decoy-name.ts.
 */
import { LRUCache } from "lru-cache";
import { entriesFor } from "../base/lru-limit.ts";
import type { DecoyFinding, MailboxAnswer, MailboxFinding } from "../evidence.ts";

const MAX_DOMAINS = 50_000;
const REMEMBER_MS = 24 * 3600 * 1000;
/** An undecided result is probed again soon, but not for every address of a list. */
const REMEMBER_UNDECIDED_MS = 60_000;
/** Expires before the time that the server named, so that a retry at that time is not answered from the cache. */
const FRACTION_OF_RETRY_AFTER = 0.5;

/** What one decoy proves about a domain, where the planner has not sent a second. */
const CONFIDENCE: Partial<Record<MailboxAnswer, number>> = { accepted: 0.92, not_found: 0.95 };

/** The finding about a decoy, with the confidence where more than one was sent. */
export type DecoyReply = MailboxFinding & { confidence?: number };

/** Mailboxes of a catch-all domain that are asked before it is believed to refuse none. */
const ASKED_AT_CATCH_ALL = 20;
const NONE_ASKED = { asked: 0, hasRefused: false };

type Known = { finding: DecoyFinding; acceptances: number };
type InFlight = Omit<ReturnType<AskDecoy>, "finding" | "onKnown"> & {
  finding: Promise<DecoyFinding>;
  /** Probes of mailboxes that may need it. */
  probes: number;
};

/**
 * Queues a decoy. It may wait until `markNeeded`; `raisePriority` puts it before batch requests. `dropUnneeded` ends one that
 * waits and is not needed; false: it goes on.
 */
export type AskDecoy = () => {
  finding: Promise<DecoyReply | undefined>;
  markNeeded: () => void;
  raisePriority: () => void;
  dropUnneeded: () => boolean;
  /** Called when the result is in the cache. */
  onKnown?: () => void;
};

export type CatchAllCache = {
  /** The cached result. Counts as one use: large providers are probed again after a number of them. */
  known(domain: string, acceptancesPerDecoy: number): DecoyFinding | undefined;
  /**
   * Queues the decoy without needing its answer yet. The function that it returns is called when the mailbox has its answer: the
   * decoy is dropped after the last one, because it would stay in the queue of a busy host.
   */
  prepare(domain: string, ask: AskDecoy): () => void;
  /** The cached result, without counting it. */
  peek(domain: string): DecoyFinding | undefined;
  /** The result, cached or probed. */
  finding(domain: string, ask: AskDecoy): Promise<DecoyFinding>;
  /** A caller waits for the probe of this domain, if one is in flight. */
  raisePriority(domain: string): void;
  /**
   * Mailboxes of a catch-all domain that are still to be asked: some refuse mailboxes that were closed. Infinite once it has refused
   * one, and for any other domain.
   */
  leftToAsk(domain: string): number;
  /** A mailbox was asked, and had its answer. */
  recordAsked(domain: string): void;
  /** A mailbox was refused for good. */
  recordRefused(domain: string): void;
};

export function createCatchAllCache(): CatchAllCache {
  const cache = new LRUCache<string, Known>(entriesFor(REMEMBER_MS, MAX_DOMAINS));
  const mailboxes = new LRUCache<string, typeof NONE_ASKED>(entriesFor(REMEMBER_MS, MAX_DOMAINS));
  const inFlight = new Map<string, InFlight>();

  /** A dropped one may have a successor by now. */
  const forget = (domain: string, ended: InFlight) => {
    if (inFlight.get(domain) === ended) inFlight.delete(domain);
  };
  const probe = (domain: string, ask: AskDecoy): InFlight => {
    const running = inFlight.get(domain);
    if (running) return running;
    const { finding, onKnown, ...decoy } = ask();
    const started: InFlight = {
      ...decoy,
      probes: 0,
      finding: finding.then((reply) => {
        forget(domain, started);
        const found = reply ? decoyFinding(reply) : UNDECIDED;
        if (reply) cache.set(domain, { finding: found, acceptances: 0 }, { ttl: rememberMs(found) });
        onKnown?.();
        return found;
      }),
    };
    inFlight.set(domain, started);
    return started;
  };

  return {
    known(domain, acceptancesPerDecoy) {
      const known = cache.get(domain);
      if (!known) return undefined;
      if (++known.acceptances <= acceptancesPerDecoy) return known.finding;
      cache.delete(domain); // due for another decoy
      return undefined;
    },
    peek: (domain) => cache.peek(domain)?.finding,
    prepare(domain, ask) {
      const started = probe(domain, ask);
      started.probes++;
      return () => {
        if (--started.probes === 0 && started.dropUnneeded()) forget(domain, started);
      };
    },
    finding(domain, ask) {
      const known = cache.get(domain);
      if (known) return Promise.resolve(known.finding);
      const { finding, markNeeded } = probe(domain, ask);
      markNeeded();
      return finding;
    },
    raisePriority: (domain) => inFlight.get(domain)?.raisePriority(),
    leftToAsk(domain) {
      if (cache.peek(domain)?.finding.answer !== "accepted") return Number.POSITIVE_INFINITY;
      const { asked, hasRefused } = mailboxes.get(domain) ?? NONE_ASKED;
      return hasRefused ? Number.POSITIVE_INFINITY : Math.max(0, ASKED_AT_CATCH_ALL - asked);
    },
    recordAsked(domain) {
      const { asked, hasRefused } = mailboxes.get(domain) ?? NONE_ASKED;
      mailboxes.set(domain, { asked: asked + 1, hasRefused });
    },
    recordRefused(domain) {
      const { asked } = mailboxes.get(domain) ?? NONE_ASKED;
      mailboxes.set(domain, { asked, hasRefused: true });
    },
  };
}

function rememberMs({
  confidence,
  isSelective,
  retryAfterSeconds = Number.POSITIVE_INFINITY,
}: DecoyFinding): number {
  // Without a reason, and perhaps refused like everything at that moment.
  const isDoubtful = confidence === UNEXPLAINED_CONFIDENCE && !isSelective;
  if (confidence > 0 && !isDoubtful) return REMEMBER_MS;
  return Math.min(REMEMBER_UNDECIDED_MS, retryAfterSeconds * 1000 * FRACTION_OF_RETRY_AFTER);
}

const REFUSALS: ReadonlySet<MailboxAnswer> = new Set([
  "disabled",
  "full",
  "restricted",
  "domain_not_accepted",
]);
const UNEXPLAINED_CONFIDENCE = 0.9;
const SOFT_REFUSAL_CONFIDENCE = 0.85;

/** Any refusal of the decoy as a mailbox counts, whatever its reason: the domain is not catch-all. */
export function isRefusalOfDecoy({ answer, isSoftRefusal, isUnexplained }: MailboxFinding): boolean {
  return answer === "not_found" || REFUSALS.has(answer) || isSoftRefusal === true || isUnexplained === true;
}

const UNDECIDED: DecoyFinding = { answer: "temporary_error", confidence: 0 };

function decoyFinding({
  answer,
  isSoftRefusal,
  isUnexplained,
  isSelective,
  reply,
  mxHost,
  isAboutUs,
  refusedSinceMs,
  retryAfterSeconds,
  confidence,
}: DecoyReply): DecoyFinding {
  const source = {
    ...(reply ? { reply } : {}),
    ...(mxHost ? { mxHost } : {}),
    ...(isSelective ? { isSelective } : {}),
    ...(isAboutUs ? { isAboutUs } : {}),
    ...(refusedSinceMs ? { refusedSinceMs } : {}),
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  };
  // A server that looks mailboxes up elsewhere refuses an unknown one temporarily at first.
  if (isSoftRefusal) return { ...source, answer: "not_found", confidence: SOFT_REFUSAL_CONFIDENCE };
  if (isUnexplained) return { ...source, answer: "not_found", confidence: UNEXPLAINED_CONFIDENCE };
  const plain = REFUSALS.has(answer) ? "not_found" : answer;
  return { ...source, answer: plain, confidence: confidence ?? CONFIDENCE[plain] ?? 0 };
}
