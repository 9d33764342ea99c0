/**
 * Circuit breaker: after some consecutive failures it opens for a minute, so that a dead endpoint costs checks nothing. Then
 * it is half-open: one request may try, the others are refused until that ends.
 *
 * Times are passed in, in milliseconds of any monotonic clock.
 */
export class Breaker {
  #failures = 0;
  #openUntilMs = Number.NEGATIVE_INFINITY;
  #isHalfOpen = false;

  isOpen(nowMs: number): boolean {
    return this.#isHalfOpen || nowMs < this.#openUntilMs;
  }

  /** Whether to ask now. An admitted request has to report its end by `failed` or `succeeded`. */
  admit(nowMs: number): boolean {
    if (this.isOpen(nowMs)) return false;
    this.#isHalfOpen = this.#failures >= FAILURES_IN_A_ROW;
    return true;
  }

  /** How long the breaker opens by this failure; undefined when it does not, or is open already. */
  failed(nowMs: number, retryAfterMs = 0): number | undefined {
    this.#isHalfOpen = false;
    this.#failures++;
    const wasOpen = this.isOpen(nowMs);
    const ownMs = this.#failures >= FAILURES_IN_A_ROW ? PAUSE_MS : 0;
    const pauseMs = Math.min(Math.max(ownMs, retryAfterMs), MAX_PAUSE_MS);
    this.#openUntilMs = Math.max(this.#openUntilMs, nowMs + pauseMs);
    return pauseMs > 0 && !wasOpen ? pauseMs : undefined;
  }

  succeeded(): void {
    this.#isHalfOpen = false;
    this.#failures = 0;
  }

  pauseLeftMs(nowMs: number): number {
    return Math.max(0, this.#openUntilMs - nowMs);
  }
}

const FAILURES_IN_A_ROW = 3;
const PAUSE_MS = 60_000;
/** Whatever Retry-After says. */
const MAX_PAUSE_MS = 10 * 60_000;
