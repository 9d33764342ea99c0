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
import type { Task } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
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
  /** Deletes the job with its file and results. An active job is cancelled first. Returns a large one, which a task deletes. */
  erase(owner: Owner, jobId: string, beforeCommit?: BeforeCommit<Job>): Promise<Job | undefined>;
  /** For the queue "action", with the subject ERASE_JOB; the group is the job. */
  handleErasure(task: Task): Promise<void>;
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

/** Subject of a task of the queue "action". */
export const ERASE_JOB = "erase job";
/** More take so long that the request would not wait for them: half a minute for a million. */
const MAX_ROWS_IN_REQUEST = 10_000;

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
  tasks: Pick<Tasks, "openGroup" | "add" | "closeGroup">;
  files: Pick<UploadFiles, "delete" | "deletingWhatCanBe">;
  transitions: Pick<JobTransitions, "apply">;
  /** How long rows and results are kept after the end. */
  retentionDays: number;
};

export function createJobActions(deps: JobActionDeps): JobActions {
  const { database, tasks, files, transitions, retentionDays } = deps;
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

  /** Of a job that has expired: if the process dies meanwhile, maintenance deletes the rest. */
  const eraseRows = async (row: JobRow) => {
    await deleteRows(pool, files, row);
    await orm.delete(jobs).where(eq(jobs.id, row.id));
    await notify(pool, JOBS_CHANNEL, row.id);
  };

  return {
    cancel: action("cancel"),
    pause: action("pause"),
    resume: action("resume"),
    finish: action("finish_now"),

    async erase(owner, jobId, beforeCommit) {
      const isLarge = ({ total_rows: rows }: Job) => rows > MAX_ROWS_IN_REQUEST;
      const { row, record } = await apply(owner, jobId, "erase", async (tx, job) => {
        if (isLarge(job)) {
          await tasks.openGroup(tx, { id: jobId, accountId: owner.accountId });
          await tasks.add(tx, [{ groupId: jobId, queue: "action", subject: ERASE_JOB }]);
        }
        await beforeCommit?.(tx, job);
      });
      if (isLarge(record)) return record;
      await eraseRows(row);
      return undefined;
    },

    async handleErasure({ groupId: jobId }) {
      const [row] = await orm.select().from(jobs).where(eq(jobs.id, jobId));
      if (row) await eraseRows(row);
      await orm.transaction((tx) => tasks.closeGroup(tx, jobId)); // with this task
    },

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
      for (const { id } of await jobsOf(accountId)) {
        await apply(undefined, id, "erase").then(({ row }) => eraseRows(row), ignoreMissing);
      }
    },

    async eraseExpired() {
      await prepareRetention(pool, retentionDays);
      return eraseExpiredJobs(database, files);
    },
  };
}
