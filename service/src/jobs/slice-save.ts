/**
 * Saves the outcome of a slice in one transaction: results, retries, remaining emails and the job's progress.
 *
 * If the claim on the task is lost, nothing is saved: another process has the task, or it is no longer needed.
 */
import { and, eq, sql } from "drizzle-orm";
import type { Database, Orm } from "../db/database.ts";
import { notify } from "../db/pubsub.ts";
import type { ProcessRegistry } from "../queue/process-registry.ts";
import type { Task } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import { groupByDelay } from "../validations/retries.ts";
import { lockJob } from "./job-lock.ts";
import type { JobRow } from "./job-record.ts";
import { hasEnded } from "./job-state.ts";
import type { JobTransitions } from "./job-transitions.ts";
import { JOBS_CHANNEL } from "./job-watch.ts";
import { insertResults, type ResultRow } from "./result-rows.ts";
import { jobs, slices } from "./schema.ts";
import type { Slice } from "./slice.ts";
import type { SliceEmail } from "./slice-cutter.ts";

export type SaveDeps = {
  database: Database;
  tasks: Pick<Tasks, "add" | "complete" | "postpone" | "lockClaimed" | "isAnotherGroupWaiting">;
  processes: Pick<ProcessRegistry, "id">;
  transitions: Pick<JobTransitions, "finishIfDone">;
};

export type SliceOutcome = {
  results: ResultRow[];
  /** To be retried. */
  deferred: { email: SliceEmail; delayMs: number }[];
  /** Still in flight. */
  rest: SliceEmail[];
  /** Since the first attempt started. */
  elapsedMs: number;
  waits: number;
  /** Delay before the rest is continued. */
  resumeInMs: number | undefined;
};

/** Whether to continue with the rest; undefined: the claim was lost and nothing was saved. */
export async function saveSlice(
  deps: SaveDeps,
  task: Task,
  slice: Slice,
  outcome: SliceOutcome,
): Promise<boolean | undefined> {
  try {
    return await deps.database.orm.transaction((tx) => save(deps, tx, task, slice, outcome));
  } catch (error) {
    if (error instanceof ClaimLost) return undefined;
    throw error;
  }
}

/** Rolls the transaction back. */
class ClaimLost extends Error {}

async function save(
  deps: SaveDeps,
  tx: Orm,
  task: Task,
  slice: Slice,
  outcome: SliceOutcome,
): Promise<boolean> {
  const { results, deferred, rest } = outcome;
  const { jobId } = slice;
  const written = await insertResults(tx, jobId, results); // before the job is locked, to keep the lock short
  const job = await lockJob(tx, jobId);
  if (!job || hasEnded(job)) throw new ClaimLost();
  const continues = await settleTask(deps, tx, task, job, outcome);
  if (written < results.length)
    throw new Error(`job ${jobId}: some rows of slice ${slice.number} already have a result`);

  await updateSlice(tx, slice, outcome);
  const retries = await addRetries(deps, tx, slice, job, outcome);
  await countResults(tx, jobId, results);
  const [updated] = await tx
    .update(jobs)
    .set({
      processed: sql`${jobs.processed} + ${results.length}`,
      triedOnce: sql`${jobs.triedOnce} + ${slice.attempt === 0 ? results.length + deferred.length : 0}`,
      retrySlices: sql`${jobs.retrySlices} + ${retries}`,
    })
    .where(eq(jobs.id, jobId))
    .returning();
  if (results.length > 0 || deferred.length > 0) await notify(tx, JOBS_CHANNEL, jobId);
  if (rest.length === 0 && updated!.processed === updated!.uniqueEmails) {
    await deps.transitions.finishIfDone(tx, jobId);
  }
  return continues;
}

/** Completes the task, keeps the claim, or postpones the task. Returns whether the claim is kept. */
async function settleTask(
  { tasks, processes }: SaveDeps,
  tx: Orm,
  task: Task,
  job: JobRow,
  { rest, resumeInMs = 0 }: SliceOutcome,
): Promise<boolean> {
  const isDone = rest.length === 0;
  const isKept =
    !isDone &&
    resumeInMs === 0 &&
    job.status === "processing" &&
    // Otherwise the slot is left to that job; checks in flight continue meanwhile.
    !(await tasks.isAnotherGroupWaiting(tx, "jobs", job.id));
  const isSaved = isDone
    ? await tasks.complete(tx, task, processes.id)
    : isKept
      ? await tasks.lockClaimed(tx, task, processes.id)
      : await tasks.postpone(tx, task, processes.id, { dueInMs: resumeInMs });
  if (!isSaved) throw new ClaimLost();
  return isKept;
}

async function updateSlice(tx: Orm, { jobId, number }: Slice, outcome: SliceOutcome): Promise<void> {
  const { rest: emails, waits: sittings } = outcome;
  const firstAskedAt = startOf(outcome);
  const isIt = and(eq(slices.jobId, jobId), eq(slices.number, number));
  const { rowCount } =
    emails.length === 0
      ? await tx.delete(slices).where(isIt)
      : await tx.update(slices).set({ emails, sittings, firstAskedAt }).where(isIt);
  if (rowCount !== 1)
    throw new Error(`job ${jobId}: slice ${number} does not exist, but its task is claimed`);
}

const startOf = ({ elapsedMs }: Pick<SliceOutcome, "elapsedMs">) =>
  sql`clock_timestamp() - ${elapsedMs}::float8 * interval '1 millisecond'`;

/** Adds slices of deferred emails, each due after its delay. Returns how many. */
async function addRetries(
  { tasks }: SaveDeps,
  tx: Orm,
  { jobId, attempt }: Slice,
  { retrySlices }: JobRow,
  { deferred, ...outcome }: SliceOutcome,
): Promise<number> {
  if (deferred.length === 0) return 0;
  const firstAskedAt = startOf(outcome);
  const added = [...groupByDelay(deferred)].map(([delayMs, emails], index) => ({
    slice: { jobId, number: -(retrySlices + index + 1), emails, attempt: attempt + 1, firstAskedAt },
    dueInMs: delayMs,
  }));
  await tx.insert(slices).values(added.map(({ slice }) => slice));
  await tasks.add(
    tx,
    added.map(({ slice: { number }, dueInMs }) => ({
      groupId: jobId,
      kind: "slice",
      subject: String(number),
      dueInMs,
    })),
  );
  return added.length;
}

async function countResults(tx: Orm, jobId: string, results: readonly ResultRow[]): Promise<void> {
  if (results.length === 0) return;
  const counts: Record<string, number> = {};
  for (const { sub_status } of results) counts[sub_status] = (counts[sub_status] ?? 0) + 1;
  await tx.execute(sql`
    insert into job_counts as c (job_id, sub_status, count)
    select ${jobId}::uuid, key, value::int from json_each_text(${JSON.stringify(counts)}::json)
    on conflict (job_id, sub_status) do update set count = c.count + excluded.count`);
}
