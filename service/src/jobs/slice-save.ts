/**
 * Saves what came of a slice, in one transaction: results, what is to be asked for again, what is left, and how far the
 * job is. Nothing of it is saved when the task is no longer ours: then somebody else does it, or nobody needs it.
 */
import { and, eq, sql } from "drizzle-orm";
import type { Database, Orm } from "../db/database.ts";
import { notify } from "../db/pubsub.ts";
import type { ProcessRegistry } from "../queue/process-registry.ts";
import type { Task } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import { groupByDelay } from "../validations/retries.ts";
import type { JobEnds } from "./job-end.ts";
import { lockJob } from "./job-lock.ts";
import { hasEnded, type JobRow } from "./job-record.ts";
import { JOBS_CHANNEL } from "./job-watch.ts";
import { insertResults, type ResultRow } from "./result-rows.ts";
import { jobs, slices } from "./schema.ts";
import type { Slice } from "./slice.ts";
import type { SliceEmail } from "./slice-cutter.ts";

export type SaveDeps = {
  database: Database;
  tasks: Pick<Tasks, "add" | "complete" | "postpone" | "lockClaimed" | "isAnotherGroupWaiting">;
  processes: Pick<ProcessRegistry, "id">;
  finishIfDone: JobEnds["finishIfDone"];
};

export type SliceOutcome = {
  results: ResultRow[];
  /** To be asked for again. */
  sentAway: { email: SliceEmail; delayMs: number }[];
  /** Not settled yet. */
  rest: SliceEmail[];
  /** Since they were first asked for. */
  elapsedMs: number;
  sittings: number;
  /** The rest is not to be gone on with before this time has passed. */
  leaveForMs: number | undefined;
};

/** Whether to go on with the rest; undefined when the task was not ours and nothing was saved. */
export async function saveSlice(
  deps: SaveDeps,
  task: Task,
  slice: Slice,
  outcome: SliceOutcome,
): Promise<boolean | undefined> {
  try {
    return await deps.database.orm.transaction((tx) => save(deps, tx, task, slice, outcome));
  } catch (error) {
    if (error instanceof NotOurs) return undefined;
    throw error;
  }
}

/** Rolls back what was done so far. */
class NotOurs extends Error {}

async function save(
  deps: SaveDeps,
  tx: Orm,
  task: Task,
  slice: Slice,
  outcome: SliceOutcome,
): Promise<boolean> {
  const { results, sentAway, rest } = outcome;
  const { jobId } = slice;
  const written = await insertResults(tx, jobId, results); // in nobody's way, so before the job is locked
  const job = await lockJob(tx, jobId);
  if (!job || hasEnded(job)) throw new NotOurs();
  const isToGoOn = await passOn(deps, tx, task, job, outcome);
  if (written < results.length)
    throw new Error(`job ${jobId}: some rows of slice ${slice.number} had a result`);

  await updateSlice(tx, slice, outcome);
  const retries = await addRetries(deps, tx, slice, job, outcome);
  await countResults(tx, jobId, results);
  const [now] = await tx
    .update(jobs)
    .set({
      processed: sql`${jobs.processed} + ${results.length}`,
      triedOnce: sql`${jobs.triedOnce} + ${slice.attempt === 0 ? results.length + sentAway.length : 0}`,
      retrySlices: sql`${jobs.retrySlices} + ${retries}`,
    })
    .where(eq(jobs.id, jobId))
    .returning();
  if (results.length > 0 || sentAway.length > 0) await notify(tx, JOBS_CHANNEL, jobId);
  if (rest.length === 0 && now!.processed === now!.uniqueEmails) await deps.finishIfDone(tx, jobId);
  return isToGoOn;
}

/** Completes the task, keeps it, or puts it back into its lane. Whether it is kept. */
async function passOn(
  { tasks, processes }: SaveDeps,
  tx: Orm,
  task: Task,
  job: JobRow,
  { rest, leaveForMs = 0 }: SliceOutcome,
): Promise<boolean> {
  const isDone = rest.length === 0;
  const isKept =
    !isDone &&
    leaveForMs === 0 &&
    job.status === "processing" &&
    // Otherwise the slot is left to that job; checks in flight continue meanwhile.
    !(await tasks.isAnotherGroupWaiting(tx, "jobs", job.id));
  const isSaved = isDone
    ? await tasks.complete(tx, task, processes.id)
    : isKept
      ? await tasks.lockClaimed(tx, task, processes.id)
      : await tasks.postpone(tx, task, processes.id, { dueInMs: leaveForMs });
  if (!isSaved) throw new NotOurs();
  return isKept;
}

async function updateSlice(tx: Orm, { jobId, number }: Slice, outcome: SliceOutcome): Promise<void> {
  const { rest: emails, sittings } = outcome;
  const firstAskedAt = momentBefore(outcome);
  const isIt = and(eq(slices.jobId, jobId), eq(slices.number, number));
  const { rowCount } =
    emails.length === 0
      ? await tx.delete(slices).where(isIt)
      : await tx.update(slices).set({ emails, sittings, firstAskedAt }).where(isIt);
  if (rowCount !== 1) throw new Error(`job ${jobId}: slice ${number} is gone, but its task was ours`);
}

const momentBefore = ({ elapsedMs }: Pick<SliceOutcome, "elapsedMs">) =>
  sql`clock_timestamp() - ${elapsedMs}::float8 * interval '1 millisecond'`;

/** Slices of those to be asked for again, each due in its time. Returns how many. */
async function addRetries(
  { tasks }: SaveDeps,
  tx: Orm,
  { jobId, attempt }: Slice,
  { retrySlices }: JobRow,
  { sentAway, ...outcome }: SliceOutcome,
): Promise<number> {
  if (sentAway.length === 0) return 0;
  const firstAskedAt = momentBefore(outcome);
  const added = [...groupByDelay(sentAway)].map(([delayMs, emails], index) => ({
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
