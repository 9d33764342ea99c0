/**
 * A page of a job's results: one per row of the file that has a verdict, in row order.
 *
 * A verdict is stored once, at the first row with the email. Duplicate rows refer to it.
 */
import {
  type JobResult,
  type ResultsQuery,
  recommendationOf,
  STATUSES,
  type Status,
} from "@mailvet/contract";
import type pg from "pg";
import type { Owner } from "../base/caller.ts";
import type { Database } from "../db/database.ts";
import { findEndedJob } from "./job-list.ts";
import type { JobRow } from "./job-record.ts";
import { inPartition, partitionOf } from "./result-rows.ts";

export type ResultPage = { results: JobResult[]; total: number };

export async function jobResults(
  database: Database,
  owner: Owner,
  jobId: string,
  { skip, limit, status, after_row: afterRow = 0 }: ResultsQuery,
): Promise<ResultPage> {
  const job = await findEndedJob(database, owner, jobId);
  const statuses = status === undefined ? STATUSES : [status];
  const pool = await database.readPool();
  const [{ rows }, total] = await Promise.all([
    pool.query<JobResult>({
      text: PAGE,
      values: [jobId, statuses, limit, skip, afterRow, partitionOf(job)],
    }),
    countResults(pool, job, statuses),
  ]);
  for (const result of rows) {
    result.recommendation = recommendationOf(result);
    if (job.isTest) result.sandbox = true;
  }
  return { results: rows, total };
}

// Looked up per duplicate row, in subqueries that PostgreSQL does not turn into joins: right after a job the tables have no
// statistics yet, and the planner would choose a nested loop over all rows.
const firstStatus = (partition: string) =>
  `(select status from results where ${inPartition(partition)} and job_id = d.job_id and row = d.first_row)`;

export const PAGE = `
  with page as (
    select * from (
      (select row, row as first_row, email, false as is_duplicate
         from results where ${inPartition("$6")} and job_id = $1 and row > $5 and status = any($2)
        order by row limit $3::bigint + $4::bigint)
      union all
      (select row, first_row, email, true as is_duplicate
         from duplicates d where ${inPartition("$6")} and job_id = $1 and row > $5 and ${firstStatus("$6")} = any($2)
        order by row limit $3::bigint + $4::bigint)
    ) merged
    order by row limit $3 offset $4
  )
  select page.row, page.email, verdict.*, page.is_duplicate
    from page, lateral (
      select status, sub_status, confidence, is_valid, safe_to_send, score, suggestion, previous_status,
          previous_sub_status
        from results where ${inPartition("$6")} and job_id = $1 and row = page.first_row offset 0
    ) verdict
   order by page.row`;

async function countResults(pool: pg.Pool, job: JobRow, statuses: readonly Status[]): Promise<number> {
  // In a completed job every email has a verdict.
  if (job.status === "completed" && statuses === STATUSES) return job.totalEmails;
  const { rows } = await pool.query<{ total: number }>({
    text: TOTAL,
    values: [job.id, statuses, partitionOf(job)],
  });
  return rows[0]!.total;
}

const TOTAL = `
  select (select count(*) from results where ${inPartition("$3")} and job_id = $1 and status = any($2))
       + (select count(*) from duplicates d
           where ${inPartition("$3")} and job_id = $1 and ${firstStatus("$3")} = any($2)) as total`;
