/** When a delivery that did not arrive is tried again, and when no more. */
export type RetrySchedule = {
  /** Between one attempt and the next; with one attempt more than there are gaps it has failed. */
  gapsMs: readonly number[];
  /** No attempt is begun later than this after the first was due. */
  patienceMs: number;
};

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

/** Almost a day in all, whatever the jitter adds. */
export const RETRY_SCHEDULE: RetrySchedule = {
  gapsMs: [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 8 * HOUR_MS, 6 * HOUR_MS],
  patienceMs: 24 * HOUR_MS,
};

/** Each gap is up to so much longer, so that what failed together does not come back together. */
const JITTER = 0.1;

/** What has happened so far in a series of attempts. */
export type Series = { startedAt: Date; attempts: number };

/** When the next attempt is made after one that failed at this moment; undefined: it has failed for good. */
export function nextAttemptAt(
  { gapsMs, patienceMs }: RetrySchedule,
  { startedAt, attempts }: Series,
  failedAt: Date,
  random: () => number = Math.random,
): Date | undefined {
  const gapMs = gapsMs[attempts - 1];
  if (gapMs === undefined) return undefined;
  const nextMs = failedAt.getTime() + gapMs * (1 + JITTER * random());
  return nextMs <= startedAt.getTime() + patienceMs ? new Date(nextMs) : undefined;
}
