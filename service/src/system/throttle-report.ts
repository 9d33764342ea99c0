/**
 * Throttle states of one process's limiters, for the operator page.
 *
 * Mirrors the engine's in-process throttle state: every recorded event passes through here and is applied to a copy.
 * Where several processes share their limiters, shared-throttle-report.ts reads the table instead.
 */
import type { HostPace } from "@mailvet/contract";
import {
  entriesUpTo,
  type HostLimiter,
  type HostLimiterFor,
  initialThrottleState,
  isUnthrottled,
  nextThrottleState,
  openBreakerOf,
  type ProviderProfile,
  partsOfLimiterKey,
  type ThrottleEvent,
  type ThrottleState,
} from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import type { ThrottleCounts } from "./deployment-figures.ts";
import { MAX_PACES, presentThrottle } from "./shared-throttle-report.ts";

export type ThrottleReport = {
  /** Creates limiters whose events are reported. */
  limiterFor: HostLimiterFor;
  /** The most throttled first. */
  list(): HostPace[];
  /** By egress identity. */
  count(): ThrottleCounts[];
};

const MAX_REMEMBERED = 20_000;

/** `createLimiter` creates the limiters that are reported on. */
export function createThrottleReport(createLimiter: HostLimiterFor): ThrottleReport {
  /** Throttled keys only; times are milliseconds since 1970. */
  const states = new LRUCache<string, ThrottleState>({ ...entriesUpTo(MAX_REMEMBERED) });

  const apply = (key: string, profile: ProviderProfile, event: ThrottleEvent) => {
    const was = states.get(key);
    if (!was && event.kind === "ok") return;
    const is = nextThrottleState(was ?? initialThrottleState(profile), event, profile, Date.now());
    if (isUnthrottled(is, profile)) states.delete(key);
    else states.set(key, is);
  };

  return {
    limiterFor(key, profile) {
      states.delete(key); // a new limiter starts unthrottled
      return new ReportedLimiter(createLimiter(key, profile), (event) => apply(key, profile, event));
    },
    list() {
      const nowMs = Date.now();
      return [...states]
        .sort(([a, one], [b, other]) => compareThrottles(one, other, nowMs) || (a < b ? -1 : 1))
        .slice(0, MAX_PACES)
        .map(([key, state]) => presentThrottle(key, state, nowMs));
    },
    count() {
      const nowMs = Date.now();
      const counts = new Map<string, ThrottleCounts>();
      for (const [key, state] of states) {
        const { identity } = partsOfLimiterKey(key);
        const count = counts.get(identity) ?? { identity, throttled: 0, openBreakers: 0 };
        count.throttled++;
        if (openBreakerOf(state, nowMs)) count.openBreakers++;
        counts.set(identity, count);
      }
      return [...counts.values()];
    },
  };
}

/** Open breakers first, then by back-off. */
function compareThrottles(one: ThrottleState, other: ThrottleState, nowMs: number): number {
  const isOpen = (state: ThrottleState) => Number(openBreakerOf(state, nowMs) !== undefined);
  return (
    isOpen(other) - isOpen(one) ||
    other.blocks - one.blocks ||
    other.delayMs - one.delayMs ||
    one.limit - other.limit
  );
}

/** A limiter that passes its events on to a listener. */
class ReportedLimiter implements HostLimiter {
  readonly #limiter: HostLimiter;
  readonly #onEvent: (event: ThrottleEvent) => void;

  constructor(limiter: HostLimiter, onEvent: (event: ThrottleEvent) => void) {
    this.#limiter = limiter;
    this.#onEvent = onEvent;
  }

  get limit() {
    return this.#limiter.limit;
  }
  get delayLeftMs() {
    return this.#limiter.delayLeftMs;
  }
  get openBreaker() {
    return this.#limiter.openBreaker;
  }
  get hasWaiters() {
    return this.#limiter.hasWaiters;
  }
  get hasInteractiveWaiter() {
    return this.#limiter.hasInteractiveWaiter;
  }
  acquire(signal?: AbortSignal, isInteractive?: () => boolean): Promise<boolean> {
    return this.#limiter.acquire(signal, isInteractive);
  }
  release(): void {
    this.#limiter.release();
  }
  record(event: ThrottleEvent): void {
    this.#limiter.record(event);
    this.#onEvent(event);
  }
}
