/**
 * Host limiters for the engine threads: grants slots at mail hosts, and passes on what can be read of a limiter.
 *
 * All slots of this process are granted here, so the limit of a host holds whichever threads have sessions there. The
 * thread's side is remote-limiter.ts.
 */
import { LRUCache } from "lru-cache";
import { entriesUpTo } from "../base/lru-limit.ts";
import type { HostLimiter, HostLimiterFor } from "../smtp/throttle/host-limiter.ts";
import { LocalHostLimiter } from "../smtp/throttle/host-limiter.ts";
import type { LimiterMessage, LimiterState, ToThread } from "./messages.ts";

type ServedLimiter = {
  key: string;
  limiter: HostLimiter;
  /** Slots granted, and waiters. It is not forgotten while there are any. */
  uses: number;
  /** The state that each thread knows. */
  views: Map<LimiterClient, LimiterState & { sentAtMs: number }>;
};

const MAX_IDLE = 20_000;
/** Limiters shared with other processes change without a message of a thread. */
const LOOK_EVERY_MS = 100;
/** Shorter delays are waited for anyway (host-pool.ts), so a thread need not know them exactly. */
const NEGLIGIBLE_DELAY_MS = 500;

export class LimiterServer {
  readonly #limiterFor: HostLimiterFor;
  readonly #areShared: boolean;
  readonly #inUse = new Map<string, ServedLimiter>();
  readonly #idle = new LRUCache<string, ServedLimiter>({ ...entriesUpTo(MAX_IDLE) });
  readonly #changed = new Set<ServedLimiter>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limiterFor: HostLimiterFor | undefined) {
    this.#limiterFor = limiterFor ?? ((_key, profile) => new LocalHostLimiter(profile));
    this.#areShared = limiterFor !== undefined;
  }

  /** The limiter with one more use, until `release`. */
  use(key: string, profile: Parameters<HostLimiterFor>[1]): ServedLimiter {
    const served = this.#inUse.get(key) ??
      this.#idle.get(key) ?? { key, limiter: this.#limiterFor(key, profile), uses: 0, views: new Map() };
    if (served.uses++ === 0) {
      this.#idle.delete(key);
      this.#inUse.set(key, served);
    }
    if (this.#areShared) this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    return served;
  }

  /** A limiter in use. */
  get(key: string): ServedLimiter {
    return this.#inUse.get(key)!;
  }

  unuse(served: ServedLimiter): void {
    if (--served.uses > 0) return;
    this.#inUse.delete(served.key);
    this.#idle.set(served.key, served);
    if (this.#inUse.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Tells the threads, at the end of this event-loop iteration. */
  markChanged(served: ServedLimiter): void {
    if (this.#changed.add(served).size === 1) setImmediate(() => this.#publish());
  }

  #look(): void {
    for (const served of this.#inUse.values()) this.markChanged(served);
  }

  #publish(): void {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const served of changed) {
      const state = stateOf(served.limiter);
      for (const [client, view] of served.views) {
        if (client.isEnded) served.views.delete(client);
        else if (!isSame(view, state)) client.tell(served, state);
      }
    }
  }
}

type SlotWait = { served: ServedLimiter; isInteractive: boolean; cancel: AbortController };

/** The slots and waiters of one thread. */
export class LimiterClient {
  readonly #server: LimiterServer;
  readonly #send: (message: ToThread) => void;
  readonly #waits = new Map<number, SlotWait>();
  readonly #slots = new Map<ServedLimiter, number>();
  #isEnded = false;

  constructor(server: LimiterServer, send: (message: ToThread) => void) {
    this.#server = server;
    this.#send = send;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  receive(message: LimiterMessage): void {
    switch (message.type) {
      case "acquire":
        void this.#acquire(message);
        return;
      case "reprioritise": {
        const wait = this.#waits.get(message.id);
        if (!wait) return;
        wait.isInteractive = message.isInteractive;
        this.#server.markChanged(wait.served);
        return;
      }
      case "cancel":
        this.#waits.get(message.id)?.cancel.abort();
        return;
      case "release":
        this.#release(this.#server.get(message.key));
        return;
      case "record": {
        const served = this.#server.get(message.key);
        served.limiter.record(message.event);
        // The thread has predicted the effect, so it is told in any case.
        if (message.event.kind !== "ok") this.tell(served, stateOf(served.limiter));
        this.#server.markChanged(served);
      }
    }
  }

  tell(served: ServedLimiter, state: LimiterState): void {
    served.views.set(this, { ...state, sentAtMs: performance.now() });
    this.#send({ type: "limiter", key: served.key, state });
  }

  /** The thread has ended: releases its slots, and cancels its waiters. */
  end(): void {
    this.#isEnded = true;
    for (const { cancel } of this.#waits.values()) cancel.abort();
    for (const [served, count] of [...this.#slots]) for (let i = 0; i < count; i++) this.#release(served);
  }

  async #acquire({
    id,
    key,
    profile,
    isInteractive,
  }: Extract<LimiterMessage, { type: "acquire" }>): Promise<void> {
    const served = this.#server.use(key, profile);
    const wait: SlotWait = { served, isInteractive, cancel: new AbortController() };
    this.#waits.set(id, wait);
    this.#server.markChanged(served);
    const isGranted = await served.limiter.acquire(wait.cancel.signal, () => wait.isInteractive);
    this.#waits.delete(id);
    this.#server.markChanged(served);
    if (!isGranted) {
      this.#server.unuse(served);
      return;
    }
    this.#slots.set(served, (this.#slots.get(served) ?? 0) + 1);
    if (this.#isEnded) {
      this.#release(served);
      return;
    }
    const state = stateOf(served.limiter);
    served.views.set(this, { ...state, sentAtMs: performance.now() });
    this.#send({ type: "granted", id, key, state });
  }

  #release(served: ServedLimiter): void {
    const count = this.#slots.get(served)! - 1;
    if (count > 0) this.#slots.set(served, count);
    else this.#slots.delete(served);
    served.limiter.release();
    this.#server.unuse(served);
    this.#server.markChanged(served);
  }
}

function stateOf({ limit, delayLeftMs, openBreaker, hasWaiters, hasInteractiveWaiter }: HostLimiter) {
  return { limit, delayLeftMs, openBreaker, hasWaiters, hasInteractiveWaiter } satisfies LimiterState;
}

function isSame(view: LimiterState & { sentAtMs: number }, state: LimiterState): boolean {
  const ageMs = performance.now() - view.sentAtMs;
  const isSameTime = (viewMs = 0, stateMs = 0) =>
    Math.abs(Math.max(0, viewMs - ageMs) - stateMs) < NEGLIGIBLE_DELAY_MS;
  return (
    view.limit === state.limit &&
    view.hasWaiters === state.hasWaiters &&
    view.hasInteractiveWaiter === state.hasInteractiveWaiter &&
    isSameTime(view.delayLeftMs, state.delayLeftMs) &&
    isSameTime(view.openBreaker?.leftMs, state.openBreaker?.leftMs)
  );
}
