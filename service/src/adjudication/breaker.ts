/**
 * When not to ask: after some failures in a row nobody is asked for a minute, so that a dead endpoint costs checks
 * nothing. Then one request may try; the others wait for how it ends.
 *
 * Times are given by whoever asks, in milliseconds of any steady clock.
 */
export class Breaker {
  #failures = 0;
  #restsUntilMs = Number.NEGATIVE_INFINITY;
  /** One request is out to see whether they are back. */
  #isTrying = false;

  isOpen(nowMs: number): boolean {
    return this.#isTrying || nowMs < this.#restsUntilMs;
  }

  /** Whether to ask now. Whoever is let through tells how it ended. */
  admit(nowMs: number): boolean {
    if (this.isOpen(nowMs)) return false;
    this.#isTrying = this.#failures >= FAILURES_IN_A_ROW;
    return true;
  }

  /** How long the rest is that has just begun; undefined when none has. */
  failed(nowMs: number, comeBackAfterMs = 0): number | undefined {
    this.#isTrying = false;
    this.#failures++;
    const wasOpen = this.isOpen(nowMs);
    const ownMs = this.#failures >= FAILURES_IN_A_ROW ? REST_MS : 0;
    const restMs = Math.min(Math.max(ownMs, comeBackAfterMs), LONGEST_REST_MS);
    this.#restsUntilMs = Math.max(this.#restsUntilMs, nowMs + restMs);
    return restMs > 0 && !wasOpen ? restMs : undefined;
  }

  wentWell(): void {
    this.#isTrying = false;
    this.#failures = 0;
  }

  restLeftMs(nowMs: number): number {
    return Math.max(0, this.#restsUntilMs - nowMs);
  }
}

const FAILURES_IN_A_ROW = 3;
const REST_MS = 60_000;
/** However long they ask us to stay away. */
const LONGEST_REST_MS = 10 * 60_000;
