/**
 * What sessions have learned about each mail host: the protocol features it supports, how many recipients it takes, and
 * which of its addresses gave no answer. Kept in bounded caches and forgotten after a while.
 *
 * Counts and limits only. How many refusals to expect, by host and domain, is in refusal-estimate.ts, concurrency and delays
 * in throttle-state.ts, starting values in provider-profile.ts; when a limit applies is decided in session-runner.ts.
 */
import { LRUCache } from "lru-cache";
import { entriesFor } from "../../base/lru-limit.ts";
import type { ProviderProfile } from "./provider-profile.ts";
import { type AnswerCount, RefusalEstimate, Spread } from "./refusal-estimate.ts";

export type LearnedLimits = {
  startTls: boolean;
  pipelining: boolean;
  /** EHLO works; otherwise HELO is sent. */
  ehlo: boolean;
  recipientsPerSession: number;
  recipientsPerTransaction: number;
  /**
   * Refused recipients in one session: undefined for the number of the profile. It grows until the host slows down, ends
   * a session or refuses everything; then it is known.
   */
  refusalsPerSession?: number;
  isRefusalLimitKnown: boolean;
  /** Recipients that the host answers within the time of one batch. */
  recipientsPerBatch: number;
  /** Recipients of different domains must not share a transaction. */
  oneDomainPerTransaction: boolean;
  /** It has refused a recipient without a reason: such a refusal counts only beside an acceptance. */
  refusesWithoutReason: boolean;
  /** How many recipients of a batch it will refuse. */
  refusals: RefusalEstimate;
  /** The most recipients and refusals in one session after which the host still distinguished mailboxes. */
  reliableUpTo: { recipients: number; refusals: number };
  /** The last recipient that the host accepted, exempt ones excluded. If it is refused later, the host refuses everything. */
  knownGood?: KnownMailbox;
  /** Another one, accepted before it. */
  knownBefore?: KnownMailbox;
  /** The known mailbox that was refused, until the host accepts one again: its refusals prove nothing meanwhile. */
  doubted?: KnownMailbox;
  /** How often the host ended a session early, and where it last did so without a word. */
  cutOffs: number;
  hangUpAt?: { recipients: number; refusals: number };
  /** Sessions since then that ended normally at the limit. */
  okSessionsAtLimit: number;
  /** Sessions in a row without a single answer. */
  sessionsWithoutAnswer: number;
};

export type KnownMailbox = { recipient: string; smtpUtf8: boolean; domain: string; isRole: boolean };

/**
 * Mailboxes that a server has to accept (RFC 5321, 4.5.1), or that operators commonly exempt from filters. One that refuses
 * every other recipient still accepts them, so they prove nothing.
 */
const EXEMPT_FROM_FILTERS = /^(?:postmaster|abuse)@/i;

export function isExemptFromFilters({ recipient }: Pick<KnownMailbox, "recipient">): boolean {
  return EXEMPT_FROM_FILTERS.test(recipient);
}

/** Every server tolerates this many unknown users. */
const ALWAYS_RELIABLE_UP_TO = { recipients: 10, refusals: 3 };

const MAX_HOSTS = 20_000;
const MAX_DOMAINS = 50_000;
const FORGET_AFTER_MS = 3600 * 1000; // the cause may be temporary: a load peak, a maintenance window
const RETRY_FAILED_ADDRESS_AFTER_MS = 60_000;

/** How an address failed, as the answer of a finding. */
export type AddressFailure = "unreachable" | "egress_blocked" | "timeout" | "protocol_error" | "rate_limited";

export type HostLimits = {
  /** The limits of a host, for the caller to update. */
  of(host: string): LearnedLimits;
  /** An address without any answer is not tried again for a while, so that it delays no further request. */
  markFailed(address: string, failure: AddressFailure): void;
  failureOf(address: string): AddressFailure | undefined;
  /** The host has greylisted a recipient. */
  markGreylisting(host: string): void;
  isGreylisting(host: string): boolean;
};

export function createHostLimits(): HostLimits {
  const limits = new LRUCache<string, LearnedLimits>(entriesFor(FORGET_AFTER_MS, MAX_HOSTS));
  const failures = new LRUCache<string, AddressFailure>(entriesFor(RETRY_FAILED_ADDRESS_AFTER_MS, MAX_HOSTS));
  const domains = new LRUCache<string, AnswerCount>(entriesFor(FORGET_AFTER_MS, MAX_DOMAINS));
  const spread = new Spread();
  const greylisting = new LRUCache<string, true>(entriesFor(FORGET_AFTER_MS, MAX_HOSTS));
  return {
    of(host) {
      const known = limits.get(host);
      if (known) return known;
      const fresh = unlimited(new RefusalEstimate(domains, spread));
      limits.set(host, fresh);
      return fresh;
    },
    markFailed: (address, failure) => void failures.set(address, failure),
    failureOf: (address) => failures.get(address),
    markGreylisting: (host) => void greylisting.set(host, true),
    isGreylisting: (host) => greylisting.has(host),
  };
}

function unlimited(refusals: RefusalEstimate): LearnedLimits {
  return {
    startTls: true,
    pipelining: true,
    ehlo: true,
    recipientsPerSession: Number.POSITIVE_INFINITY,
    recipientsPerTransaction: Number.POSITIVE_INFINITY,
    recipientsPerBatch: Number.POSITIVE_INFINITY,
    isRefusalLimitKnown: false,
    oneDomainPerTransaction: false,
    refusesWithoutReason: false,
    refusals,
    reliableUpTo: { ...ALWAYS_RELIABLE_UP_TO },
    cutOffs: 0,
    okSessionsAtLimit: 0,
    sessionsWithoutAnswer: 0,
  };
}

type RefusalProfile = Pick<ProviderProfile, "refusalsPerSession" | "maxRefusalsPerSession">;

/** Refused recipients that a session may have. */
export function refusalBudget(limits: LearnedLimits, { refusalsPerSession }: RefusalProfile): number {
  return limits.refusalsPerSession ?? refusalsPerSession;
}

/** A session has used its budget, and the host still answered as before: the next one may have more. */
export function recordRefusalsTolerated(limits: LearnedLimits, profile: RefusalProfile): void {
  if (limits.isRefusalLimitKnown) return;
  const grown = Math.ceil(refusalBudget(limits, profile) * 1.5);
  limits.refusalsPerSession = Math.min(grown, profile.maxRefusalsPerSession);
}

/** The host reacted to so many refusals in one session. That never raises the number. */
export function recordRefusalLimit(limits: LearnedLimits, refusals: number, profile: RefusalProfile): void {
  limits.refusalsPerSession = Math.max(1, Math.min(refusals - 1, refusalBudget(limits, profile)));
  limits.isRefusalLimitKnown = true;
}

/** Whether a hang-up came after as many refusals as the one before, but not after as many recipients. */
export function isHangUpByRefusals(limits: LearnedLimits, recipients: number, refusals: number): boolean {
  const last = limits.hangUpAt;
  limits.hangUpAt = { recipients, refusals };
  return refusals > 1 && last?.refusals === refusals && last.recipients !== recipients;
}

export function recordAccepted(
  limits: LearnedLimits,
  { recipient, smtpUtf8, domain, isRole }: KnownMailbox,
): void {
  if (limits.knownGood && limits.knownGood.recipient !== recipient) limits.knownBefore = limits.knownGood;
  limits.knownGood = { recipient, smtpUtf8, domain, isRole };
  delete limits.doubted;
}

/** A known mailbox that is asked for itself may have been deleted: its refusal says nothing about other mailboxes. */
export function recordRefused(limits: LearnedLimits, recipient: string): void {
  if (limits.knownBefore?.recipient === recipient) delete limits.knownBefore;
  if (limits.knownGood?.recipient !== recipient) return;
  delete limits.knownGood;
  if (limits.knownBefore) limits.knownGood = limits.knownBefore;
  delete limits.knownBefore;
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
