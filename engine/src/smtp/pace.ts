/**
 * How many sessions we have at one place at a time, and how soon one follows another.
 *
 * Starts from the provider's profile. A complaint (421, a rate reply) halves the number of sessions and
 * doubles the rest between them; every quiet session gives a little back. When they refuse us outright,
 * time after time, a breaker opens: asking on would only make it worse.
 */
import { Precedence } from "./precedence.ts";
import type { Profile } from "./profile.ts";
import type { Reply } from "./reply.ts";

const REFUSALS_TO_TRIP = 3;
const BREAKER_MS = 15 * 60 * 1000;
const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 60_000;
const QUIET_SESSIONS_TO_GROW = 5;

/** Somebody who waits for a place. What was in no hurry at first may become urgent while it waits. */
type Visitor = { admit(): void; isUrgent(): boolean };

export class Pace {
  readonly #profile: Profile;
  readonly #waiting: Visitor[] = [];
  readonly #precedence = new Precedence();
  #sessions = 0;
  #limit: number;
  #restMs: number;
  #quiet = 0;
  #nextStart = 0;
  #timer: NodeJS.Timeout | undefined;
  #refusals = 0;
  #tripped: { until: number; reply: Reply } | undefined;

  constructor(profile: Profile) {
    this.#profile = profile;
    this.#limit = profile.connections;
    this.#restMs = profile.gapMs;
  }

  get limit(): number {
    return this.#limit;
  }

  /** How long the next session has to wait because they complained. */
  get restLeftMs(): number {
    return Math.max(0, this.#nextStart - performance.now());
  }

  /** Somebody waits for a place that a lingering session could give up. */
  get isCrowded(): boolean {
    return this.#waiting.length > 0;
  }

  /** Waits for a place; false when `givingUp` came first. Every true is followed by one leave. */
  enter(givingUp?: AbortSignal, isUrgent: () => boolean = () => false): Promise<boolean> {
    if (givingUp?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const admit = () => {
        givingUp?.removeEventListener("abort", stepAside);
        resolve(true);
      };
      const visitor = { admit, isUrgent };
      const stepAside = () => {
        this.#waiting.splice(this.#waiting.indexOf(visitor), 1);
        if (this.#waiting.length === 0) this.#stopTimer();
        resolve(false);
      };
      givingUp?.addEventListener("abort", stepAside, { once: true });
      this.#waiting.push(visitor);
      this.#admit();
    });
  }

  leave(): void {
    this.#sessions--;
    this.#admit();
  }

  /** They complained about how much or how often we ask. */
  slowDown(): void {
    this.#quiet = 0;
    this.#limit = Math.max(1, Math.floor(this.#limit / 2));
    this.#restMs = Math.min(LONGEST_REST_MS, Math.max(FIRST_REST_MS, this.#restMs * 2));
    this.#nextStart = Math.max(this.#nextStart, performance.now() + this.#restMs);
  }

  /** A session went by without a complaint. */
  wentWell(): void {
    this.#refusals = 0;
    this.#tripped = undefined;
    if (++this.#quiet < QUIET_SESSIONS_TO_GROW) return;
    this.#quiet = 0;
    this.#limit = Math.min(this.#profile.connections, this.#limit + 1);
    this.#restMs = Math.max(this.#profile.gapMs, this.#restMs <= FIRST_REST_MS ? 0 : this.#restMs / 2);
  }

  /** They refused us: our address, our name, our sender. */
  refusedUs(reply: Reply): void {
    this.#refusals++;
    if (this.#refusals >= REFUSALS_TO_TRIP) this.#tripped = { until: performance.now() + BREAKER_MS, reply };
  }

  /** The reply that tripped the breaker, while it is open. One session may try again after it has closed. */
  get openBreaker(): Reply | undefined {
    if (!this.#tripped) return undefined;
    if (performance.now() < this.#tripped.until) return this.#tripped.reply;
    this.#tripped = undefined;
    this.#refusals = REFUSALS_TO_TRIP - 1;
    return undefined;
  }

  /** A rest may be long, and when nobody waits for its end it must not keep the process alive. */
  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #admit(): void {
    while (this.#waiting.length > 0 && this.#sessions < this.#limit) {
      const wait = this.#nextStart - performance.now();
      // Behind an open breaker nobody gets to the host, so nobody needs to rest before it.
      if (wait > 0 && !this.openBreaker) {
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined;
          this.#admit();
        }, wait);
        return;
      }
      this.#sessions++;
      this.#nextStart = performance.now() + this.#restMs;
      this.#next().admit();
    }
  }

  /** Takes out whoever's turn it is: of the urgent ones or of the others, the one who has waited longest. */
  #next(): Visitor {
    const isOthersTurn = this.#precedence.isOthersTurn;
    const first = this.#waiting.findIndex((visitor) => visitor.isUrgent() !== isOthersTurn);
    const [visitor] = this.#waiting.splice(Math.max(0, first), 1);
    this.#precedence.had(visitor!.isUrgent() && !isOthersTurn ? "urgent" : "others");
    return visitor!;
  }
}
