/**
 * What the owner of a job can do with it: cancel, pause, resume, finish, erase. And what happens to all jobs of an account
 * that is suspended, resumed or erased.
 */
import type { Job } from "@mailvet/contract";
import { and, eq, inArray, type SQL } from "drizzle-orm";
import { accountSql, requireNotSuspended } from "../accounts/account-queries.ts";
import type { Owner } from "../base/caller.ts";
import { Refusal } from "../base/refusal.ts";
import type { BeforeCommit, Database } from "../db/database.ts";
import { notify } from "../db/pubsub.ts";
import type { UploadFiles } from "../uploads/upload-files.ts";
import { lockJob } from "./job-lock.ts";
import { type JobRow, readJobRecord } from "./job-record.ts";
import { type JobEvent, transitionOf } from "./job-state.ts";
import type { JobTransitions } from "./job-transitions.ts";
import { JOBS_CHANNEL } from "./job-watch.ts";
import { deleteRows, eraseExpiredJobs, prepareRetention } from "./retention.ts";
import { jobs } from "./schema.ts";

/**
 * Throws job_not_found, also for another account's job, and job_state_conflict (job-state.ts). Without an owner, the job of
 * any account.
 */
export type JobActions = {
  /** Emails without a verdict are not checked any more and not charged. */
  cancel(owner: Owner | undefined, jobId: string, beforeCommit?: BeforeCommit<Job>): Promise<Job>;
  /** Checks in flight are still saved. */
  pause(owner: Owner | undefined, jobId: string, beforeCommit?: BeforeCommit<Job>): Promise<Job>;
  resume(owner: Owner | undefined, jobId: string, beforeCommit?: BeforeCommit<Job>): Promise<Job>;
  /**
   * No more emails are checked; finish-early.ts completes the job. Repeating it has no effect, but a paused job continues.
   */
  finish(owner: Owner, jobId: string, beforeCommit?: BeforeCommit<Job>): Promise<Job>;
  /** Deletes the job with its file and results. An active job is cancelled first. */
  erase(owner: Owner, jobId: string, beforeCommit?: BeforeCommit<Job>): Promise<void>;
  /** Pauses the active jobs of a suspended account. */
  suspendAll(accountId: string): Promise<void>;
  /** Continues what the suspension has paused. */
  resumeAll(accountId: string): Promise<void>;
  /** For accounts whose suspension or resumption was interrupted: completes it. */
  reconcileSuspensions(): Promise<void>;
  /** Erases all jobs of the account. */
  eraseAll(accountId: string): Promise<void>;
  /** Deletes rows and results past retention, and creates the next partitions; returns the number of jobs. */
  eraseExpired(): Promise<number>;
};

type OwnerEvent = "cancel" | "pause" | "resume" | "finish_now" | "erase";

const RUNNING_THOUGH_SUSPENDED = `
  select jobs.id from jobs ${accountSql.join("jobs.account_id")}
  where ${accountSql.isSuspended} and jobs.status in ('queued', 'processing')`;
const PAUSED_THOUGH_RESUMED = `
  select jobs.id from jobs ${accountSql.join("jobs.account_id")}
  where jobs.is_suspended and jobs.status = 'paused' and not (${accountSql.isSuspended})`;

/** Deleted concurrently. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof Refusal && error.code === "job_not_found")) throw error;
}

export type JobActionDeps = {
  database: Database;
  files: Pick<UploadFiles, "delete" | "deletingWhatCanBe">;
  transitions: Pick<JobTransitions, "apply">;
  /** How long rows and results are kept after the end. */
  retentionDays: number;
};

export function createJobActions(deps: JobActionDeps): JobActions {
  const { database, files, transitions, retentionDays } = deps;
  const { orm, pool } = database;

  const apply = (
    owner: Owner | undefined,
    jobId: string,
    event: OwnerEvent,
    beforeCommit?: BeforeCommit<Job>,
  ): Promise<{ row: JobRow; record: Job }> =>
    orm.transaction(async (tx) => {
      const row = await lockJob(tx, jobId, owner);
      if (!row) throw new Refusal("job_not_found", "No job with this id exists in this account.");
      if (event === "resume" || event === "finish_now") await requireNotSuspended(tx, row.accountId);
      await transitions.apply(tx, row, event);
      const record = (await readJobRecord(tx, jobId))!;
      await beforeCommit?.(tx, record);
      return { row, record };
    });

  const action =
    (event: OwnerEvent) =>
    async (owner: Owner | undefined, jobId: string, beforeCommit?: BeforeCommit<Job>): Promise<Job> =>
      (await apply(owner, jobId, event, beforeCommit)).record;

  const applyToAll = async (jobIds: readonly { id: string }[], event: JobEvent) => {
    for (const { id } of jobIds) {
      await orm.transaction(async (tx) => {
        const row = await lockJob(tx, id);
        if (row && transitionOf(row.status, event)) await transitions.apply(tx, row, event);
      });
    }
  };
  const jobsOf = (accountId: string, condition?: SQL) =>
    orm
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(eq(jobs.accountId, accountId), condition));
  const isSuspendable = inArray(jobs.status, ["queued", "processing"]);

  const erase = async (owner: Owner | undefined, jobId: string, beforeCommit?: BeforeCommit<Job>) => {
    // The job expires in this transaction: if the process dies now, maintenance deletes the rest.
    const { row } = await apply(owner, jobId, "erase", beforeCommit);
    await deleteRows(pool, files, row);
    await orm.delete(jobs).where(eq(jobs.id, jobId));
    await notify(pool, JOBS_CHANNEL, jobId);
  };

  return {
    cancel: action("cancel"),
    pause: action("pause"),
    resume: action("resume"),
    finish: action("finish_now"),
    erase,

    async suspendAll(accountId) {
      await applyToAll(await jobsOf(accountId, isSuspendable), "suspend");
    },
    async resumeAll(accountId) {
      await applyToAll(await jobsOf(accountId, eq(jobs.isSuspended, true)), "resume");
    },
    async reconcileSuspensions() {
      const { rows: running } = await pool.query<{ id: string }>(RUNNING_THOUGH_SUSPENDED);
      await applyToAll(running, "suspend");
      const { rows: left } = await pool.query<{ id: string }>(PAUSED_THOUGH_RESUMED);
      await applyToAll(left, "resume");
    },
    async eraseAll(accountId) {
      for (const { id } of await jobsOf(accountId)) await erase(undefined, id).catch(ignoreMissing);
    },

    async eraseExpired() {
      await prepareRetention(pool, retentionDays);
      return eraseExpiredJobs(database, files);
    },
  };
}
