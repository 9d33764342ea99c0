/** What the owner of a job may do with it: cancel, pause, resume and erase it. */
import type { Job, JobStatus } from "@mailvet/contract";
import { eq, sql } from "drizzle-orm";
import type { Caller } from "../caller.ts";
import type { BeforeCommit, Database, Orm } from "../db/database.ts";
import { notify } from "../db/pubsub.ts";
import type { Tasks } from "../queue/tasks.ts";
import { Refusal } from "../refusal.ts";
import { type JobEndDeps, type JobEnds, PAUSED_MS } from "./job-end.ts";
import { lockJob } from "./job-lock.ts";
import { hasEnded, type JobRow, readJobRecord } from "./job-record.ts";
import { JOBS_CHANNEL } from "./job-watch.ts";
import { eraseExpiredJobs, eraseRows } from "./retention.ts";
import { jobs } from "./schema.ts";

/** Each refuses with job_not_found, also for another account's, and with job_state_conflict where it makes no sense. */
export type JobActions = {
  /** What has no verdict yet never gets one, and is not paid for. */
  cancel(caller: Owner, jobId: string, beforeCommit?: BeforeCommit<Job>): Promise<Job>;
  /** What is under way is still saved. */
  pause(caller: Owner, jobId: string, beforeCommit?: BeforeCommit<Job>): Promise<Job>;
  resume(caller: Owner, jobId: string, beforeCommit?: BeforeCommit<Job>): Promise<Job>;
  /** Cancels it if it runs; then nothing of it is left. */
  erase(caller: Owner, jobId: string): Promise<void>;
  /** Erases what is past its time, and says of how many jobs. */
  eraseExpired(): Promise<number>;
};

type Owner = Pick<Caller, "accountId">;

export type JobActionDeps = Pick<JobEndDeps, "announce"> & {
  database: Database;
  tasks: Pick<Tasks, "pause" | "resume">;
  ends: JobEnds;
};

export function createJobActions(deps: JobActionDeps): JobActions {
  const { database, tasks, ends, announce } = deps;
  const { orm, pool } = database;

  type Work = (tx: Orm, job: JobRow) => Promise<void>;

  /** Does it with the job's row locked, and returns the job's record after it. */
  const withJob = ({ accountId }: Owner, jobId: string, work: Work, beforeCommit?: BeforeCommit<Job>) =>
    orm.transaction(async (tx) => {
      const job = await lockJob(tx, jobId, accountId);
      if (!job) throw new Refusal("job_not_found", "There is no job with this id.");
      await work(tx, job);
      const record = (await readJobRecord(tx, jobId))!;
      await beforeCommit?.(tx, record);
      return record;
    });

  const cancel: Work = async (tx, job) => {
    require(job, ["queued", "processing", "paused"], "cancelled");
    await ends.end(tx, job, { status: "cancelled" });
  };

  const pause: Work = async (tx, job) => {
    require(job, ["processing"], "paused");
    await tx
      .update(jobs)
      .set({ status: "paused", pausedAt: sql`clock_timestamp()` })
      .where(eq(jobs.id, job.id));
    await tasks.pause(tx, job.id);
    await announce(tx, job.accountId, "job.paused", { job: await readJobRecord(tx, job.id) });
    await notify(tx, JOBS_CHANNEL, job.id);
  };

  const resume: Work = async (tx, job) => {
    require(job, ["paused"], "resumed");
    await tx
      .update(jobs)
      .set({ status: "processing", pausedMs: PAUSED_MS, pausedAt: null })
      .where(eq(jobs.id, job.id));
    await tasks.resume(tx, job.id);
    await notify(tx, JOBS_CHANNEL, job.id);
    await ends.finishIfDone(tx, job.id); // its last emails may have been under way when it was paused
  };

  return {
    cancel: (caller, jobId, beforeCommit) => withJob(caller, jobId, cancel, beforeCommit),
    pause: (caller, jobId, beforeCommit) => withJob(caller, jobId, pause, beforeCommit),
    resume: (caller, jobId, beforeCommit) => withJob(caller, jobId, resume, beforeCommit),

    async erase(caller, jobId) {
      let erased: JobRow | undefined;
      await withJob(caller, jobId, async (tx, job) => {
        if (!hasEnded(job)) await ends.end(tx, job, { status: "cancelled" });
        // Should we die before the end of this, the next housekeeping erases the rest.
        await tx.update(jobs).set({ expiresAt: sql`now()` }).where(eq(jobs.id, jobId));
        erased = job;
      });
      await eraseRows(pool, erased!);
      await orm.delete(jobs).where(eq(jobs.id, jobId));
      await notify(pool, JOBS_CHANNEL, jobId);
    },

    eraseExpired: () => eraseExpiredJobs(database),
  };
}

function require({ status }: JobRow, allowed: readonly JobStatus[], move: string): void {
  if (allowed.includes(status)) return;
  throw new Refusal("job_state_conflict", `The job is ${status}, so it cannot be ${move}.`);
}
