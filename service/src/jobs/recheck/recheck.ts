/**
 * Asks again for the results of a completed job: the same job, a new attempt, in the same group of the queue.
 *
 * The selected results are taken out of the counts, planned into slices (slice-planner.ts) and replaced as they arrive, each
 * with the verdict before it. A verdict is not replaced by `unknown`; such a check is not charged. An `unknown` of the last
 * 24 hours is free to ask again. The request needs their number for the credits: from the job's counts where these tell it,
 * because reading a million rows takes a second.
 */
import { randomUUID } from "node:crypto";
import {
  ALL_SUB_STATUSES,
  type Job,
  type RecheckRequest,
  type ResultFilter,
  STATUS_OF,
  type SubStatus,
} from "@mailvet/contract";
import { eq, type SQL, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { lockAccount } from "../../accounts/account-queries.ts";
import type { Caller } from "../../base/caller.ts";
import { Refusal } from "../../base/refusal.ts";
import type { OnLow } from "../../credits/balance-checks.ts";
import type { BeforeCommit, Database, Orm } from "../../db/database.ts";
import { refuseTooManyJobs } from "../confirm-upload.ts";
import { resultsExpired } from "../job-list.ts";
import { lockJob } from "../job-lock.ts";
import { isExpired, type JobRow, readJobRecord } from "../job-record.ts";
import { requireTransition } from "../job-state.ts";
import type { JobTransitions } from "../job-transitions.ts";
import { isFiltered, isResult, parametersFor } from "../results/result-query.ts";
import { type jobs, type RecheckChoice, type StoredRecheck, slices } from "../schema.ts";
import type { SliceEmail } from "../slice-cutter.ts";

/** Throws job_not_found, job_state_conflict (also when nothing is selected), results_expired and insufficient_credits. */
export type RecheckJob = (
  caller: Caller,
  jobId: string,
  request: RecheckChoice,
  beforeCommit?: BeforeCommit<Job>,
) => Promise<Job>;

export type RecheckJobDeps = {
  database: Pick<Database, "orm">;
  transitions: Pick<JobTransitions, "recheck">;
  /** Reserving the credits has taken the account's balance below LOW_CREDITS. */
  onLow?: OnLow;
  /** Implementation: notifications/notifications.ts */
  onRefused?: (caller: Caller, name: string, error: unknown) => Promise<void>;
};

export function createRecheckJob(deps: RecheckJobDeps): RecheckJob {
  const { database, transitions, onLow } = deps;
  return async (caller, jobId, choice, beforeCommit) => {
    let lowBalance: number | undefined;
    let filename = "";
    const attempt = database.orm.transaction(async (tx) => {
      await lockAccount(tx, caller.accountId);
      const job = await lockJob(tx, jobId, caller);
      if (!job) throw new Refusal("job_not_found", "No job with this id exists in this account.");
      filename = job.filename;
      requireTransition(job.status, "recheck");
      if (isExpired(job, new Date())) throw resultsExpired();
      const open = await tx
        .select({ number: slices.number })
        .from(slices)
        .where(eq(slices.jobId, jobId))
        .limit(1);
      if (open.length > 0)
        throw new Refusal("job_state_conflict", "Rows of this job are being checked again already.");
      await refuseTooManyJobs(tx, caller);
      const at = new Date();
      const isUnknownFree = job.createdAt > freeSince(at);
      const recheck: StoredRecheck = {
        at: at.toISOString(),
        choice,
        ...(isUnknownFree && { isUnknownFree }),
      };
      const { emails, free } = await takeOut(tx, job, recheck);
      if (emails === 0)
        throw new Refusal("job_state_conflict", "No result of this job is selected by the request.");
      lowBalance = await transitions.recheck(tx, job, columnsOf(job, recheck, emails, free));
      const record = (await readJobRecord(tx, jobId))!;
      await beforeCommit?.(tx, record);
      return record;
    });
    const record = await attempt.catch(async (error) => {
      await deps.onRefused?.(caller, filename, error);
      throw error;
    });
    if (lowBalance !== undefined) onLow?.(caller.accountId, lowBalance);
    return record;
  };
}

function columnsOf(
  job: JobRow,
  recheck: StoredRecheck,
  emails: number,
  free: number,
): PgUpdateSetSource<typeof jobs> {
  const settledEmails = job.uniqueEmails - emails;
  return {
    recheck,
    attempt: job.attempt + 1,
    processed: settledEmails,
    triedOnce: settledEmails,
    settledEmails,
    freeEmails: free,
    freeProcessed: 0,
    givenUp: 0,
    isPlanned: false,
    plannedParts: 0,
    reservationId: job.isTest ? null : randomUUID(),
    startedAt: null,
    completedAt: null,
    expiresAt: null,
    pausedMs: 0,
    progressedAt: null,
  };
}

/** Subtracts the selected results from the counts; the others are not charged in this attempt. */
async function takeOut(
  tx: Orm,
  job: JobRow,
  recheck: StoredRecheck,
): Promise<{ emails: number; free: number }> {
  const { rows } = await tx.execute<{ emails: number; free: number }>(sql`
    with taken as (${(await fromCounts(tx, job, recheck)) ?? fromRows(job, recheck)}),
    counted as (
      update job_counts c
      set count = c.count - coalesce(taken.emails, 0), uncharged = c.count - coalesce(taken.emails, 0)
      from job_counts own left join taken using (sub_status)
      where own.job_id = ${job.id} and c.job_id = own.job_id and c.sub_status = own.sub_status
    )
    select coalesce(sum(emails), 0)::int as emails, coalesce(sum(free), 0)::int as free from taken`);
  return rows[0]!;
}

const fromRows = (job: JobRow, recheck: StoredRecheck) => sql`
  select sub_status, count(*)::int as emails, (count(*) filter (where ${isFree(recheck)}))::int as free
  from results where ${isSelected(job, recheck)} group by sub_status`;

/**
 * Undefined: the rows must be counted, because the choice is not by verdict, or because some `unknown` may be free and others
 * not.
 */
async function fromCounts(tx: Orm, job: JobRow, recheck: StoredRecheck): Promise<SQL | undefined> {
  const { choice, at, isUnknownFree = false } = recheck;
  if (choice.which === "stale") return undefined;
  const { status, sub_status: subStatus, ...others } = filterOf(choice);
  if (isFiltered(others)) return undefined;
  const selected = ALL_SUB_STATUSES.filter(
    (one) =>
      (status?.split(",").includes(STATUS_OF[one]) ?? true) && (subStatus?.split(",").includes(one) ?? true),
  );
  const unknown = selected.filter((one) => STATUS_OF[one] === "unknown");
  const ofThese = (names: readonly SubStatus[]) =>
    sql`job_id = ${job.id} and count > 0 and sub_status = any(${sql.param(names)}::text[])`;
  if (!isUnknownFree && job.completedAt! > freeSince(new Date(at))) {
    const { rowCount } = await tx.execute(sql`select from job_counts where ${ofThese(unknown)}`);
    if (rowCount !== 0) return undefined;
  }
  const free = sql`case when ${isUnknownFree} and sub_status = any(${sql.param(unknown)}::text[]) then count else 0 end`;
  return sql`select sub_status, count as emails, ${free} as free from job_counts where ${ofThese(selected)}`;
}

/** The next selected emails after a row. */
export async function selectedEmails(
  tx: Orm,
  job: JobRow,
  afterRow: number,
  limit: number,
): Promise<{ entry: SliceEmail; isFree: boolean }[]> {
  const recheck = job.recheck!;
  const { rows } = await tx.execute<{ row: number; email: string; is_free: boolean }>(sql`
    select "row", email, ${isFree(recheck)} as is_free
    from results where ${isSelected(job, recheck)} and "row" > ${afterRow}
    order by "row" limit ${limit}`);
  return rows.map(({ row, email, is_free: isFree }) => ({ entry: [row, email], isFree }));
}

const FREE_HOURS = 24;

const freeSince = (at: Date) => new Date(at.getTime() - FREE_HOURS * 3_600_000);

const isFree = ({ at, isUnknownFree = false }: StoredRecheck) =>
  sql`(status = 'unknown' and (${isUnknownFree} or checked_at > ${freeSince(new Date(at)).toISOString()}::timestamptz))`;

const isSelected = (job: JobRow, { choice }: StoredRecheck) =>
  choice.which === "stale"
    ? sql`${matching(job, {})} and (checked_at < ${choice.olderThan}::timestamptz or status = 'unknown')`
    : matching(job, filterOf(choice));

function filterOf({ which, filter = {} }: RecheckRequest): ResultFilter {
  if (which === "filter") return filter;
  return which === "all" ? {} : { status: which };
}

function matching(job: JobRow, filter: ResultFilter): SQL {
  const parameters = parametersFor(job);
  return withParameters(isResult(filter, parameters), parameters.values);
}

/** Text with numbered parameters as part of a statement. */
function withParameters(text: string, values: readonly unknown[]): SQL {
  const parts = text.split(/\$(\d+)/); // text and number in turn
  return sql.join(
    parts.map((part, n) => (n % 2 === 0 ? sql.raw(part) : sql`${sql.param(values[Number(part) - 1])}`)),
  );
}
