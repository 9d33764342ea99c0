/**
 * How many lookups the name servers take at once.
 *
 * Some refuse queries beyond a number of open ones: dnsmasq from 150 on, Docker's resolver from 1,024. What is refused for
 * that reason is answered a moment later. If so, the number that was open at the refusal is the capacity for a while.
 */

/** Fewer lookups overload no server, and no capacity is lower. */
const MIN_CAPACITY = 32;
const REMEMBERED_MS = 60_000;

export class ServerLoad {
  /** Lookups that have not ended. */
  running = 0;
  /** Of them, those that wait for a better time to ask. */
  paused = 0;
  /** False if there was no answer when something was refused twice, with a pause between. */
  hasAnswered: boolean | undefined;
  #capacity = Number.POSITIVE_INFINITY;
  #rememberedUntilMs = 0;

  /** Lookups with a query at a server. */
  get open(): number {
    return this.running - this.paused;
  }

  get capacity(): number {
    if (this.#capacity !== Number.POSITIVE_INFINITY && performance.now() > this.#rememberedUntilMs) {
      this.#capacity = Number.POSITIVE_INFINITY;
    }
    return this.#capacity;
  }

  /** Otherwise a refusal is due to the name, or to the client. */
  get mayBeOverloaded(): boolean {
    return this.hasAnswered !== false && this.running >= MIN_CAPACITY;
  }

  /** A query was answered that had been refused when `open` others were open. */
  onAnswerAfterRefusal(open: number): void {
    this.#capacity = Math.max(MIN_CAPACITY, Math.min(this.capacity, open));
    this.#rememberedUntilMs = performance.now() + REMEMBERED_MS;
  }
}
