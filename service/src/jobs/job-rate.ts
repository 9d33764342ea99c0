/** Number of active jobs, and verdicts per second over the last half minute. Sampled at each call. */
import type { System } from "@mailvet/contract";
import type pg from "pg";

export type JobRate = { sample(): Promise<System["jobs"]> };

/** Verdicts are saved every few seconds, so a shorter window is noise. An older sample is discarded. */
const WINDOW_MS = 30_000;
const MAX_AGE_MS = 90_000;

type Sample = { atMs: number; processed: number };

export function createJobRate(pool: Pick<pg.Pool, "query">): JobRate {
  /** Oldest first; the oldest is the baseline. */
  let samples: Sample[] = [];

  return {
    async sample() {
      const [first] = samples;
      const { rows } = await pool.query<Row>(SAMPLE, [first?.atMs ?? null]);
      const { queued, processing, paused, processed, processed_since, now_ms: nowMs } = rows[0]!;
      const elapsedMs = first ? nowMs - first.atMs : Number.POSITIVE_INFINITY;
      const isRecent = elapsedMs > 0 && elapsedMs <= MAX_AGE_MS;
      // Deleting a job in between removes its verdicts from the sum.
      const gained = Math.max(0, processed_since - (first?.processed ?? 0));
      const later = isRecent ? samples.filter(({ atMs }) => nowMs - atMs <= WINDOW_MS) : [];
      samples = [...later, { atMs: nowMs, processed }];
      const rowsPerSecond = isRecent ? Math.round((gained * 10_000) / elapsedMs) / 10 : null;
      return { queued, processing, paused, rows_per_second: rowsPerSecond };
    },
  };
}

type Row = {
  queued: number;
  processing: number;
  paused: number;
  /** Verdicts of active jobs. */
  processed: number;
  /** The same, including jobs that ended since the baseline. */
  processed_since: number;
  now_ms: number;
};

/** Active jobs have no expiry; those that ended recently are few. Both are found by index. */
const SAMPLE = `
select
  count(*) filter (where status = 'queued') as queued,
  count(*) filter (where status = 'processing') as processing,
  count(*) filter (where status = 'paused') as paused,
  coalesce(sum(processed) filter (where expires_at is null), 0)::float8 as processed,
  coalesce(sum(processed), 0)::float8 as processed_since,
  (extract(epoch from statement_timestamp()) * 1000)::float8 as now_ms
from jobs
where erased_at is null
  and (expires_at is null or completed_at > to_timestamp($1::float8 / 1000))`;
