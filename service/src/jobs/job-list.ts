/** Reads an account's jobs: one, or a page of all. */
import type { Job, JobListQuery } from "@mailvet/contract";
import { and, count, desc, eq } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { Refusal } from "../refusal.ts";
import { isExpired, JOB_AND_COUNTS, type JobRow, jobRecord } from "./job-record.ts";
import { hasEnded } from "./job-state.ts";
import { jobs } from "./schema.ts";

export type JobPage = { jobs: Job[]; total: number };

/** Newest first. */
export async function listJobs(
  { orm }: Database,
  accountId: string,
  { skip, limit, status }: JobListQuery,
): Promise<JobPage> {
  const wanted = and(eq(jobs.accountId, accountId), status && eq(jobs.status, status));
  const [rows, [counted]] = await Promise.all([
    orm
      .select(JOB_AND_COUNTS)
      .from(jobs)
      .where(wanted)
      .orderBy(desc(jobs.createdAt), desc(jobs.id))
      .limit(limit)
      .offset(skip),
    orm.select({ total: count() }).from(jobs).where(wanted),
  ]);
  const now = new Date();
  return {
    jobs: rows.map(({ row, counts }) => jobRecord(row, counts ?? {}, now)),
    total: counted?.total ?? 0,
  };
}

export async function findJob(database: Database, accountId: string, jobId: string): Promise<Job> {
  const { row, counts } = await find(database, accountId, jobId);
  return jobRecord(row, counts ?? {});
}

/** A job whose results can be read. Throws results_not_ready before the end, results_expired after the retention. */
export async function findEndedJob(database: Database, accountId: string, jobId: string): Promise<JobRow> {
  const { row } = await find(database, accountId, jobId);
  if (!hasEnded(row)) {
    throw new Refusal(
      "results_not_ready",
      `The job is ${row.status}. Its results are available when it has finished.`,
    );
  }
  if (isExpired(row, new Date())) throw resultsExpired();
  return row;
}

export function resultsExpired(): Refusal {
  return new Refusal("results_expired", "The file and the results of this job have been deleted.");
}

async function find({ orm }: Database, accountId: string, jobId: string) {
  const [found] = await orm
    .select(JOB_AND_COUNTS)
    .from(jobs)
    .where(and(eq(jobs.id, jobId), eq(jobs.accountId, accountId)));
  if (!found) throw new Refusal("job_not_found", "No job with this id exists in this account.");
  return found;
}
