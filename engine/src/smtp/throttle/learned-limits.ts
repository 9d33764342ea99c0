/**
 * What sessions have learned about each mail host: the protocol features it supports, how many recipients it takes, how many
 * it refuses, and which of its addresses gave no answer. Kept in bounded caches and forgotten after a while.
 *
 * Counts and limits only. Whether the host tells mailboxes apart is in host-memory.ts, concurrency and delays in
 * throttle-state.ts, starting values in provider-profile.ts; when a limit applies is decided in session-budget.ts.
 */
import { LRUCache } from "lru-cache";
import { entriesFor } from "../../base/lru-limit.ts";
import type { DomainAnswers, HostMemory } from "./host-memory.ts";
import type { ProviderProfile } from "./provider-profile.ts";

export type AnswerCount = { asked: number; refused: number };

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
  /** Batches of the size that is allowed now, answered without a complaint: the next ones may be larger (batch-table.ts). */
  batchesAnswered: number;
  /** The last mailboxes, and the last made-up names. */
  recent: { mailboxes: AnswerCount; madeUp: AnswerCount };
  /** How often the host ended a session early, and where it last did so without a word. */
  cutOffs: number;
  hangUpAt?: { recipients: number; refusals: number };
  /** Sessions since then that ended normally at the limit. */
  okSessionsAtLimit: number;
  /** Sessions in a row without a single answer. */
  sessionsWithoutAnswer: number;
};

const MAX_HOSTS = 20_000;
const MAX_DOMAINS = 50_000;
const REMEMBER_MS = 24 * 3600 * 1000;
const FORGET_AFTER_MS = 3600 * 1000; // the cause may be temporary: a load peak, a maintenance window
const RETRY_FAILED_ADDRESS_AFTER_MS = 60_000;

/** How an address failed, as the answer of a finding. */
export type AddressFailure =
  | "unreachable"
  | "egress_blocked"
  | "timeout"
  | "protocol_error"
  | "rate_limited"
  | "untrusted";

export type HostLimits = {
  /** The limits of a host, for the caller to update. */
  of(host: string): LearnedLimits;
  /** Whether the host tells mailboxes apart. */
  memoryOf(host: string): HostMemory;
  domainAnswers(host: string, domain: string): DomainAnswers;
  /** An address without any answer is not tried again for a while, so that it delays no further request. */
  markFailed(address: string, failure: AddressFailure): void;
  failureOf(address: string): AddressFailure | undefined;
  /** The host has greylisted a recipient. */
  markGreylisting(host: string): void;
  isGreylisting(host: string): boolean;
};

/** `createMemory` is called where nothing is known of a host, or no longer. */
export function createHostLimits(createMemory: (host: string) => HostMemory): HostLimits {
  const limits = new LRUCache<string, LearnedLimits>(entriesFor(FORGET_AFTER_MS, MAX_HOSTS));
  const memories = new LRUCache<string, HostMemory>({
    ...entriesFor(REMEMBER_MS, MAX_HOSTS),
    updateAgeOnGet: true,
  });
  const failures = new LRUCache<string, AddressFailure>(entriesFor(RETRY_FAILED_ADDRESS_AFTER_MS, MAX_HOSTS));
  const domains = new LRUCache<string, DomainAnswers>(entriesFor(REMEMBER_MS, MAX_DOMAINS));
  const greylisting = new LRUCache<string, true>(entriesFor(FORGET_AFTER_MS, MAX_HOSTS));
  return {
    of: (host) => entryOf(limits, host, unlimited),
    memoryOf: (host) => entryOf(memories, host, () => createMemory(host)),
    domainAnswers: (host, domain) =>
      entryOf(domains, `${host} ${domain}`, () => ({
        madeUp: "unasked",
        madeUpNames: 0,
        asked: 0,
        refused: 0,
      })),
    markFailed: (address, failure) => void failures.set(address, failure),
    failureOf: (address) => failures.get(address),
    markGreylisting: (host) => void greylisting.set(host, true),
    isGreylisting: (host) => greylisting.has(host),
  };
}

function entryOf<Entry extends object>(
  cache: LRUCache<string, Entry>,
  key: string,
  create: () => Entry,
): Entry {
  const known = cache.get(key);
  if (known) return known;
  const fresh = create();
  cache.set(key, fresh);
  return fresh;
}

function unlimited(): LearnedLimits {
  return {
    startTls: true,
    pipelining: true,
    ehlo: true,
    recipientsPerSession: Number.POSITIVE_INFINITY,
    recipientsPerTransaction: Number.POSITIVE_INFINITY,
    recipientsPerBatch: Number.POSITIVE_INFINITY,
    isRefusalLimitKnown: false,
    oneDomainPerTransaction: false,
    batchesAnswered: 0,
    // Where nothing is known: one in five of the mailboxes, and nearly all made-up names.
    recent: { mailboxes: { asked: 10, refused: 2 }, madeUp: { asked: 10, refused: 9 } },
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

const RECENT_RECIPIENTS = 400;

/** The share of mailboxes that the host refuses. */
export function refusalShare({ recent: { mailboxes } }: Pick<LearnedLimits, "recent">): number {
  return mailboxes.refused / mailboxes.asked;
}

export function recordAnswer(count: AnswerCount, isRefused: boolean): void {
  count.asked++;
  if (isRefused) count.refused++;
  if (count.asked < RECENT_RECIPIENTS) return;
  count.asked /= 2;
  count.refused /= 2;
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
