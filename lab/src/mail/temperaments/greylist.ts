/**
 * Greylisting: a triplet of client, sender and recipient is deferred the first time.
 *
 * Triplets are kept for the lifetime of the server, up to a limit.
 */
import type { Temperament } from "../temperament.ts";

const MAX_TRIPLETS = 200_000;

export function greylists(options: { delayMs: number }): Temperament {
  const firstSeenMs = new Map<string, number>();
  return {
    on: {
      rcpt(session) {
        const triplet = JSON.stringify([session.client, session.sender, session.address.toLowerCase()]);
        const nowMs = performance.now();
        const sinceMs = firstSeenMs.get(triplet);
        if (sinceMs !== undefined && nowMs - sinceMs >= options.delayMs) return undefined;
        if (sinceMs === undefined) remember(triplet, nowMs);
        return { reply: session.reply("greylisted") };
      },
    },
  };

  function remember(triplet: string, nowMs: number): void {
    const [oldest] = firstSeenMs.keys();
    if (firstSeenMs.size >= MAX_TRIPLETS && oldest !== undefined) firstSeenMs.delete(oldest);
    firstSeenMs.set(triplet, nowMs);
  }
}
