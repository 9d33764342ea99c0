/** Number of jobs by status, and verdicts per second over the last half minute (between two reads). */
import type { System } from "@mailvet/contract";
import type pg from "pg";

export type JobRate = { look(): Promise<System["jobs"]> };

/** Verdicts are saved every few seconds, so a shorter window says little. */
const WINDOW_MS = 30_000;
const FORGET_MS = 90_000;

type Look = { atMs: number; processed: number };

export function createJobRate(pool: Pick<pg.Pool, "query">): JobRate {
  /** In order of time; the first is the reference. */
  let looks: Look[] = [];

  return {
    async look() {
      const [first] = looks;
      const { rows } = await pool.query<Row>(LOOK, [first?.atMs ?? null]);
      const { queued, processing, paused, processed, processed_since, now_ms: nowMs } = rows[0]!;
      const elapsedMs = first ? nowMs - first.atMs : Number.POSITIVE_INFINITY;
      const isRecent = elapsedMs > 0 && elapsedMs <= FORGET_MS;
      // Jobs deleted in between take their verdicts with them.
      const gained = Math.max(0, processed_since - (first?.processed ?? 0));
      const later = isRecent ? looks.filter(({ atMs }) => nowMs - atMs <= WINDOW_MS) : [];
      looks = [...later, { atMs: nowMs, processed }];
      const rowsPerSecond = isRecent ? Math.round((gained * 10_000) / elapsedMs) / 10 : null;
      return { queued, processing, paused, rows_per_second: rowsPerSecond };
    },
  };
}

type Row = {
  queued: number;
  processing: number;
  paused: number;
  /** Verdicts of jobs in progress. */
  processed: number;
  /** The same, including jobs that ended since the reference. */
  processed_since: number;
  now_ms: number;
};

/** Jobs in progress have no expiry; ended ones are few and found by index. */
const LOOK = `
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
