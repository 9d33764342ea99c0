/**
 * Limits concurrent sessions to one host or provider and the delay between their starts: slots are acquired, waited for
 * in order of priority, and released.
 *
 * `HostLimiter` is what the host pool and its sessions use. `LocalHostLimiter` limits one process; a deployment of
 * several processes supplies an implementation that they share (service/src/pacing/). How rate-limit replies and
 * rejections change the limits is in throttle-state.ts; what is sent in a session is in session-runner.ts. Why it is not
 * a library: docs/decisions/0003-own-smtp-client-and-host-throttling.md.
 */

import type { ProviderProfile } from "./provider-profile.ts";
import {
  initialThrottleState,
  nextThrottleState,
  type OpenBreaker,
  openBreakerOf,
  type ThrottleEvent,
  type ThrottleState,
} from "./throttle-state.ts";

export type HostLimiter = {
  /** Concurrent sessions currently allowed. */
  readonly limit: number;
  /** How long until the next session may start. */
  readonly delayLeftMs: number;
  readonly openBreaker: OpenBreaker | undefined;
  /** A slot is waited for, so an idle session should release its own. */
  readonly hasWaiters: boolean;
  /** One of the waiters is interactive, so a session that only has batch requests should release its slot. */
  readonly hasInteractiveWaiter: boolean;
  /** Waits for a slot; false when `signal` aborts first. Every true is followed by one release. */
  acquire(signal?: AbortSignal, isInteractive?: () => boolean): Promise<boolean>;
  release(): void;
  /** Updates the throttle state with the outcome of a session. */
  record(event: ThrottleEvent): void;
};

/** Returns the limiter for all sessions to `key`: a host, or a provider with all its hosts. */
export type HostLimiterFor = (key: string, profile: ProviderProfile) => HostLimiter;

export class LocalHostLimiter implements HostLimiter {
  readonly #profile: ProviderProfile;
  readonly #waiters = new SlotWaiters();
  #sessions = 0;
  #state: ThrottleState;
  #timer: NodeJS.Timeout | undefined;

  constructor(profile: ProviderProfile) {
    this.#profile = profile;
    this.#state = initialThrottleState(profile);
  }

  get limit(): number {
    return this.#state.limit;
  }

  get delayLeftMs(): number {
    return Math.max(0, this.#state.nextStartAtMs - performance.now());
  }

  get openBreaker(): OpenBreaker | undefined {
    return openBreakerOf(this.#state, performance.now());
  }

  get hasWaiters(): boolean {
    return this.#waiters.count > 0;
  }

  get hasInteractiveWaiter(): boolean {
    return this.#waiters.hasInteractive;
  }

  acquire(signal?: AbortSignal, isInteractive?: () => boolean): Promise<boolean> {
    const isFree = this.#waiters.count === 0 && this.#sessions < this.limit && this.delayLeftMs === 0;
    if (isFree && !signal?.aborted) {
      this.#start();
      return Promise.resolve(true);
    }
    const onAbort = () => {
      // A delay may be long; without waiters its timer must not keep the process alive.
      if (this.#waiters.count === 0) this.#stopTimer();
    };
    const acquired = this.#waiters.wait(signal, { isInteractive, onAbort });
    this.#grant();
    return acquired;
  }

  release(): void {
    this.#sessions--;
    this.#grant();
  }

  record(event: ThrottleEvent): void {
    this.#state = nextThrottleState(this.#state, event, this.#profile, performance.now());
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #grant(): void {
    while (this.#waiters.count > 0 && this.#sessions < this.limit) {
      const wait = this.delayLeftMs;
      // While the breaker is open no session starts, so there is nothing to delay.
      if (wait > 0 && !this.openBreaker) {
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined;
          this.#grant();
        }, wait);
        return;
      }
      this.#start();
      this.#waiters.grantNext();
    }
  }

  #start(): void {
    this.#sessions++;
    this.#state.nextStartAtMs = performance.now() + this.#state.delayMs;
  }
}

/** Both are asked when a slot is free: a batch request may become interactive while it waits. */
type Waiter = {
  grant(): void;
  isInteractive(): boolean;
  isUrgent(): boolean;
  /** Called before a grant from the reserve. */
  onReserve(): void;
};

export type WaiterOptions = {
  isInteractive?: (() => boolean) | undefined;
  /** Interactive requests are; where the limiter says so, others too. */
  isUrgent?: () => boolean;
  onAbort?: () => void;
  onReserve?: () => void;
};

/** So many waiters are searched for an urgent one once in a while only: it costs more than the grant itself. */
const MANY_WAITERS = 64;
const SEARCH_EVERY_MS = 40;

/** Waiters for a slot: urgent before others, first come first served within each, as far as PriorityOrder allows. */
export class SlotWaiters {
  readonly #waiting: Waiter[] = [];
  readonly #order = new PriorityOrder();
  #searchAgainAtMs = Number.NEGATIVE_INFINITY;

  get count(): number {
    return this.#waiting.length;
  }

  get hasInteractive(): boolean {
    return this.#waiting.some((waiter) => waiter.isInteractive());
  }

  /** Resolves to true when granted, to false when `signal` aborts first; then `onAbort` is called. */
  wait(
    signal: AbortSignal | undefined,
    { isInteractive = () => false, isUrgent = isInteractive, onAbort, onReserve = () => {} }: WaiterOptions,
  ): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const grant = () => {
        signal?.removeEventListener("abort", abort);
        resolve(true);
      };
      const waiter = { grant, isInteractive, isUrgent, onReserve };
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        resolve(false);
        onAbort?.();
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.push(waiter);
      if (isUrgent()) this.#searchAgainAtMs = Number.NEGATIVE_INFINITY;
    });
  }

  /** Grants a slot to the longest waiter of the class that is next. */
  grantNext(): void {
    const isBatchNext = this.#order.isBatchNext;
    const first = isBatchNext ? this.#waiting.findIndex((waiter) => !waiter.isUrgent()) : this.#firstUrgent();
    const [waiter] = this.#waiting.splice(Math.max(0, first), 1);
    this.#order.served(waiter!.isUrgent() && !isBatchNext ? "interactive" : "batch");
    waiter!.grant();
  }

  /** Grants a slot of the reserve, which only interactive requests may use; false when none waits. */
  grantReserve(): boolean {
    const first = this.#waiting.findIndex((waiter) => waiter.isInteractive());
    if (first < 0) return false;
    const [waiter] = this.#waiting.splice(first, 1);
    waiter!.onReserve();
    waiter!.grant();
    return true;
  }

  #firstUrgent(): number {
    const isLong = this.#waiting.length > MANY_WAITERS;
    if (isLong && performance.now() < this.#searchAgainAtMs) return -1;
    const first = this.#waiting.findIndex((waiter) => waiter.isUrgent());
    this.#searchAgainAtMs = first < 0 ? performance.now() + SEARCH_EVERY_MS : Number.NEGATIVE_INFINITY;
    return first;
  }
}

const MAX_INTERACTIVE_IN_A_ROW = 3;

/** Interactive before batch, but after three turns without any batch request the next is theirs: no starvation. */
export class PriorityOrder {
  #interactiveInARow = 0;

  get isBatchNext(): boolean {
    return this.#interactiveInARow >= MAX_INTERACTIVE_IN_A_ROW;
  }

  /** `batch` when at least one batch request was served in the turn. */
  served(priority: "interactive" | "batch"): void {
    this.#interactiveInARow = priority === "batch" ? 0 : this.#interactiveInARow + 1;
  }
}
