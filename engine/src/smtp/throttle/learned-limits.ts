/**
 * What sessions have learned about each mail host: the protocol features it supports, how many recipients it takes, and
 * which of its addresses gave no answer. Kept in bounded caches and forgotten after a while.
 *
 * Counts and limits only. Concurrency and delays are in throttle-state.ts, starting values in provider-profile.ts; when
 * a limit applies is decided in session-runner.ts.
 */
import { LRUCache } from "lru-cache";

export type LearnedLimits = {
  /** Connections of this process that are open or being opened, and those of them that the host has accepted. */
  connections: number;
  sessions: number;
  startTls: boolean;
  pipelining: boolean;
  /** EHLO works; otherwise HELO is sent. */
  ehlo: boolean;
  recipientsPerSession: number;
  recipientsPerTransaction: number;
  /** Recipients that the host answers within the time of one batch. */
  recipientsPerBatch: number;
  /** Recipients of different domains must not share a transaction. */
  oneDomainPerTransaction: boolean;
  /** Recent recipients, decoys excluded, and how many of them were refused. */
  recentRecipients: number;
  recentRefusals: number;
  /** The most recipients and refusals in one session after which the host still distinguished mailboxes. */
  reliableUpTo: { recipients: number; refusals: number };
  /** A recipient that the host accepted. If it is refused later, the host refuses everything. */
  knownGood?: { recipient: string; smtpUtf8: boolean };
  /** How often the host ended a session early. */
  cutOffs: number;
  /** Sessions since then that ended normally at the limit. */
  okSessionsAtLimit: number;
  /** Sessions in a row without a single answer. */
  sessionsWithoutAnswer: number;
};

/** Every server tolerates this many unknown users. */
const ALWAYS_RELIABLE_UP_TO = { recipients: 10, refusals: 3 };

const MAX_HOSTS = 20_000;
const FORGET_AFTER_MS = 3600 * 1000; // the cause may be temporary: a load peak, a maintenance window
const RETRY_FAILED_ADDRESS_AFTER_MS = 60_000;

/** How an address failed, as the answer of a finding. */
export type AddressFailure = "unreachable" | "timeout" | "protocol_error" | "rate_limited";

export type HostLimits = {
  /** The limits of a host, for the caller to update. */
  of(host: string): LearnedLimits;
  /** An address without any answer is not tried again for a while, so that it delays no further request. */
  markFailed(address: string, failure: AddressFailure): void;
  failureOf(address: string): AddressFailure | undefined;
};

export function createHostLimits(): HostLimits {
  const limits = new LRUCache<string, LearnedLimits>({ max: MAX_HOSTS, ttl: FORGET_AFTER_MS });
  const failures = new LRUCache<string, AddressFailure>({
    max: MAX_HOSTS,
    ttl: RETRY_FAILED_ADDRESS_AFTER_MS,
  });
  return {
    of(host) {
      const known = limits.get(host);
      if (known) return known;
      const fresh = unlimited();
      limits.set(host, fresh);
      return fresh;
    },
    markFailed: (address, failure) => void failures.set(address, failure),
    failureOf: (address) => failures.get(address),
  };
}

function unlimited(): LearnedLimits {
  return {
    connections: 0,
    sessions: 0,
    startTls: true,
    pipelining: true,
    ehlo: true,
    recipientsPerSession: Number.POSITIVE_INFINITY,
    recipientsPerTransaction: Number.POSITIVE_INFINITY,
    recipientsPerBatch: Number.POSITIVE_INFINITY,
    oneDomainPerTransaction: false,
    recentRecipients: 0,
    recentRefusals: 0,
    reliableUpTo: { ...ALWAYS_RELIABLE_UP_TO },
    cutOffs: 0,
    okSessionsAtLimit: 0,
    sessionsWithoutAnswer: 0,
  };
}

/** Pessimistic at first: a host without any answer so far may refuse every recipient. */
export function refusalShareOf({ recentRecipients, recentRefusals }: LearnedLimits): number {
  return (recentRefusals + 1) / (recentRecipients + 1);
}

/**
 * Upper estimate of the refusals in a batch: all decoys, and of the targets the share that the host has refused so far
 * plus four standard deviations. Postfix delays every reply by a second after the tenth error, which costs more than
 * several round trips.
 */
export function likelyRefusals(limits: LearnedLimits, targets: number, decoys: number): number {
  const share = refusalShareOf(limits);
  return decoys + targets * share + 4 * Math.sqrt(targets * share * (1 - share));
}

const RECENT_RECIPIENTS = 200;

export function recordAnswer(limits: LearnedLimits, isRefused: boolean): void {
  limits.recentRecipients++;
  if (isRefused) limits.recentRefusals++;
  if (limits.recentRecipients < RECENT_RECIPIENTS) return;
  limits.recentRecipients /= 2;
  limits.recentRefusals /= 2;
}

/** Whether so many recipients and refusals in one session are beyond what the host is known to answer reliably. */
export function isBeyondReliable(
  { reliableUpTo }: LearnedLimits,
  recipients: number,
  refusals: number,
): boolean {
  return recipients >= reliableUpTo.recipients || refusals >= reliableUpTo.refusals;
}

/** The host distinguished mailboxes after so many recipients and refusals in one session. */
export function recordReliable({ reliableUpTo }: LearnedLimits, recipients: number, refusals: number): void {
  reliableUpTo.recipients = Math.max(reliableUpTo.recipients, recipients);
  reliableUpTo.refusals = Math.max(reliableUpTo.refusals, refusals);
}

/** Cut-offs from which the limit counts as the host's rule. */
const CUT_OFFS_OF_A_RULE = 2;
const OK_SESSIONS_TO_GROW = 5;

/** The host ended a session after so many recipients. `isRule`: a 421, a timeout or a lost trust, not a mere hang-up. */
export function recordCutOff(limits: LearnedLimits, recipients: number, isRule: boolean): void {
  limits.recipientsPerSession = recipients;
  limits.cutOffs += isRule ? CUT_OFFS_OF_A_RULE : 1;
}

/**
 * Raises the recipient limit after normal sessions that reached it. A limit that was a rule grows slowly; one from a
 * single hang-up was probably an accident and is soon gone.
 */
export function recordOkSession(limits: LearnedLimits, recipients: number): void {
  if (recipients < limits.recipientsPerSession) return;
  const isRule = limits.cutOffs >= CUT_OFFS_OF_A_RULE;
  if (++limits.okSessionsAtLimit < (isRule ? OK_SESSIONS_TO_GROW : 2)) return;
  limits.okSessionsAtLimit = 0;
  limits.recipientsPerSession = Math.ceil(limits.recipientsPerSession * (isRule ? 1.5 : 4));
}
