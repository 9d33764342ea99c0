/** Reads jobs: one of an owner's, a page of all of an owner's, and a page of all accounts' for the operator. */
import type { Job, JobListQuery, OperatorJob, OperatorJobQuery } from "@mailvet/contract";
import { and, between, count, desc, eq, type SQL, sql } from "drizzle-orm";
import { accountSql } from "../accounts/account-queries.ts";
import type { Owner } from "../base/caller.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database, Orm } from "../db/database.ts";
import { isJobOf } from "./job-lock.ts";
import { isExpired, JOB_AND_COUNTS, type JobRow, jobRecord, type SubStatusCounts } from "./job-record.ts";
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

/** Of all accounts, newest first; each page begins after a job. */
export async function listAllJobs(
  { orm }: Database,
  { limit, status, account_id: accountId, after }: OperatorJobQuery,
): Promise<OperatorJob[]> {
  const position = sql`(${jobs.createdAt}, ${jobs.id})`;
  const rows = await selectWithEmail(
    orm,
    and(
      status && eq(jobs.status, status),
      accountId === undefined ? undefined : eq(jobs.accountId, accountId),
      after === undefined
        ? undefined
        : sql`${position} < (select created_at, id from jobs where id = ${after})`,
    ),
  )
    .orderBy(desc(jobs.createdAt), desc(jobs.id))
    .limit(limit);
  return rows.map(operatorJob);
}

export type JobWithMode = { job: Job; isTest: boolean };

/** Of one account, in both modes, newest first. */
export async function allJobsOf({ orm }: Database, accountId: string): Promise<JobWithMode[]> {
  const rows = await orm
    .select(JOB_AND_COUNTS)
    .from(jobs)
    .where(eq(jobs.accountId, accountId))
    .orderBy(desc(jobs.createdAt), desc(jobs.id));
  return rows.map(({ row, counts }) => ({ job: jobRecord(row, counts ?? {}), isTest: row.isTest }));
}

/** Of any account. Throws job_not_found. */
export async function findAnyJob(orm: Pick<Orm, "select">, jobId: string): Promise<OperatorJob> {
  const [found] = await selectWithEmail(orm, eq(jobs.id, jobId));
  if (!found) throw new Refusal("job_not_found", "No job with this id exists.");
  return operatorJob(found);
}

function selectWithEmail(orm: Pick<Orm, "select">, condition: SQL | undefined) {
  const email = sql<string>`(select ${sql.raw(accountSql.email)} from (select jobs.account_id as id) owner
    ${sql.raw(accountSql.join("owner.id"))})`;
  return orm
    .select({ ...JOB_AND_COUNTS, email })
    .from(jobs)
    .where(condition);
}

function operatorJob(found: { row: JobRow; counts: SubStatusCounts | null; email: string }): OperatorJob {
  const { row, counts, email } = found;
  return { ...jobRecord(row, counts ?? {}), account_id: row.accountId, account_email: email };
}

export async function findJob({ orm }: Database, owner: Owner, jobId: string): Promise<Job> {
  return recordOf(await find(orm, owner, eq(jobs.id, jobId)));
}

/** Hexadecimal digits of a job's id that make its number. */
const NUMBER_DIGITS = 12;

/** A number for clients that cannot handle a UUID: its first 48 bits, which are random. */
export function jobNumberOf(jobId: string): number {
  return Number.parseInt(jobId.replaceAll("-", "").slice(0, NUMBER_DIGITS), 16);
}

/** The job with this number. Throws job_not_found. */
export async function findJobByNumber({ orm }: Database, owner: Owner, number: number): Promise<Job> {
  const digits = number.toString(16).padStart(NUMBER_DIGITS, "0");
  const [first, last] = ["0", "f"].map((digit) => digits.padEnd(32, digit)) as [string, string];
  return recordOf(await find(orm, owner, between(jobs.id, first, last)));
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
  const row = await findJobRow(database.orm, owner, jobId);
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
  return (await find(orm, owner, eq(jobs.id, jobId))).row;
}

export function resultsExpired(): Refusal {
  return new Refusal("results_expired", "The file and the results of this job have been deleted.");
}

type FoundJob = Awaited<ReturnType<typeof find>>;

const recordOf = ({ row, counts, retries }: FoundJob): Job =>
  jobRecord(row, counts ?? {}, new Date(), retries);

async function find(orm: Pick<Orm, "select">, owner: Owner, which: SQL) {
  const [found] = await orm
    .select(JOB_AND_COUNTS)
    .from(jobs)
    .where(and(which, isJobOf(owner)));
  if (!found) throw new Refusal("job_not_found", "No job with this id exists in this account.");
  return found;
}
