/**
 * Greylisting: a client, sender and recipient seen together for the first time are asked to come back.
 *
 * The three are remembered as long as the server lives, up to a bound.
 */
import type { Temperament } from "../temperament.ts";

const MAX_TRIPLETS = 200_000;

export function greylists(options: { delayMs: number }): Temperament {
  const firstSeenMs = new Map<string, number>();
  return {
    on: {
      rcpt(visit) {
        const triplet = JSON.stringify([visit.client, visit.sender, visit.address.toLowerCase()]);
        const nowMs = performance.now();
        const sinceMs = firstSeenMs.get(triplet);
        if (sinceMs !== undefined && nowMs - sinceMs >= options.delayMs) return undefined;
        if (sinceMs === undefined) remember(triplet, nowMs);
        return { reply: visit.say("greylisted") };
      },
    },
  };

  function remember(triplet: string, nowMs: number): void {
    const [oldest] = firstSeenMs.keys();
    if (firstSeenMs.size >= MAX_TRIPLETS && oldest !== undefined) firstSeenMs.delete(oldest);
    firstSeenMs.set(triplet, nowMs);
  }
}
