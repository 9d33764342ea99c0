/**
 * Host limiters of an engine thread. The slots are in the calling thread (limiter-server.ts): acquire, release and record
 * are messages, and what can be read of a limiter is the state that was last received.
 */
import { LRUCache } from "lru-cache";
import { entriesUpTo } from "../base/lru-limit.ts";
import type { HostLimiter, HostLimiterFor } from "../smtp/throttle/host-limiter.ts";
import type { ProviderProfile } from "../smtp/throttle/provider-profile.ts";
import {
  initialThrottleState,
  nextThrottleState,
  type OpenBreaker,
  openBreakerOf,
  type ThrottleEvent,
  type ThrottleState,
} from "../smtp/throttle/throttle-state.ts";
import type { FromThread, LimiterState } from "./messages.ts";

type Send = (message: FromThread) => void;
type Wait = {
  limiter: RemoteLimiter;
  isInteractive(): boolean;
  /** As the calling thread knows it. */
  wasInteractive: boolean;
  grant(): void;
};

const MAX_LIMITERS = 20_000;
/** An open breaker is believed this long. Then the next acquire brings its state again. */
const BREAKER_BELIEVED_MS = 60_000;

export class RemoteLimiters {
  readonly #send: Send;
  readonly #limiters = new LRUCache<string, RemoteLimiter>({ ...entriesUpTo(MAX_LIMITERS) });
  readonly #waits = new Map<number, Wait>();
  #interactiveWaits = 0;
  #lastId = 0;

  constructor(send: Send) {
    this.#send = send;
  }

  readonly limiterFor: HostLimiterFor = (key, profile) =>
    new RemoteLimiter(key, profile, this.#send, (limiter, signal, isInteractive) =>
      this.#acquire(limiter, signal, isInteractive),
    );

  grant(id: number, key: string, state: LimiterState): void {
    const wait = this.#forget(id);
    if (!wait) {
      this.#send({ type: "release", key }); // cancelled while the slot was granted
      return;
    }
    wait.limiter.update(state);
    wait.grant();
  }

  update(key: string, state: LimiterState): void {
    this.#limiters.peek(key)?.update(state);
  }

  /**
   * Tells the calling thread which waiters have become interactive, or no longer are. `hasUrgent`: an urgent probe is in
   * progress, without which none can have become so.
   */
  updatePriorities(hasUrgent: boolean): void {
    if (!hasUrgent && this.#interactiveWaits === 0) return;
    for (const [id, wait] of this.#waits) {
      const isInteractive = wait.isInteractive();
      if (isInteractive === wait.wasInteractive) continue;
      wait.wasInteractive = isInteractive;
      this.#interactiveWaits += isInteractive ? 1 : -1;
      this.#send({ type: "reprioritise", id, isInteractive });
    }
  }

  #acquire(
    limiter: RemoteLimiter,
    signal: AbortSignal | undefined,
    isInteractive: () => boolean,
  ): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    const id = ++this.#lastId;
    const { key, profile } = limiter;
    this.#limiters.set(key, limiter); // may have been evicted since it was created
    return new Promise((resolve) => {
      const cancel = () => {
        this.#forget(id);
        this.#send({ type: "cancel", id });
        resolve(false);
      };
      const grant = () => {
        signal?.removeEventListener("abort", cancel);
        resolve(true);
      };
      signal?.addEventListener("abort", cancel, { once: true });
      const wasInteractive = isInteractive();
      if (wasInteractive) this.#interactiveWaits++;
      this.#waits.set(id, { limiter, isInteractive, wasInteractive, grant });
      this.#send({ type: "acquire", id, key, profile, isInteractive: wasInteractive });
    });
  }

  #forget(id: number): Wait | undefined {
    const wait = this.#waits.get(id);
    this.#waits.delete(id);
    if (wait?.wasInteractive) this.#interactiveWaits--;
    return wait;
  }
}

type Acquire = (
  limiter: RemoteLimiter,
  signal: AbortSignal | undefined,
  isInteractive: () => boolean,
) => Promise<boolean>;

class RemoteLimiter implements HostLimiter {
  readonly key: string;
  readonly profile: ProviderProfile;
  readonly #send: Send;
  readonly #acquire: Acquire;
  #state: LimiterState;
  #receivedAtMs = 0;
  /** From the events of this thread alone; bridges the time until the calling thread's state arrives. */
  #predicted: ThrottleState;

  constructor(key: string, profile: ProviderProfile, send: Send, acquire: Acquire) {
    this.key = key;
    this.profile = profile;
    this.#send = send;
    this.#acquire = acquire;
    this.#predicted = initialThrottleState(profile);
    this.#state = {
      limit: profile.connections,
      delayLeftMs: 0,
      openBreaker: undefined,
      hasWaiters: false,
      hasInteractiveWaiter: false,
    };
  }

  update(state: LimiterState): void {
    this.#state = state;
    this.#receivedAtMs = performance.now();
  }

  get limit(): number {
    return this.#state.limit;
  }

  get delayLeftMs(): number {
    const { delayLeftMs } = this.#state;
    return delayLeftMs <= 0 ? 0 : Math.max(0, delayLeftMs - this.#ageMs);
  }

  get openBreaker(): OpenBreaker | undefined {
    const { openBreaker } = this.#state;
    const ageMs = this.#ageMs;
    if (!openBreaker || ageMs >= Math.min(openBreaker.leftMs, BREAKER_BELIEVED_MS)) return undefined;
    const { reply, openForMs, leftMs } = openBreaker;
    return { reply, openForMs: openForMs + ageMs, leftMs: leftMs - ageMs };
  }

  get hasWaiters(): boolean {
    return this.#state.hasWaiters;
  }

  get hasInteractiveWaiter(): boolean {
    return this.#state.hasInteractiveWaiter;
  }

  acquire(signal?: AbortSignal, isInteractive: () => boolean = () => false): Promise<boolean> {
    return this.#acquire(this, signal, isInteractive);
  }

  release(): void {
    this.#send({ type: "release", key: this.key });
  }

  record(event: ThrottleEvent): void {
    this.#send({ type: "record", key: this.key, event });
    const nowMs = performance.now();
    const predicted = nextThrottleState(this.#predicted, event, this.profile, nowMs);
    this.#predicted = predicted;
    if (event.kind === "ok") return;
    this.update({
      ...this.#state,
      limit: Math.min(this.#state.limit, predicted.limit),
      delayLeftMs: Math.max(this.delayLeftMs, predicted.nextStartAtMs - nowMs),
      openBreaker: this.openBreaker ?? openBreakerOf(predicted, nowMs),
    });
  }

  get #ageMs(): number {
    return performance.now() - this.#receivedAtMs;
  }
}
