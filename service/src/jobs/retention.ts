/**
 * Deletes a job's rows, results and file after its retention. The job's record outlives them.
 *
 * Results and duplicates of jobs that are confirmed on one day share a partition, named by the day after the last of them
 * should expire. It is dropped as a whole once all its jobs have expired. Rows are deleted one by one, in batches that keep
 * each statement short, where a partition cannot be waited for: in the default partition, long before its date (the owner
 * deletes the job, or RETENTION_DAYS was reduced), and after its date while another job still needs it (that took days, or
 * RETENTION_DAYS was increased).
 *
 * Several processes may do this concurrently.
 */
import { eq, sql } from "drizzle-orm";
import type pg from "pg";
import type { Owner } from "../base/caller.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database, Orm } from "../db/database.ts";
import { createPartitions, dropPartitions, pastPartitionDates, validateDefault } from "../db/partitions.ts";
import { notify } from "../db/pubsub.ts";
import { DELETE_GROUP } from "../queue/upkeep.ts";
import { deleteUpload } from "../uploads/stored-upload.ts";
import type { UploadFiles } from "../uploads/upload-files.ts";
import { firstCellOf } from "./job-columns.ts";
import { lockJob } from "./job-lock.ts";
import { isExpired, type JobRow } from "./job-record.ts";
import { hasEnded } from "./job-state.ts";
import { JOBS_CHANNEL } from "./job-watch.ts";
import { inPartition, partitionOf, type StoredJob } from "./result-rows.ts";
import { jobs } from "./schema.ts";

/** Per maintenance run: other tasks and shutdown wait for it. */
const MAX_JOBS = 100;
const MAX_DURATION_MS = 5_000;
const ROWS_AT_ONCE = 5_000;
const TABLES = ["results", "duplicates"];

/** Date of the partition for a job that is confirmed now; null: the default partition, as there is no other one. */
export async function partitionFor(pool: pg.Pool, retentionDays: number): Promise<string | null> {
  const [date] = await expiryDates(pool, retentionDays);
  return (await createPartitions(pool, TABLES, [date!])) ? date! : null;
}

/** Creates the partitions of today's and tomorrow's jobs. */
export async function prepareRetention(pool: pg.Pool, retentionDays: number): Promise<void> {
  for (const table of TABLES) await validateDefault(pool, table);
  await createPartitions(pool, TABLES, await expiryDates(pool, retentionDays));
}

/** Of jobs that are confirmed today and tomorrow. A job that ends on the same day has expired by then. */
async function expiryDates(pool: pg.Pool, retentionDays: number): Promise<string[]> {
  const { rows } = await pool.query<{ date: string }>({
    name: "expiry-dates",
    text: "select ((now() at time zone 'utc')::date + $1::int + days)::text as date from generate_series(1, 2) as days",
    values: [retentionDays],
  });
  return rows.map(({ date }) => date);
}

/** A completed job that is kept does not expire. Throws job_not_found, job_state_conflict and results_expired. */
export async function keepJob(
  tx: Orm,
  owner: Owner,
  jobId: string,
  retentionDays: number,
  isKept: boolean,
): Promise<void> {
  const job = await lockJob(tx, jobId, owner);
  if (!job && !isKept) return; // deleted with its results
  if (!job) throw new Refusal("job_not_found", "No job with this id exists in this account.");
  if (isKept && isExpired(job, new Date()))
    throw new Refusal("results_expired", "The file and the results of this job have been deleted.");
  if (isKept && job.status !== "completed")
    throw new Refusal("job_state_conflict", `The job is ${job.status}, so it cannot be saved as a list.`);
  const expiresAt = isKept ? null : sql`now() + ${retentionDays} * interval '1 day'`;
  const isOver = hasEnded(job);
  await tx
    .update(jobs)
    .set({ isKept, ...(isOver && { expiresAt }) })
    .where(eq(jobs.id, jobId));
}

/** SQL: whether the job in this column has results that can be checked again, and so may still have events. */
export const mayHaveEventsSql = (jobIdColumn: string) =>
  `exists (select from jobs where jobs.id = ${jobIdColumn} and jobs.erased_at is null)`;

/** One job after another until the time is up, then partitions. Returns the number of jobs. */
export async function eraseExpiredJobs(
  { pool }: Pick<Database, "pool">,
  files: Pick<UploadFiles, "deletingWhatCanBe">,
  maxDurationMs = MAX_DURATION_MS,
): Promise<number> {
  const expiredFiles = files.deletingWhatCanBe();
  const endsAtMs = performance.now() + maxDurationMs;
  const { rows } = await pool.query<ExpiredJob & { is_dropped_soon: boolean }>(EXPIRED, [MAX_JOBS]);
  let erased = 0;
  for (const { is_dropped_soon: isDroppedSoon, ...job } of rows) {
    if (erased > 0 && performance.now() >= endsAtMs) break;
    erased += 1;
    // Earlier releases may have stored rows in the default partition, which is never dropped.
    await deleteResults(pool, isDroppedSoon ? { ...job, rowsExpireOn: null } : job);
    await deleteFile(pool, expiredFiles, job);
    await pool.query(
      `update jobs set erased_at = now(), rows_expire_on = case when $2 then rows_expire_on end
       where id = $1 and erased_at is null`,
      [job.id, isDroppedSoon],
    );
    await pool.query(DELETE_GROUP, [job.id]); // opened by a redrive
    await notify(pool, JOBS_CHANNEL, job.id);
  }
  for (const date of await pastPartitionDates(pool, TABLES[0]!)) {
    if (await isNeeded(pool, date)) await deleteErasedIn(pool, date, endsAtMs);
    else await dropPartition(pool, date);
  }
  return erased;
}

const EXPIRED = `
  select id, upload_id as "uploadId", total_rows as "totalRows", column_number as "columnNumber",
    more_columns as "moreColumns", rows_expire_on::text as "rowsExpireOn",
    coalesce(rows_expire_on <= (now() at time zone 'utc')::date + 1, false) as is_dropped_soon
  from jobs
  where expires_at <= now() and erased_at is null
  order by expires_at limit $1`;

export type ExpiredJob = StoredJob & Pick<JobRow, "uploadId" | "totalRows" | "columnNumber" | "moreColumns">;

async function isNeeded(pool: pg.Pool, date: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    "select from jobs where rows_expire_on = $1 and erased_at is null limit 1",
    [date],
  );
  return rowCount !== 0;
}

/** If a lock is not available now, the next run does it. */
async function dropPartition(pool: pg.Pool, date: string): Promise<void> {
  await dropPartitions(pool, TABLES, date, (client) =>
    client.query("update jobs set rows_expire_on = null where rows_expire_on = $1", [date]),
  );
}

/** Rows of jobs that have expired, in a partition that another job still needs. */
async function deleteErasedIn(pool: pg.Pool, date: string, endsAtMs: number): Promise<void> {
  const { rows } = await pool.query<ExpiredJob>(
    `select id, upload_id as "uploadId", total_rows as "totalRows", column_number as "columnNumber",
       more_columns as "moreColumns", rows_expire_on::text as "rowsExpireOn" from jobs
     where rows_expire_on = $1 and erased_at is not null limit ${MAX_JOBS}`,
    [date],
  );
  for (const job of rows) {
    if (performance.now() >= endsAtMs) return;
    await deleteResults(pool, job);
    await pool.query("update jobs set rows_expire_on = null where id = $1", [job.id]);
  }
}

/** Everything but the record of a job that has ended. */
export async function deleteRows(
  pool: Pick<pg.Pool, "query">,
  files: Pick<UploadFiles, "delete">,
  job: ExpiredJob,
): Promise<void> {
  await deleteResults(pool, job);
  await deleteFile(pool, files, job);
}

async function deleteFile(
  pool: Pick<pg.Pool, "query">,
  files: Pick<UploadFiles, "delete">,
  job: ExpiredJob,
): Promise<void> {
  await pool.query("delete from slices where job_id = $1", [job.id]); // of redrives
  await deleteUpload(pool, files, job.uploadId);
}

async function deleteResults(pool: Pick<pg.Pool, "query">, job: ExpiredJob): Promise<void> {
  const end = firstCellOf(job, job.totalRows + 1);
  for (let first = 1; first < end; first += ROWS_AT_ONCE) {
    const values = [job.id, first, first + ROWS_AT_ONCE, partitionOf(job)];
    await pool.query(DELETE_RESULTS, values);
    await pool.query(DELETE_DUPLICATES, values);
  }
}

const DELETE_RESULTS = `
  delete from results where ${inPartition("$4")} and job_id = $1 and "row" >= $2 and "row" < $3`;
const DELETE_DUPLICATES = `
  delete from duplicates where ${inPartition("$4")} and job_id = $1 and "row" >= $2 and "row" < $3`;
