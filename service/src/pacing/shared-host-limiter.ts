/**
 * Host limiter shared by all processes: a session may start when this process has a lease for it.
 *
 * Waiting sessions of this process are served in order. A lease is passed from one session to the next without a query, as
 * long as no other process waits for it and no gap between sessions is due.
 */
import {
  type HostLimiter,
  isUnthrottled,
  type OpenBreaker,
  openBreakerOf,
  type ProviderProfile,
  SlotWaiters,
  type ThrottleEvent,
} from "@mailvet/engine";
import type { LeaseClient, LeaseHolder } from "./lease-client.ts";
import type { Demand, LeaseRequest, LeaseResponse } from "./lease-sql.ts";
import type { ThrottleStore } from "./throttle-store.ts";

export type SharedHostLimiterDeps = {
  leases: LeaseClient;
  throttles: ThrottleStore;
  /** Whether notifications of waiting processes arrive. */
  isListening(): boolean;
  /** Called when it becomes used or unused; unused limiters are dropped. */
  onUse(pace: SharedHostLimiter, isInUse: boolean): void;
};

export class SharedHostLimiter implements HostLimiter, LeaseHolder {
  readonly key: string;
  readonly #profile: ProviderProfile;
  readonly #deps: SharedHostLimiterDeps;
  readonly #waiters = new SlotWaiters();
  /** Numbers of the leases in use, and of those not yet in use. */
  readonly #taken: number[] = [];
  readonly #spare: number[] = [];
  /**
   * Sessions without a lease: admitted while the breaker is open, where they end at once; or running while their lease went
   * to another process because the heartbeat of this one had expired.
   */
  #leaseless = 0;
  #isWaiting = false;
  #demand: Demand = "none";
  #waiterSeenAtMs = 0;

  constructor(deps: SharedHostLimiterDeps, key: string, profile: ProviderProfile) {
    this.#deps = deps;
    this.key = key;
    this.#profile = profile;
  }

  get limit(): number {
    const { connections } = this.#profile;
    return Math.min(connections, this.#deps.throttles.of(this.key)?.limit ?? connections);
  }

  get delayLeftMs(): number {
    const nextStartAtMs = this.#deps.throttles.of(this.key)?.nextStartAtMs ?? 0;
    return Math.max(0, nextStartAtMs - performance.now());
  }

  get openBreaker(): OpenBreaker | undefined {
    const state = this.#deps.throttles.of(this.key);
    return state && openBreakerOf(state, performance.now());
  }

  get hasWaiters(): boolean {
    return this.#waiters.count > 0 || this.#demand !== "none";
  }

  get hasInteractiveWaiter(): boolean {
    return this.#demand === "urgent" || this.#waiters.hasInteractive;
  }

  acquire(givingUp?: AbortSignal, isUrgent?: () => boolean): Promise<boolean> {
    const entered = this.#waiters.wait(givingUp, { isInteractive: isUrgent, onAbort: () => this.serve() });
    this.serve(isUrgent?.() === true);
    return entered;
  }

  release(): void {
    if (this.#leaseless > 0) this.#leaseless--;
    else this.#handOver(this.#taken.pop()!);
    this.serve();
  }

  /** An `ok` changes nothing where nothing was throttled, and is not written. */
  record(event: ThrottleEvent): void {
    const state = this.#deps.throttles.of(this.key);
    if (event.kind === "ok" && (!state || isUnthrottled(state, this.#profile))) return;
    this.#deps.throttles.record(this.key, this.#profile, event);
  }

  request(): LeaseRequest | undefined {
    const wanted = this.#wanted;
    if (wanted <= 0) return undefined;
    const { connections: most, gapMs } = this.#profile;
    return { key: this.key, most, gapMs, wanted, isUrgent: this.#waiters.hasInteractive };
  }

  receive({ numbers, restLeftMs, isWaiting, demand }: LeaseResponse, askedAtMs: number): void {
    this.#spare.push(...numbers);
    this.#isWaiting = isWaiting;
    this.noteDemand(demand, askedAtMs);
    this.#deps.throttles.rests(this.key, restLeftMs);
    this.serve();
  }

  /** Another process has this lease. The session that uses it here continues, and none follows. */
  lose(number: number): void {
    const index = this.#taken.indexOf(number);
    if (index < 0) return;
    this.#taken.splice(index, 1);
    this.#leaseless++;
    this.serve();
  }

  /** Demand of other processes at the time of the request, unless a later notification is known. */
  noteDemand(demand: Demand, askedAtMs: number): void {
    if (this.#waiterSeenAtMs < askedAtMs || demand === "urgent") this.#demand = demand;
  }

  /** Another process has started to wait. */
  noteWaiter(demand: Demand): void {
    this.#waiterSeenAtMs = performance.now();
    if (this.#demand !== "urgent") this.#demand = demand;
  }

  /** Admits sessions, and requests missing leases. */
  serve(isDue = false): void {
    while (this.#waiters.count > 0 && this.openBreaker) {
      this.#leaseless++;
      this.#waiters.grantNext();
    }
    while (this.#waiters.count > 0 && this.#spare.length > 0) {
      this.#taken.push(this.#spare.pop()!);
      this.#waiters.grantNext();
    }
    for (const number of this.#spare.splice(0)) this.#deps.leases.release({ key: this.key, number });
    if (this.#wanted > 0) {
      this.#deps.leases.apply(this, isDue);
    } else if (this.#isWaiting) {
      this.#isWaiting = false;
      this.#deps.leases.cancelWait(this.key);
    }
    const isInUse = this.#waiters.count > 0 || this.#taken.length > 0 || this.#leaseless > 0;
    this.#deps.onUse(this, isInUse);
    if (!isInUse) this.#demand = "none";
  }

  /** Leases to request: one per waiting session, up to the limit. */
  get #wanted(): number {
    const room = this.limit - this.#taken.length - this.#spare.length - this.#leaseless;
    return Math.min(room, this.#waiters.count - this.#spare.length);
  }

  #handOver(number: number): void {
    const restMs = this.#deps.throttles.of(this.key)?.delayMs ?? this.#profile.gapMs;
    const isKept =
      this.#waiters.count > 0 &&
      this.#taken.length < this.limit &&
      this.#demand === "none" &&
      restMs <= 0 &&
      this.#deps.isListening();
    if (isKept) this.#spare.push(number);
    else this.#deps.leases.release({ key: this.key, number });
  }
}
