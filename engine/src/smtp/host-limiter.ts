/**
 * How many sessions we have at one place at a time, and how soon one follows another.
 *
 * What the exchange and its stays know of it. `LocalPace` keeps it for one process; where several work together,
 * whoever assembles them brings one that all of them share. How complaints and refusals change it is throttle-state.ts.
 */
import type { ProviderProfile } from "./provider-profile.ts";
import type { Reply } from "./reply.ts";
import { SlotWaiters } from "./slot-waiters.ts";
import {
  breakerOf,
  initialThrottleState,
  nextThrottleState,
  type ThrottleEvent,
  type ThrottleState,
} from "./throttle-state.ts";

export type HostLimiter = {
  /** Sessions at once, as things stand. */
  readonly limit: number;
  /** How long the next session has to wait because they complained. */
  readonly restLeftMs: number;
  /** The reply that tripped the breaker, while it is open. */
  readonly openBreaker: Reply | undefined;
  /** Somebody waits for a place that a lingering session could give up. */
  readonly isCrowded: boolean;
  /** Somebody waits for a place in person: whoever only works through a list makes room. */
  readonly isUrgentlyWanted: boolean;
  /** Waits for a place; false when `givingUp` came first. Every true is followed by one leave. */
  enter(givingUp?: AbortSignal, isUrgent?: () => boolean): Promise<boolean>;
  leave(): void;
  /** They complained about how much or how often we ask. */
  slowDown(): void;
  /** A session went by without a complaint. */
  wentWell(): void;
  /** They refused us: our address, our name, our sender. */
  refusedUs(reply: Reply): void;
};

/** The pace of one place, for all sessions at it. `key` names the place: a host, or a provider with all its hosts. */
export type HostLimiterFor = (key: string, profile: ProviderProfile) => HostLimiter;

export class LocalHostLimiter implements HostLimiter {
  readonly #profile: ProviderProfile;
  readonly #visitors = new SlotWaiters();
  #sessions = 0;
  #standing: ThrottleState;
  #timer: NodeJS.Timeout | undefined;

  constructor(profile: ProviderProfile) {
    this.#profile = profile;
    this.#standing = initialThrottleState(profile);
  }

  get limit(): number {
    return this.#standing.limit;
  }

  get restLeftMs(): number {
    return Math.max(0, this.#standing.nextStartAtMs - performance.now());
  }

  get openBreaker(): Reply | undefined {
    return breakerOf(this.#standing, performance.now());
  }

  get isCrowded(): boolean {
    return this.#visitors.count > 0;
  }

  get isUrgentlyWanted(): boolean {
    return this.#visitors.hasUrgent;
  }

  enter(givingUp?: AbortSignal, isUrgent?: () => boolean): Promise<boolean> {
    const entered = this.#visitors.join(givingUp, isUrgent, () => {
      // A rest may be long, and when nobody waits for its end it must not keep the process alive.
      if (this.#visitors.count === 0) this.#stopTimer();
    });
    this.#admit();
    return entered;
  }

  leave(): void {
    this.#sessions--;
    this.#admit();
  }

  slowDown(): void {
    this.#learn({ kind: "complaint" });
  }

  wentWell(): void {
    this.#learn({ kind: "quiet" });
  }

  refusedUs(reply: Reply): void {
    this.#learn({ kind: "refusal", reply });
  }

  #learn(lesson: ThrottleEvent): void {
    this.#standing = nextThrottleState(this.#standing, lesson, this.#profile, performance.now());
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #admit(): void {
    while (this.#visitors.count > 0 && this.#sessions < this.limit) {
      const wait = this.restLeftMs;
      // Behind an open breaker nobody gets to the host, so nobody needs to rest before it.
      if (wait > 0 && !this.openBreaker) {
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined;
          this.#admit();
        }, wait);
        return;
      }
      this.#sessions++;
      this.#standing.nextStartAtMs = performance.now() + this.#standing.restMs;
      this.#visitors.admitNext();
    }
  }
}
