/** Retry delays of webhook deliveries. */
export type RetrySchedule = {
  /** Delay after the first attempt, the second …; one more failed attempt ends the series. */
  delaysMs: readonly number[];
  /** No attempt starts later than this after the first was due. */
  maxAgeMs: number;
};

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

/** Just under a day in total, jitter included. */
export const RETRY_SCHEDULE: RetrySchedule = {
  delaysMs: [
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    8 * HOUR_MS,
    6 * HOUR_MS,
  ],
  maxAgeMs: 24 * HOUR_MS,
};

/** Each delay is extended by up to this fraction, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

/** The attempts made so far. */
export type AttemptSeries = { startedAt: Date; attempts: number };

/** Time of the next attempt; undefined: the delivery has failed for good. */
export function nextAttemptAt(
  { delaysMs, maxAgeMs }: RetrySchedule,
  { startedAt, attempts }: AttemptSeries,
  failedAt: Date,
  random: () => number = Math.random,
): Date | undefined {
  const delayMs = delaysMs[attempts - 1];
  if (delayMs === undefined) return undefined;
  const nextMs = failedAt.getTime() + delayMs * (1 + JITTER * random());
  return nextMs <= startedAt.getTime() + maxAgeMs ? new Date(nextMs) : undefined;
}
