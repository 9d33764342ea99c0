/**
 * How we stand with a mail host or a provider, and how what it lets us feel changes that.
 *
 * It starts from the provider's profile. A complaint (421, a rate reply) halves the number of sessions and doubles the
 * rest between them; every few quiet sessions give a little back. When they refuse us outright, time after time, a
 * breaker opens: asking on would only make it worse. Pure; times are milliseconds of whatever clock the caller has.
 */
import type { ProviderProfile } from "./provider-profile.ts";
import type { Reply } from "./reply.ts";

export type ThrottleState = {
  /** Sessions at once. */
  limit: number;
  /** Rest between two sessions. */
  restMs: number;
  nextStartAtMs: number;
  /** Sessions in a row without a complaint. */
  quiet: number;
  /** How often they refused us in a row. */
  refusals: number;
  /** The breaker is open until then, and this reply tripped it. */
  tripped: { untilMs: number; reply: Reply } | undefined;
};

/** What a session has let us feel: they complained, they did not, or they will not have us at all. */
export type ThrottleEvent = { kind: "complaint" } | { kind: "quiet" } | { kind: "refusal"; reply: Reply };

const REFUSALS_TO_TRIP = 3;
const BREAKER_MS = 15 * 60 * 1000;
const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 60_000;
const QUIET_SESSIONS_TO_GROW = 5;

export function initialThrottleState({ connections, gapMs }: ProviderProfile): ThrottleState {
  return {
    limit: connections,
    restMs: gapMs,
    nextStartAtMs: Number.NEGATIVE_INFINITY,
    quiet: 0,
    refusals: 0,
    tripped: undefined,
  };
}

export function nextThrottleState(
  was: ThrottleState,
  lesson: ThrottleEvent,
  profile: ProviderProfile,
  nowMs: number,
): ThrottleState {
  switch (lesson.kind) {
    case "complaint": {
      const restMs = Math.min(LONGEST_REST_MS, Math.max(FIRST_REST_MS, was.restMs * 2));
      const nextStartAtMs = Math.max(was.nextStartAtMs, nowMs + restMs);
      return { ...was, quiet: 0, limit: Math.max(1, Math.floor(was.limit / 2)), restMs, nextStartAtMs };
    }
    case "quiet": {
      const calm = { ...was, refusals: 0, tripped: undefined };
      if (was.quiet + 1 < QUIET_SESSIONS_TO_GROW) return { ...calm, quiet: was.quiet + 1 };
      return {
        ...calm,
        quiet: 0,
        limit: Math.min(profile.connections, was.limit + 1),
        restMs: Math.max(profile.gapMs, was.restMs <= FIRST_REST_MS ? 0 : was.restMs / 2),
      };
    }
    case "refusal": {
      const refusals = was.refusals + 1; // not forgotten when the breaker closes: then one more opens it again
      if (refusals < REFUSALS_TO_TRIP) return { ...was, refusals };
      return { ...was, refusals, tripped: { untilMs: nowMs + BREAKER_MS, reply: lesson.reply } };
    }
  }
}

/** The reply that tripped the breaker, while it is open. */
export function breakerOf({ tripped }: ThrottleState, nowMs: number): Reply | undefined {
  return tripped && nowMs < tripped.untilMs ? tripped.reply : undefined;
}

/** Whether nothing is left of what we were made to feel. */
export function isUnthrottled(
  { limit, restMs, refusals, tripped }: ThrottleState,
  profile: ProviderProfile,
): boolean {
  return limit >= profile.connections && restMs <= profile.gapMs && refusals === 0 && tripped === undefined;
}
