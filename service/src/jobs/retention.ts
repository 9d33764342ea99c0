/**
 * Erases what a job's owner entrusted to us: rows, results and the file itself, some at a time, so that nobody waits.
 *
 * A job's record outlives its rows. Several processes may be at it at once.
 */
import type pg from "pg";
import type { Database } from "../db/database.ts";
import { notify } from "../db/pubsub.ts";
import { JOBS_CHANNEL } from "./job-watch.ts";

/** In one round of housekeeping: the other chores wait meanwhile, and so does whoever wants to stop us. */
const MAX_JOBS = 100;
const LONGEST_ROUND_MS = 5_000;
const ROWS_AT_ONCE = 5_000;
const PARTS_AT_ONCE = 50;

/** Of jobs that ended long enough ago, one after the other until the time is over. Returns of how many. */
export async function eraseExpiredJobs(
  { pool }: Pick<Database, "pool">,
  withinMs = LONGEST_ROUND_MS,
): Promise<number> {
  const endsAtMs = performance.now() + withinMs;
  const { rows } = await pool.query<ErasedJob>(EXPIRED, [MAX_JOBS]);
  let erased = 0;
  for (const job of rows) {
    if (erased > 0 && performance.now() >= endsAtMs) break;
    erased += 1;
    await eraseRows(pool, job);
    await pool.query("update jobs set erased_at = now() where id = $1 and erased_at is null", [job.id]);
    await notify(pool, JOBS_CHANNEL, job.id);
  }
  return erased;
}

const EXPIRED = `
  select id, upload_id as "uploadId", total_rows as "totalRows" from jobs
  where expires_at <= now() and erased_at is null
  order by expires_at limit $1`;

export type ErasedJob = { id: string; uploadId: string; totalRows: number };

/** Everything but the record of a job that has ended. */
export async function eraseRows(pool: Pick<pg.Pool, "query">, job: ErasedJob): Promise<void> {
  for (let first = 1; first <= job.totalRows; first += ROWS_AT_ONCE) {
    const values = [job.id, first, first + ROWS_AT_ONCE];
    await pool.query({ name: "erase-results", text: ERASE_RESULTS, values });
    await pool.query({ name: "erase-duplicates", text: ERASE_DUPLICATES, values });
  }
  for (const [name, text] of ERASE_PARTS) {
    let erased: number | null;
    do {
      ({ rowCount: erased } = await pool.query({ name, text, values: [job.uploadId, PARTS_AT_ONCE] }));
    } while (erased === PARTS_AT_ONCE);
  }
  await pool.query("delete from uploads where id = $1", [job.uploadId]);
}

const ERASE_RESULTS = `delete from results where job_id = $1 and "row" >= $2 and "row" < $3`;
const ERASE_DUPLICATES = `delete from duplicates where job_id = $1 and "row" >= $2 and "row" < $3`;
const ERASE_PARTS = [
  [
    "erase-upload-parts",
    `delete from upload_parts where upload_id = $1 and number = any(array(
      select number from upload_parts where upload_id = $1 limit $2))`,
  ],
  [
    "erase-census-parts",
    `delete from upload_census_parts where (upload_id, "column", number) in (
      select upload_id, "column", number from upload_census_parts where upload_id = $1 limit $2)`,
  ],
] as const;
