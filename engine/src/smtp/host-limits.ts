/**
 * What stays at a mail host have taught us: how it likes to be talked to, how much it takes, and whether it
 * can be reached at all. Bounded; what is not used for long is forgotten.
 */
import { LRUCache } from "lru-cache";

export type LearnedLimits = {
  encrypt: boolean;
  pipeline: boolean;
  /** It bears EHLO. */
  extended: boolean;
  recipientsPerSession: number;
  recipientsPerTransaction: number;
  /** How many recipients it answers within one round's time. */
  recipientsPerRound: number;
  /** It takes recipients of one domain at a time. */
  oneDomainPerTransaction: boolean;
  /** How many of its latest answers were refusals. */
  recentlyAsked: number;
  recentlyRefused: number;
  /** After so many recipients, and so many refusals, in one session it still told mailboxes apart. */
  honestAfter: { recipients: number; refusals: number };
  /** A recipient that it accepted; if it no longer does, it has turned on us. */
  knownGood?: { recipient: string; smtpUtf8: boolean };
  /** How often it cut us off, and sessions since then that stayed within the limit. */
  cutOffs: number;
  quietSessionsAtLimit: number;
  /** Sessions in a row that brought not one answer. */
  barrenSessions: number;
};

/** So many unknown users every server puts up with. */
const HONEST_AT_LEAST_AFTER = { recipients: 10, refusals: 3 };

const MAX_HOSTS = 20_000;
const FORGET_AFTER_MS = 3600 * 1000; // a host in a bad mood may be in a better one by then
const RETRY_DEAD_ADDRESS_AFTER_MS = 60_000;

/** How an address failed us, in the words of a finding. */
export type DeadAs = "unreachable" | "timeout" | "protocol_error" | "rate_limited";

export type HostLimits = {
  lesson(host: string): LearnedLimits;
  /** An address that gave us no answer at all is left alone for a while, so that it costs its neighbours nothing. */
  markDead(address: string, as: DeadAs): void;
  deadAs(address: string): DeadAs | undefined;
};

export function createHostLimits(): HostLimits {
  const lessons = new LRUCache<string, LearnedLimits>({ max: MAX_HOSTS, ttl: FORGET_AFTER_MS });
  const dead = new LRUCache<string, DeadAs>({
    max: MAX_HOSTS,
    ttl: RETRY_DEAD_ADDRESS_AFTER_MS,
  });
  return {
    lesson(host) {
      const known = lessons.get(host);
      if (known) return known;
      const fresh: LearnedLimits = {
        encrypt: true,
        pipeline: true,
        extended: true,
        recipientsPerSession: Number.POSITIVE_INFINITY,
        recipientsPerTransaction: Number.POSITIVE_INFINITY,
        recipientsPerRound: Number.POSITIVE_INFINITY,
        oneDomainPerTransaction: false,
        recentlyAsked: 0,
        recentlyRefused: 0,
        honestAfter: { ...HONEST_AT_LEAST_AFTER },
        cutOffs: 0,
        quietSessionsAtLimit: 0,
        barrenSessions: 0,
      };
      lessons.set(host, fresh);
      return fresh;
    },
    markDead: (address, as) => void dead.set(address, as),
    deadAs: (address) => dead.get(address),
  };
}
