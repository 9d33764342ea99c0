/**
 * Throttled mail hosts and providers of a single process, for the operator.
 *
 * A single process keeps throttle state inside the engine. This mirrors it: each limiter is wrapped, and every event also
 * updates a copy of the state.
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

const MAX_HOSTS = 20_000;

/** `paceFor` creates the limiter that is wrapped. */
export function createThrottleReport(paceFor: HostLimiterFor): ThrottleReport {
  /** Throttled hosts only; times are milliseconds since 1970. */
  const states = new LRUCache<string, ThrottleState>({ max: MAX_HOSTS });

  const update = (key: string, profile: ProviderProfile, event: ThrottleEvent) => {
    const was = states.get(key);
    if (!was && event.kind === "quiet") return;
    const is = nextThrottleState(was ?? initialThrottleState(profile), event, profile, Date.now());
    if (isUnthrottled(is, profile)) states.delete(key);
    else states.set(key, is);
  };

  return {
    paceFor(key, profile) {
      states.delete(key); // a new limiter starts without throttling
      return new ObservedLimiter(paceFor(key, profile), (event) => update(key, profile, event));
    },
    list() {
      const nowMs = Date.now();
      return [...states]
        .sort(([a, one], [b, other]) => compareStates(one, other, nowMs) || (a < b ? -1 : 1))
        .slice(0, MAX_PACES_SHOWN)
        .map(([key, state]) => presentThrottle(key, state, nowMs));
    },
  };
}

/** Open breakers first, then the slowest. */
function compareStates(one: ThrottleState, other: ThrottleState, nowMs: number): number {
  const isOpen = (state: ThrottleState) => Number(breakerOf(state, nowMs) !== undefined);
  return (
    isOpen(other) - isOpen(one) ||
    other.refusals - one.refusals ||
    other.restMs - one.restMs ||
    one.limit - other.limit
  );
}

/** A limiter whose events are also reported. */
class ObservedLimiter implements HostLimiter {
  readonly #limiter: HostLimiter;
  readonly #onEvent: (event: ThrottleEvent) => void;

  constructor(limiter: HostLimiter, onEvent: (event: ThrottleEvent) => void) {
    this.#limiter = limiter;
    this.#onEvent = onEvent;
  }

  get limit() {
    return this.#limiter.limit;
  }
  get restLeftMs() {
    return this.#limiter.restLeftMs;
  }
  get openBreaker() {
    return this.#limiter.openBreaker;
  }
  get isCrowded() {
    return this.#limiter.isCrowded;
  }
  get isUrgentlyWanted() {
    return this.#limiter.isUrgentlyWanted;
  }
  enter(givingUp?: AbortSignal, isUrgent?: () => boolean): Promise<boolean> {
    return this.#limiter.enter(givingUp, isUrgent);
  }
  leave(): void {
    this.#limiter.leave();
  }
  slowDown(): void {
    this.#limiter.slowDown();
    this.#onEvent({ kind: "complaint" });
  }
  wentWell(): void {
    this.#limiter.wentWell();
    this.#onEvent({ kind: "quiet" });
  }
  refusedUs(reply: Reply): void {
    this.#limiter.refusedUs(reply);
    this.#onEvent({ kind: "refusal", reply });
  }
}
