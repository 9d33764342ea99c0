/**
 * Deletes a job's rows, results and file after its retention, in batches that keep each statement short.
 *
 * The job's record outlives its rows. Several processes may do this concurrently.
 */
import type pg from "pg";
import type { Database } from "../db/database.ts";
import { notify } from "../db/pubsub.ts";
import { DELETE_GROUP } from "../queue/upkeep.ts";
import { deleteUpload } from "../uploads/stored-upload.ts";
import type { UploadFiles } from "../uploads/upload-files.ts";
import { JOBS_CHANNEL } from "./job-watch.ts";

/** Per maintenance run: other tasks and shutdown wait for it. */
const MAX_JOBS = 100;
const MAX_DURATION_MS = 5_000;
const ROWS_AT_ONCE = 5_000;

/** One job after another until the time is up. Returns the number of jobs. */
export async function eraseExpiredJobs(
  { pool }: Pick<Database, "pool">,
  files: Pick<UploadFiles, "delete">,
  maxDurationMs = MAX_DURATION_MS,
): Promise<number> {
  const endsAtMs = performance.now() + maxDurationMs;
  const { rows } = await pool.query<ExpiredJob>(EXPIRED, [MAX_JOBS]);
  let erased = 0;
  for (const job of rows) {
    if (erased > 0 && performance.now() >= endsAtMs) break;
    erased += 1;
    await deleteRows(pool, files, job);
    await pool.query("update jobs set erased_at = now() where id = $1 and erased_at is null", [job.id]);
    await pool.query(DELETE_GROUP, [job.id]); // opened by a redrive
    await notify(pool, JOBS_CHANNEL, job.id);
  }
  return erased;
}

const EXPIRED = `
  select id, upload_id as "uploadId", total_rows as "totalRows" from jobs
  where expires_at <= now() and erased_at is null
  order by expires_at limit $1`;

export type ExpiredJob = { id: string; uploadId: string; totalRows: number };

/** Everything but the record of a job that has ended. */
export async function deleteRows(
  pool: Pick<pg.Pool, "query">,
  files: Pick<UploadFiles, "delete">,
  job: ExpiredJob,
): Promise<void> {
  for (let first = 1; first <= job.totalRows; first += ROWS_AT_ONCE) {
    const values = [job.id, first, first + ROWS_AT_ONCE];
    await pool.query({ name: "delete-results", text: DELETE_RESULTS, values });
    await pool.query({ name: "delete-duplicates", text: DELETE_DUPLICATES, values });
  }
  await pool.query("delete from slices where job_id = $1", [job.id]); // of redrives
  await deleteUpload(pool, files, job.uploadId);
}

const DELETE_RESULTS = `delete from results where job_id = $1 and "row" >= $2 and "row" < $3`;
const DELETE_DUPLICATES = `delete from duplicates where job_id = $1 and "row" >= $2 and "row" < $3`;
