/**
 * Throttle state of one host or provider, and how each session outcome updates it: AIMD back-off and a circuit breaker.
 *
 * The state starts from the provider's profile. A rate-limit reply halves the number of concurrent sessions and doubles
 * the delay between them; every few sessions without one restore a little. A connection that is refused because others
 * are open only shows how many the host takes: that becomes the limit for a long time, without a delay. Several
 * rejections of our IP address, EHLO name or sender in a row open the breaker: from then on the host refuses us, until a
 * session is ok. Each time that it refuses again, the breaker stays open twice as long.
 *
 * Pure: no timers and no clock of its own. Times are milliseconds of whatever clock the caller uses. Waiting for a slot
 * is in host-limiter.ts.
 */

import type { Reply } from "../reply.ts";
import type { ProviderProfile } from "./provider-profile.ts";

export type ThrottleState = {
  /** Concurrent sessions. */
  limit: number;
  /** Delay between the starts of two sessions. */
  delayMs: number;
  nextStartAtMs: number;
  /** Sessions in a row without a rate-limit reply, since the limit last changed; negative while a cap is respected. */
  okSessions: number;
  /** Rejections of us in a row. */
  blocks: number;
  /** While the host refuses us: since when, until when it is left alone, and the reply that opened the breaker last. */
  breaker: { sinceMs: number; untilMs: number; reply: Reply } | undefined;
};

/** Durations, because each thread has a clock of its own. */
export type OpenBreaker = { reply: Reply; openForMs: number; leftMs: number };

/**
 * `ok`: a session without a rate-limit reply. `rate_limited`: 421 or a reply about our rate.
 * `too_many_connections`: the host refuses a connection while so many others are open.
 * `blocked`: our address, EHLO name or sender was rejected.
 */
export type ThrottleEvent =
  | { kind: "ok" }
  | { kind: "rate_limited" }
  | { kind: "too_many_connections"; open: number }
  | { kind: "blocked"; reply: Reply };

const BLOCKS_TO_OPEN = 3;
const BREAKER_MS = 15 * 60 * 1000;
const MAX_BREAKER_MS = 24 * 3600 * 1000;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
const OK_SESSIONS_TO_GROW = 5;
/** A host's cap on connections is tested again after this many sessions. */
const OK_SESSIONS_TO_TEST_CAP = 200;

export function initialThrottleState({ connections, gapMs }: ProviderProfile): ThrottleState {
  return {
    limit: connections,
    delayMs: gapMs,
    nextStartAtMs: Number.NEGATIVE_INFINITY,
    okSessions: 0,
    blocks: 0,
    breaker: undefined,
  };
}

export function nextThrottleState(
  was: ThrottleState,
  event: ThrottleEvent,
  profile: ProviderProfile,
  nowMs: number,
): ThrottleState {
  switch (event.kind) {
    case "rate_limited": {
      const delayMs = Math.min(MAX_DELAY_MS, Math.max(FIRST_DELAY_MS, was.delayMs * 2));
      const nextStartAtMs = Math.max(was.nextStartAtMs, nowMs + delayMs);
      return { ...was, okSessions: 0, limit: Math.max(1, Math.floor(was.limit / 2)), delayMs, nextStartAtMs };
    }
    case "too_many_connections":
      return {
        ...was,
        okSessions: -OK_SESSIONS_TO_TEST_CAP,
        limit: Math.max(1, Math.min(was.limit, event.open)),
      };
    case "ok": {
      const okSessions = was.okSessions + 1;
      const unblocked = { ...was, okSessions, blocks: 0, breaker: undefined };
      if (okSessions % OK_SESSIONS_TO_GROW !== 0) return unblocked;
      return {
        ...unblocked,
        okSessions: Math.min(0, okSessions),
        limit: okSessions > 0 ? Math.min(profile.connections, was.limit + 1) : was.limit,
        delayMs: Math.max(profile.gapMs, was.delayMs <= FIRST_DELAY_MS ? 0 : was.delayMs / 2),
      };
    }
    case "blocked": {
      if (openBreakerOf(was, nowMs)) return was; // a session that was open already
      // The count survives the breaker: once it has closed, a single further rejection opens it again.
      const blocks = was.blocks + 1;
      if (blocks < BLOCKS_TO_OPEN) return { ...was, blocks };
      const breakerMs = Math.min(MAX_BREAKER_MS, BREAKER_MS * 2 ** (blocks - BLOCKS_TO_OPEN));
      const sinceMs = was.breaker?.sinceMs ?? nowMs;
      return { ...was, blocks, breaker: { sinceMs, untilMs: nowMs + breakerMs, reply: event.reply } };
    }
  }
}

/** Undefined unless the breaker is open. */
export function openBreakerOf({ breaker }: ThrottleState, nowMs: number): OpenBreaker | undefined {
  if (!breaker || nowMs >= breaker.untilMs) return undefined;
  const { reply, sinceMs, untilMs } = breaker;
  return { reply, openForMs: nowMs - sinceMs, leftMs: untilMs - nowMs };
}

/** Whether the state is back at what the profile allows. */
export function isUnthrottled(
  { limit, delayMs, blocks, breaker }: ThrottleState,
  profile: ProviderProfile,
): boolean {
  return limit >= profile.connections && delayMs <= profile.gapMs && blocks === 0 && breaker === undefined;
}
