/**
 * Remembers what name servers said, for as long as they said it may be relied on, and asks once at a time.
 *
 * Bounded in entries and in size, the least recently used going first: a stranger may publish 64 KB of TXT
 * records, and there are many strangers.
 */
import { LRUCache } from "lru-cache";
import { type DnsAnswer, isFailure, type RecordType } from "./dns-answer.ts";

export type AnswerCache = {
  /** The remembered answer, or what `ask` finds; all who come while it is asking share its answer. */
  through<T extends RecordType>(
    name: string,
    type: T,
    ask: () => Promise<DnsAnswer<T>>,
  ): Promise<DnsAnswer<T>>;
  /** Answers held, fresh or not. */
  readonly size: number;
};

export type AnswerCacheOptions = {
  maxAnswers?: number;
  maxSizeBytes?: number;
  /** The clock, in milliseconds. */
  now?: () => number;
};

/** How long we keep each kind of answer, whatever its lifetime says. */
const KEPT_SECONDS = {
  answer: { min: 30, max: 3600 },
  negative: { min: 30, max: 300 },
  failure: { min: 15, max: 15 },
} as const;

export function createAnswerCache({
  maxAnswers = 50_000,
  maxSizeBytes = 32 * 1024 * 1024,
  now = () => performance.now(),
}: AnswerCacheOptions = {}): AnswerCache {
  const kept = new LRUCache<string, { answer: DnsAnswer; expiresAtMs: number }>({
    max: maxAnswers,
    maxSize: maxSizeBytes,
    sizeCalculation: ({ answer }, key) => sizeBytesOf(answer) + key.length,
  });
  const asking = new Map<string, Promise<DnsAnswer>>();

  const lookUp = async (key: string, ask: () => Promise<DnsAnswer>): Promise<DnsAnswer> => {
    try {
      const answer = await ask();
      if (answer.status === "closed") return answer;
      const keptSeconds = secondsToKeep(answer);
      kept.set(key, { answer, expiresAtMs: now() + keptSeconds * 1000 });
      return withTtl(answer, keptSeconds);
    } finally {
      asking.delete(key);
    }
  };

  const through = (name: string, type: RecordType, ask: () => Promise<DnsAnswer>): Promise<DnsAnswer> => {
    const key = `${type} ${name}`;
    const known = kept.get(key);
    const remainingMs = (known?.expiresAtMs ?? 0) - now();
    if (known && remainingMs > 0)
      return Promise.resolve(withTtl(known.answer, Math.ceil(remainingMs / 1000)));
    const underWay = asking.get(key) ?? lookUp(key, ask);
    asking.set(key, underWay);
    return underWay;
  };

  return {
    through: through as AnswerCache["through"], // a key holds the type, so what comes out is of the type asked
    get size() {
      return kept.size;
    },
  };
}

function secondsToKeep(answer: DnsAnswer): number {
  if (isFailure(answer)) return KEPT_SECONDS.failure.max;
  const { min, max } = answer.status === "answer" ? KEPT_SECONDS.answer : KEPT_SECONDS.negative;
  return Math.min(max, Math.max(min, answer.ttlSeconds));
}

function withTtl(answer: DnsAnswer, ttlSeconds: number): DnsAnswer {
  return isFailure(answer) ? answer : { ...answer, ttlSeconds };
}

/** About what an answer takes in memory; close enough to keep the sum bounded. */
function sizeBytesOf(answer: DnsAnswer): number {
  if (answer.status !== "answer") return 100;
  const textLength = (record: (typeof answer.records)[number]) =>
    typeof record === "string" ? record.length : record.exchange.length;
  return answer.records.reduce((bytes, record) => bytes + 64 + textLength(record), 200);
}
