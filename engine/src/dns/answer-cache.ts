/**
 * DNS answer cache: keeps answers for their TTL within limits, and merges concurrent queries for the same record.
 *
 * Bounded in entries and in bytes, least recently used first: a hostile zone may publish 64 KB of TXT records per
 * name.
 */
import { LRUCache } from "lru-cache";
import { type DnsAnswer, isFailure, type RecordType } from "./dns-answer.ts";

export type AnswerCache = {
  /** The cached answer, or the result of `query`; concurrent callers share one query. The key contains the type. */
  resolve<T extends RecordType>(key: string, query: () => Promise<DnsAnswer<T>>): Promise<DnsAnswer<T>>;
  /** Cached answers, expired ones included. */
  readonly size: number;
};

export type AnswerCacheOptions = {
  maxAnswers?: number;
  maxSizeBytes?: number;
  /** The clock, in milliseconds. */
  now?: () => number;
};

/** TTL limits per kind of answer. */
const TTL_LIMITS_SECONDS = {
  answer: { min: 30, max: 3600 },
  negative: { min: 30, max: 300 },
  failure: { min: 15, max: 15 },
} as const;

export function createAnswerCache({
  maxAnswers = 50_000,
  maxSizeBytes = 32 * 1024 * 1024,
  now = () => performance.now(),
}: AnswerCacheOptions = {}): AnswerCache {
  // An answer counts at least its share of the bytes: that bounds their number too, and allocates nothing (lru-limit.ts).
  const minSizeBytes = Math.floor(maxSizeBytes / maxAnswers);
  const entries = new LRUCache<string, { answer: DnsAnswer; expiresAtMs: number }>({
    maxSize: maxSizeBytes,
    sizeCalculation: ({ answer }, key) => Math.max(minSizeBytes, sizeBytesOf(answer) + key.length),
  });
  const inFlight = new Map<string, Promise<DnsAnswer>>();

  const lookUp = (key: string, query: () => Promise<DnsAnswer>): Promise<DnsAnswer> => {
    const pending = query().then(
      (answer) => {
        inFlight.delete(key);
        if (answer.status === "closed") return answer;
        const ttlSeconds = cacheTtlSeconds(answer);
        entries.set(key, { answer, expiresAtMs: now() + ttlSeconds * 1000 });
        return withTtl(answer, ttlSeconds);
      },
      (error: unknown) => {
        inFlight.delete(key);
        throw error;
      },
    );
    inFlight.set(key, pending);
    return pending;
  };

  const resolve = (key: string, query: () => Promise<DnsAnswer>): Promise<DnsAnswer> => {
    const known = entries.get(key);
    const remainingMs = known ? known.expiresAtMs - now() : 0;
    if (known && remainingMs > 0)
      return Promise.resolve(withTtl(known.answer, Math.ceil(remainingMs / 1000)));
    return inFlight.get(key) ?? lookUp(key, query);
  };

  return {
    resolve: resolve as AnswerCache["resolve"],
    get size() {
      return entries.size;
    },
  };
}

function cacheTtlSeconds(answer: DnsAnswer): number {
  if (isFailure(answer)) return TTL_LIMITS_SECONDS.failure.max;
  const { min, max } = answer.status === "answer" ? TTL_LIMITS_SECONDS.answer : TTL_LIMITS_SECONDS.negative;
  return Math.min(max, Math.max(min, answer.ttlSeconds));
}

function withTtl(answer: DnsAnswer, ttlSeconds: number): DnsAnswer {
  return isFailure(answer) ? answer : { ...answer, ttlSeconds };
}

/** Approximate memory use; close enough to keep the sum bounded. */
function sizeBytesOf(answer: DnsAnswer): number {
  if (answer.status !== "answer") return 100;
  const textLength = (record: (typeof answer.records)[number]) =>
    typeof record === "string" ? record.length : record.exchange.length;
  return answer.records.reduce((bytes, record) => bytes + 64 + textLength(record), 200);
}
