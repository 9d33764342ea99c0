/** Applies the transitions of job-state.ts: updates the job's row and runs the effects, in one transaction. */
import { type JobStatus, STATUS_OF, type Status, type SubStatus, type WebhookEvent } from "@mailvet/contract";
import { and, eq, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { isRefunded, type UnknownRefund } from "../credits/refund-policy.ts";
import { reserveForRun, settleRun } from "../credits/run-credits.ts";
import { addVerdictCounts } from "../credits/verdict-counts.ts";
import type { Database, Orm } from "../db/database.ts";
import { DEFAULT_DATE } from "../db/partitions.ts";
import { notify } from "../db/pubsub.ts";
import type { NewTask } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import type { PublishEvent } from "../webhooks/publish-event.ts";
import { lockJob } from "./job-lock.ts";
import { costOf, type JobRow, readJobRecord, spentBy } from "./job-record.ts";
import { hasEnded, type JobEffect, type JobEvent, requireTransition, transitionOf } from "./job-state.ts";
import { JOBS_CHANNEL } from "./job-watch.ts";
import { partitionOf } from "./result-rows.ts";
import { jobCounts, jobs, slices } from "./schema.ts";

export type JobTransitions = {
  /** Inserts a job. `lowBalance`: reserving its credits has taken the balance below LOW_CREDITS. */
  create(tx: Orm, row: NewJob): Promise<{ job: JobRow; lowBalance: number | undefined }>;
  /** Starts a recheck with these columns. Returns the balance if it has become low. The caller holds the lock on the job. */
  recheck(tx: Orm, job: JobRow, columns: PgUpdateSetSource<typeof jobs>): Promise<number | undefined>;
  /** Throws job_state_conflict. The caller holds the lock on the job (job-lock.ts). */
  apply(tx: Orm, job: JobRow, event: JobEvent): Promise<void>;
  /** Returns the job, started if it was queued; undefined if it does not exist. */
  start(jobId: string): Promise<JobRow | undefined>;
  /**
   * Completes a planned job once every email has a verdict. Called at the end of the transaction that may have saved the
   * last one, after its task is completed.
   */
  finishIfDone(tx: Orm, jobId: string): Promise<void>;
  /** Completes a job whose open rows are saved. No effect on one that is paused or has ended. */
  finish(tx: Orm, jobId: string): Promise<void>;
  /** No effect on a job that has ended. */
  fail(tx: Orm, jobId: string, error: JobError): Promise<void>;
};

export type NewJob = Omit<typeof jobs.$inferInsert, "status">;
export type JobError = { code: string; detail: string };

export type JobTransitionDeps = {
  database: Pick<Database, "orm">;
  tasks: Pick<Tasks, "openGroup" | "add" | "pause" | "resume" | "clear" | "closeGroup">;
  publish: PublishEvent;
  /** How long rows and results are kept after the end. */
  retentionDays: number;
  unknownRefund: UnknownRefund;
  /** For the metrics. Called right before the commit; a rollback after it is rare. */
  countEnd?: (status: JobStatus, credits: { creditsUsed: number; creditsRefunded: number }) => void;
};

export function createJobTransitions(deps: JobTransitionDeps): JobTransitions {
  const { tasks, publish } = deps;
  const { orm } = deps.database;
  const columns = columnsByState(deps.retentionDays);

  /** `job` is the row before the transition. reserve_credits returns the balance if it has become low. */
  type Effect = (tx: Orm, job: JobRow, to: JobStatus) => Promise<unknown>;

  const EFFECTS: Readonly<Record<JobEffect, Effect>> = {
    async add_plan_task(tx, { id, accountId }) {
      await tasks.openGroup(tx, { id, accountId });
      await tasks.add(tx, [{ groupId: id, queue: "plan", subject: id }]);
    },
    pause_tasks: (tx, { id }) => tasks.pause(tx, id),
    async mark_suspended(tx, { id }) {
      await tx.update(jobs).set({ isSuspended: true }).where(eq(jobs.id, id));
    },
    resume_tasks: (tx, { id }) => tasks.resume(tx, id),
    async delete_tasks(tx, job) {
      const { id } = job;
      await tasks.closeGroup(tx, id);
      // Locked slices are being saved by a transaction that waits for the job and then finds it ended.
      await tx.execute(sql`
        delete from slices where (job_id, number) in (
          select job_id, number from slices where job_id = ${id} and not is_redrive for update skip locked
        )`);
      await keepRedrives(tx, job);
    },
    async reserve_credits(tx, job) {
      const { id: jobId, accountId, reservationId: runId, keyId } = job;
      if (runId === null) return undefined; // a test key's
      return reserveForRun(tx, { accountId, runId, jobId, amount: costOf(job), keyId });
    },
    async finish_early(tx, job) {
      const { id, isPlanned, attempt, isFinishing } = job;
      if (isFinishing) return;
      await tx.update(jobs).set({ isFinishing: true }).where(eq(jobs.id, id));
      await tasks.clear(tx, id, "slice");
      await keepRedrives(tx, job);
      // Otherwise planning adds it. Rows of a recheck have a verdict already.
      if (isPlanned || attempt > 1) await tasks.add(tx, [finishTask(id)]);
    },
    async settle_credits(tx, job) {
      const { accountId, reservationId: runId, keyId } = job;
      if (runId === null) return;
      const { counts, refunded } = await chargeOf(tx, job);
      await settleRun(tx, { accountId, runId, used: spentBy(job), refunded });
      await addVerdictCounts(tx, accountId, keyId, counts);
    },
    async publish(tx, job, to) {
      await publish(tx, job, `job.${to}` as WebhookEvent, { job: await readJobRecord(tx, job.id) }, job.id);
    },
    notify: (tx, { id }) => notify(tx, JOBS_CHANNEL, id),
    finish_if_done: (tx, { id }) => finishIfDone(tx, id),
    async expire_now(tx, { id }) {
      await tx.update(jobs).set({ expiresAt: sql`now()` }).where(eq(jobs.id, id));
    },
  };

  /** Verdicts as they are counted per day, and how many are refunded: those that are not charged, and by policy. */
  async function chargeOf(
    tx: Orm,
    { id, level, givenUp, attempt }: JobRow,
  ): Promise<{ counts: Record<Status, number>; refunded: number }> {
    const counts = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
    let refunded = givenUp;
    for (const row of await tx.select().from(jobCounts).where(eq(jobCounts.jobId, id))) {
      const subStatus = row.subStatus as SubStatus;
      // In a recheck, everything that is not part of it is not charged.
      const left = attempt === 1 ? row.unchecked : row.uncharged;
      counts[STATUS_OF[subStatus]] += row.count - left;
      if (isRefunded(deps.unknownRefund, subStatus, level)) refunded += row.count - row.uncharged;
    }
    return { counts, refunded };
  }

  /** Slices that replace results go on after the job's end. */
  async function keepRedrives(tx: Orm, { id, accountId }: JobRow): Promise<void> {
    const isRedrive = and(eq(slices.jobId, id), eq(slices.isRedrive, true));
    const kept = await tx.select({ number: slices.number }).from(slices).where(isRedrive);
    if (kept.length === 0) return;
    await tasks.openGroup(tx, { id, accountId });
    await tasks.add(
      tx,
      kept.map(({ number }) => ({ groupId: id, queue: "slice", subject: String(number) })),
    );
  }

  async function runEffects(
    tx: Orm,
    job: JobRow,
    to: JobStatus,
    effects: readonly JobEffect[],
  ): Promise<number | undefined> {
    let lowBalance: number | undefined;
    for (const effect of effects) {
      const result = await EFFECTS[effect](tx, job, to);
      if (typeof result === "number") lowBalance = result;
    }
    return lowBalance;
  }

  async function apply(tx: Orm, job: JobRow, event: JobEvent, error?: JobError): Promise<JobRow> {
    const { to: wanted, effects } = requireTransition(job.status, event);
    // A recheck that ends early leaves a verdict for every row.
    const isRecheckEnd = job.attempt > 1 && hasEnded({ status: wanted }) && !hasEnded(job);
    const to = isRecheckEnd ? "completed" : wanted;
    let changed = job;
    if (to !== job.status) {
      const isEnd = hasEnded({ status: to }) && !hasEnded(job);
      const refunded = isEnd ? (await chargeOf(tx, job)).refunded : 0;
      const set = {
        ...columns[to],
        status: to,
        error: error ?? null,
        creditsRefunded: job.creditsRefunded + refunded,
        ...(isRecheckEnd && { processed: job.uniqueEmails }),
      };
      [changed = job] = await tx.update(jobs).set(set).where(eq(jobs.id, job.id)).returning();
    }
    await runEffects(tx, job, to, effects);
    if (isRecheckEnd && job.processed < job.uniqueEmails) await recount(tx, job);
    if (hasEnded(changed) && !hasEnded(job))
      deps.countEnd?.(to, {
        creditsUsed: job.reservationId === null ? 0 : changed.creditsUsed - job.creditsUsed,
        creditsRefunded: job.reservationId === null ? 0 : changed.creditsRefunded - job.creditsRefunded,
      });
    return changed;
  }

  async function finishIfDone(tx: Orm, jobId: string): Promise<void> {
    const job = await lockJob(tx, jobId);
    const isDone = job?.isPlanned && job.processed >= job.uniqueEmails;
    if (isDone && transitionOf(job.status, "finish")) await apply(tx, job, "finish");
  }

  async function finish(tx: Orm, jobId: string): Promise<void> {
    const job = await lockJob(tx, jobId);
    if (job && transitionOf(job.status, "finish")) await apply(tx, job, "finish");
  }

  return {
    async create(tx, row) {
      const { to, effects } = requireTransition("new", "confirm");
      const [job] = await tx
        .insert(jobs)
        .values({ ...row, status: to })
        .returning();
      return { job: job!, lowBalance: await runEffects(tx, job!, to, effects) };
    },
    async recheck(tx, job, set) {
      const { to, effects } = requireTransition(job.status, "recheck");
      const [changed] = await tx
        .update(jobs)
        .set({ ...set, status: to, error: null })
        .where(eq(jobs.id, job.id))
        .returning();
      return runEffects(tx, changed!, to, effects);
    },
    async apply(tx, job, event) {
      await apply(tx, job, event);
    },
    start: (jobId) =>
      orm.transaction(async (tx) => {
        const job = await lockJob(tx, jobId);
        return job && transitionOf(job.status, "start") ? apply(tx, job, "start") : job;
      }),
    finishIfDone,
    finish,
    async fail(tx, jobId, error) {
      const job = await lockJob(tx, jobId);
      if (job && transitionOf(job.status, "fail")) await apply(tx, job, "fail", error);
    },
  };
}

/** What changes in the row when a job enters a state. */
function columnsByState(retentionDays: number): Record<JobStatus, PgUpdateSetSource<typeof jobs>> {
  const endPause = {
    pausedMs: sql`${jobs.pausedMs} + coalesce(
      extract(epoch from clock_timestamp() - ${jobs.pausedAt}) * 1000, 0)::bigint`,
    pausedAt: null,
    isSuspended: false,
  };
  const end = {
    ...endPause,
    isFinishing: false,
    creditsUsed: sql`${jobs.creditsUsed} + ${jobs.processed} - ${jobs.settledEmails} - ${jobs.freeProcessed}`,
    reservationId: null,
    completedAt: sql`clock_timestamp()`,
    expiresAt: sql`case when not ${jobs.isKept} then clock_timestamp() + ${retentionDays} * interval '1 day' end`,
  };
  return {
    queued: {},
    processing: { ...endPause, startedAt: sql`coalesce(${jobs.startedAt}, now())` },
    paused: { pausedAt: sql`clock_timestamp()` },
    completed: end,
    cancelled: end,
    failed: end,
  };
}

/** Ends a job early (finish-early.ts). */
export const finishTask = (jobId: string): NewTask => ({
  groupId: jobId,
  queue: "action",
  subject: "finish",
});

/** The counts of a recheck that ended early, from the results. */
async function recount(tx: Orm, job: JobRow): Promise<void> {
  await tx.execute(sql`
    insert into job_counts as c (job_id, sub_status, count)
    select ${job.id}::uuid, sub_status, count(*)::int from results
    where expires_on in (${partitionOf(job)}::date, ${DEFAULT_DATE}::date) and job_id = ${job.id} group by sub_status
    on conflict (job_id, sub_status) do update set count = excluded.count`);
}
