/**
 * Token buckets: each subject gets so many tokens per minute, with a burst of one minute's worth.
 *
 * In memory; usage-exchange.ts adjusts the level where several processes share a limit. Credits, which must be exact, are
 * counted in the database.
 */
import { entriesUpTo } from "@mailvet/engine";
import { LRUCache } from "lru-cache";

export type TakeResult = {
  isGranted: boolean;
  /** Whole tokens left. */
  remaining: number;
  /** Until the bucket is full again, and until the next whole token. */
  fullInSeconds: number;
  nextInSeconds: number;
};

type Bucket = { tokens: number; filledAtMs: number };
const MINUTE_MS = 60_000;

export class TokenBuckets {
  readonly #buckets: LRUCache<string, Bucket>;

  /** The least recently used subjects are evicted first, and start with a full bucket again. */
  constructor(maxSubjects: number) {
    this.#buckets = new LRUCache(entriesUpTo(maxSubjects));
  }

  /** Sets the level. Negative: so many tokens must be refilled before one is granted. */
  fill(subject: string, tokens: number, nowMs: number): void {
    this.#buckets.set(subject, { tokens, filledAtMs: nowMs });
  }

  take(subject: string, perMinute: number, nowMs: number): TakeResult {
    let bucket = this.#buckets.get(subject);
    if (!bucket) {
      bucket = { tokens: perMinute, filledAtMs: nowMs };
      this.#buckets.set(subject, bucket);
    }
    const refill = ((nowMs - bucket.filledAtMs) * perMinute) / MINUTE_MS;
    bucket.tokens = Math.min(perMinute, bucket.tokens + refill);
    bucket.filledAtMs = nowMs;
    const isGranted = bucket.tokens >= 1;
    if (isGranted) bucket.tokens -= 1;
    const secondsFor = (tokens: number) => Math.ceil((Math.max(0, tokens - bucket.tokens) * 60) / perMinute);
    return {
      isGranted,
      remaining: Math.max(0, Math.floor(bucket.tokens)),
      fullInSeconds: secondsFor(perMinute),
      nextInSeconds: secondsFor(1),
    };
  }
}
