/**
 * How a job ends: completed, cancelled or failed. Once, and in one transaction: what was used is settled, the rest of
 * the credits goes back, whoever wants to know is told, and no more of its tasks are worked on.
 */
import { STATUS_OF, type Status, type SubStatus, type WebhookEvent } from "@mailvet/contract";
import { eq, sql } from "drizzle-orm";
import { settleJob } from "../credits/job-credits.ts";
import type { Database, Orm } from "../db/database.ts";
import { notify } from "../db/pubsub.ts";
import type { Tasks } from "../queue/tasks.ts";
import { lockJob } from "./job-lock.ts";
import { hasEnded, type JobRow } from "./job-record.ts";
import { JOBS_CHANNEL } from "./job-watch.ts";
import { jobCounts, jobs, slices } from "./schema.ts";

export type JobEnds = {
  /**
   * Completes the job if all its emails are planned and have a verdict. Called in the transaction that made it so, after
   * everything else of it, the completing of the task included.
   */
  finishIfDone(tx: Orm, jobId: string): Promise<void>;
  /** Ends a job that has not ended and is locked. */
  end(tx: Orm, job: JobRow, ending: Ending): Promise<void>;
  /** It cannot go on, and this is why. Nothing happens if it has ended already. */
  fail(jobId: string, error: JobError): Promise<void>;
};

export type JobError = { code: string; detail: string };
export type Ending =
  | { status: "completed" | "cancelled"; error?: undefined }
  | { status: "failed"; error: JobError };

export type JobEndDeps = {
  database: Pick<Database, "orm">;
  tasks: Pick<Tasks, "closeGroup">;
  /** Tells the account's webhooks, inside the transaction. */
  announce: PublishJobEvent;
  /** The job as its owner sees it at this moment of the transaction. */
  recordOf: (tx: Orm, jobId: string) => Promise<unknown>;
  /** How long rows and results are kept. */
  retentionDays: number;
};

export type PublishJobEvent = (
  tx: Orm,
  accountId: string,
  event: WebhookEvent,
  data: Record<string, unknown>,
) => Promise<void>;

export function createJobEnds(deps: JobEndDeps): JobEnds {
  const { database, tasks, announce, recordOf, retentionDays } = deps;

  const end: JobEnds["end"] = async (tx, job, { status, error }) => {
    const { id, accountId, processed: used, reservationId, keyId } = job;
    await tx
      .update(jobs)
      .set({
        status,
        error: error ?? null,
        creditsUsed: used,
        reservationId: null,
        pausedMs: PAUSED_MS,
        pausedAt: null,
        completedAt: sql`clock_timestamp()`,
        expiresAt: sql`clock_timestamp() + ${retentionDays} * interval '1 day'`,
      })
      .where(eq(jobs.id, id));
    await tasks.closeGroup(tx, id);
    await tx.delete(slices).where(eq(slices.jobId, id));
    await announce(tx, accountId, `job.${status}`, { job: await recordOf(tx, id) });
    await notify(tx, JOBS_CHANNEL, id);
    if (reservationId === null) return; // a test key's
    const counts = await countsOf(tx, id);
    await settleJob(tx, { accountId, reservationId, used, counts, keyId: keyId ?? undefined });
  };

  return {
    end,
    async finishIfDone(tx, jobId) {
      const job = await lockJob(tx, jobId);
      if (job?.status !== "processing" || !job.isPlanned || job.processed < job.uniqueEmails) return;
      await end(tx, job, { status: "completed" });
    },
    fail: (jobId, error) =>
      database.orm.transaction(async (tx) => {
        const job = await lockJob(tx, jobId);
        if (job && !hasEnded(job)) await end(tx, job, { status: "failed", error });
      }),
  };
}

/** In all, up to this moment. */
export const PAUSED_MS = sql`${jobs.pausedMs} + coalesce(
  extract(epoch from clock_timestamp() - ${jobs.pausedAt}) * 1000, 0)::bigint`;

async function countsOf(tx: Orm, jobId: string): Promise<Record<Status, number>> {
  const counts = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
  for (const { subStatus, count } of await tx.select().from(jobCounts).where(eq(jobCounts.jobId, jobId))) {
    counts[STATUS_OF[subStatus as SubStatus]] += count;
  }
  return counts;
}
