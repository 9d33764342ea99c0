/** Reads an owner's jobs: one, or a page of all. */
import type { Job, JobListQuery } from "@mailvet/contract";
import { and, count, desc, eq } from "drizzle-orm";
import type { Owner } from "../base/caller.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database, Orm } from "../db/database.ts";
import { isJobOf } from "./job-lock.ts";
import { isExpired, JOB_AND_COUNTS, type JobRow, jobRecord } from "./job-record.ts";
import { hasEnded } from "./job-state.ts";
import { jobs } from "./schema.ts";

export type JobPage = { jobs: Job[]; total: number };

/** Newest first. */
export async function listJobs(
  { orm }: Database,
  owner: Owner,
  { skip, limit, status }: JobListQuery,
): Promise<JobPage> {
  const wanted = and(isJobOf(owner), status && eq(jobs.status, status));
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
    jobs: rows.map(({ row, counts, retries }) => jobRecord(row, counts ?? {}, now, retries)),
    total: counted?.total ?? 0,
  };
}

export async function findJob(database: Database, owner: Owner, jobId: string): Promise<Job> {
  const { row, counts, retries } = await find(database, owner, jobId);
  return jobRecord(row, counts ?? {}, new Date(), retries);
}

/**
 * A job whose results can be read. Throws results_expired after the retention, and results_not_ready before the end if only
 * final results are wanted.
 */
export async function findReadableJob(
  database: Database,
  owner: Owner,
  jobId: string,
  isFinal = false,
): Promise<JobRow> {
  const { row } = await find(database, owner, jobId);
  if (isFinal && !hasEnded(row)) {
    throw new Refusal(
      "results_not_ready",
      `The job is ${row.status}. Without final=true, results so far are returned.`,
    );
  }
  if (isExpired(row, new Date())) throw resultsExpired();
  return row;
}

export async function findJobRow(orm: Pick<Orm, "select">, owner: Owner, jobId: string): Promise<JobRow> {
  return (await find({ orm }, owner, jobId)).row;
}

export function resultsExpired(): Refusal {
  return new Refusal("results_expired", "The file and the results of this job have been deleted.");
}

async function find({ orm }: { orm: Pick<Orm, "select"> }, owner: Owner, jobId: string) {
  const [found] = await orm
    .select(JOB_AND_COUNTS)
    .from(jobs)
    .where(and(eq(jobs.id, jobId), isJobOf(owner)));
  if (!found) throw new Refusal("job_not_found", "No job with this id exists in this account.");
  return found;
}
