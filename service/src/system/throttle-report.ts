/**
 * How one process gets along with mail hosts and providers, written down for the operator to see.
 *
 * Where a process works alone, each host's pace is kept by the engine, which tells nobody. The book hears of every lesson
 * on its way there and draws the same conclusions from it.
 */
import { type HostPace, MAX_PACES_SHOWN } from "@mailvet/contract";
import {
  breakerOf,
  type HostLimiter,
  type HostLimiterFor,
  initialThrottleState,
  isUnthrottled,
  nextThrottleState,
  type ProviderProfile,
  type Reply,
  type ThrottleEvent,
  type ThrottleState,
} from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import { presentThrottle } from "./shared-throttle-report.ts";

export type ThrottleReport = {
  paceFor: HostLimiterFor;
  /** The worst first. */
  list(): HostPace[];
};

const MOST_REMEMBERED = 20_000;

/** `paceFor` makes the pace that is really kept. */
export function createThrottleReport(paceFor: HostLimiterFor): ThrottleReport {
  /** Those that made themselves felt; times are milliseconds since 1970. */
  const standings = new LRUCache<string, ThrottleState>({ max: MOST_REMEMBERED });

  const learn = (key: string, profile: ProviderProfile, lesson: ThrottleEvent) => {
    const was = standings.get(key);
    if (!was && lesson.kind === "quiet") return;
    const is = nextThrottleState(was ?? initialThrottleState(profile), lesson, profile, Date.now());
    if (isUnthrottled(is, profile)) standings.delete(key);
    else standings.set(key, is);
  };

  return {
    paceFor(key, profile) {
      standings.delete(key); // whoever asks for a pace begins anew
      return new OverheardPace(paceFor(key, profile), (lesson) => learn(key, profile, lesson));
    },
    list() {
      const nowMs = Date.now();
      return [...standings]
        .sort(([a, one], [b, other]) => compareStandings(one, other, nowMs) || (a < b ? -1 : 1))
        .slice(0, MAX_PACES_SHOWN)
        .map(([key, standing]) => presentThrottle(key, standing, nowMs));
    },
  };
}

/** Those who will not have us, then those who want us slow. */
function compareStandings(one: ThrottleState, other: ThrottleState, nowMs: number): number {
  const isOpen = (standing: ThrottleState) => Number(breakerOf(standing, nowMs) !== undefined);
  return (
    isOpen(other) - isOpen(one) ||
    other.refusals - one.refusals ||
    other.restMs - one.restMs ||
    one.limit - other.limit
  );
}

/** A pace whose lessons somebody else hears of, too. */
class OverheardPace implements HostLimiter {
  readonly #pace: HostLimiter;
  readonly #hear: (lesson: ThrottleEvent) => void;

  constructor(pace: HostLimiter, hear: (lesson: ThrottleEvent) => void) {
    this.#pace = pace;
    this.#hear = hear;
  }

  get limit() {
    return this.#pace.limit;
  }
  get restLeftMs() {
    return this.#pace.restLeftMs;
  }
  get openBreaker() {
    return this.#pace.openBreaker;
  }
  get isCrowded() {
    return this.#pace.isCrowded;
  }
  get isUrgentlyWanted() {
    return this.#pace.isUrgentlyWanted;
  }
  enter(givingUp?: AbortSignal, isUrgent?: () => boolean): Promise<boolean> {
    return this.#pace.enter(givingUp, isUrgent);
  }
  leave(): void {
    this.#pace.leave();
  }
  slowDown(): void {
    this.#pace.slowDown();
    this.#hear({ kind: "complaint" });
  }
  wentWell(): void {
    this.#pace.wentWell();
    this.#hear({ kind: "quiet" });
  }
  refusedUs(reply: Reply): void {
    this.#pace.refusedUs(reply);
    this.#hear({ kind: "refusal", reply });
  }
}
