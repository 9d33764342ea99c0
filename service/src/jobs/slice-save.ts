/**
 * Saves the outcome of a slice in one transaction: results, then the task and the slice, the job's row last.
 *
 * All slices of a job meet at its row, so it is changed by one statement right before the commit. If the claim on the task
 * is lost or the job has ended, nothing is saved: another process has the task, or it is no longer needed.
 */
import { and, eq, not, sql } from "drizzle-orm";
import type { PgInsertValue } from "drizzle-orm/pg-core";
import { type Database, type Orm, sqlStateOf, UNIQUE_VIOLATION } from "../db/database.ts";
import type { Task } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import { closeIdleGroup } from "../queue/upkeep.ts";
import { groupByDelay } from "../validations/retries.ts";
import { lockJob } from "./job-lock.ts";
import type { JobProgress } from "./job-progress.ts";
import { ACTIVE_STATES, hasEnded } from "./job-state.ts";
import type { JobTransitions } from "./job-transitions.ts";
import {
  insertResults,
  type RecheckedRow,
  type ResultRow,
  replaceByRecheck,
  replaceResults,
} from "./result-rows.ts";
import { jobs, slices } from "./schema.ts";
import type { Slice } from "./slice.ts";
import type { SliceEmail } from "./slice-cutter.ts";

export type SaveDeps = {
  database: Database;
  tasks: Pick<Tasks, "add" | "complete" | "postpone" | "keep" | "shouldYield">;
  transitions: Pick<JobTransitions, "finishIfDone">;
  progress: Pick<JobProgress, "note">;
};

/** Since when it refuses this installation. */
export type RefusingProvider = { name: string; sinceMs: number };
export type DeferredRow = { email: SliceEmail; delayMs: number; waitsFor?: RefusingProvider };

export type SliceOutcome = {
  results: ResultRow[];
  /** Of these, results that cost nothing. */
  free: ResultRow[];
  /** To be retried. */
  deferred: DeferredRow[];
  /** Still in flight. */
  rest: SliceEmail[];
  /** Since the first attempt started. */
  elapsedMs: number;
  /** Since the task was claimed. */
  occupiedMs: number;
  waits: number;
  /** Delay before the rest is continued. */
  resumeInMs: number | undefined;
};

/** Whether to continue with the rest; undefined: nothing was saved. */
export async function saveSlice(
  deps: SaveDeps,
  task: Task,
  slice: Slice,
  outcome: SliceOutcome,
): Promise<boolean | undefined> {
  try {
    const continues = await deps.database.orm.transaction((tx) => save(deps, tx, task, slice, outcome));
    if (outcome.results.length > 0 || outcome.deferred.length > 0) deps.progress.note(slice.jobId);
    return continues;
  } catch (error) {
    if (error instanceof ClaimLost) return undefined;
    // The rows have results: another process has the task, and has saved them.
    if (
      sqlStateOf(error) === UNIQUE_VIOLATION &&
      !(await deps.database.orm.transaction((tx) => deps.tasks.keep(tx, task)))
    )
      return undefined;
    if (!(error instanceof JobEnded)) throw error;
    await deps.database.orm.transaction(async (tx) => {
      await deps.tasks.complete(tx, task);
      // The job's end has skipped it. A job that is finished early still needs it.
      const isNeeded = sql`exists (select from jobs where id = ${slice.jobId} and is_finishing)`;
      await tx.delete(slices).where(and(isSlice(slice), not(isNeeded)));
    });
    return undefined;
  }
}

/** Both roll the transaction back. */
class ClaimLost extends Error {}
class JobEnded extends Error {}

async function save(
  deps: SaveDeps,
  tx: Orm,
  task: Task,
  slice: Slice,
  outcome: SliceOutcome,
): Promise<boolean> {
  const { results, deferred, rest } = outcome;
  const { jobId, isRedrive } = slice;
  const tried = deferred.filter(({ waitsFor }) => waitsFor === undefined);
  const written = await write(tx, slice, outcome);
  const continues = await settleTask(deps, tx, task, outcome);
  if (written.results < results.length) throw new JobEnded(); // of a redrive or recheck: erased meanwhile
  await updateSlice(tx, slice, outcome);
  await addRetries(deps, tx, slice, outcome);
  const isAllDone = await countInJob(tx, slice, {
    processed: isRedrive ? 0 : results.length,
    triedOnce: slice.attempt === 0 && !isRedrive ? results.length + tried.length : 0,
    ...written.counted,
  });
  if (isAllDone === undefined) throw new JobEnded();
  if (isAllDone && rest.length === 0) await deps.transitions.finishIfDone(tx, jobId);
  if (isRedrive) await closeGroupIfEnded(tx, jobId);
  return continues;
}

type Written = {
  results: number;
  counted: Pick<JobCounts, "givenUp" | "freeProcessed" | "counts" | "uncharged">;
};

async function write(tx: Orm, slice: Slice, { results, free }: SliceOutcome): Promise<Written> {
  const { isRedrive, isRecheck, isFree } = slice;
  const job = { id: slice.jobId, rowsExpireOn: slice.rowsExpireOn };
  if (isRecheck) {
    const rows = await replaceByRecheck(tx, job, slice.jobAttempt, results);
    return { results: rows.length, counted: recheckCounts(rows, isFree, free) };
  }
  const counts = countsBySubStatus(results, isRedrive);
  const counted = isRedrive
    ? { givenUp: 0, freeProcessed: 0, counts, uncharged: counts }
    : { givenUp: free.length, freeProcessed: 0, counts, uncharged: countsBySubStatus(free) };
  const written = await (isRedrive ? replaceResults : insertResults)(tx, job, results);
  return { results: written.length, counted };
}

/** A result that was kept, because the new one decides less, is not charged. */
export function recheckCounts(
  rows: readonly RecheckedRow[],
  isFree: boolean,
  free: readonly ResultRow[] = [],
): Written["counted"] {
  const freeRows = new Set(free.map(({ row }) => row));
  const uncharged = rows.filter(({ row, isReplaced }) => isFree || !isReplaced || freeRows.has(row));
  return {
    givenUp: isFree ? 0 : uncharged.length,
    freeProcessed: isFree ? rows.length : 0,
    counts: countsBySubStatus(rows),
    uncharged: countsBySubStatus(uncharged),
  };
}

/** The group of a job that has ended was opened for redrives. */
async function closeGroupIfEnded(tx: Orm, jobId: string): Promise<void> {
  const job = await lockJob(tx, jobId);
  if (job && hasEnded(job)) await closeIdleGroup(tx, jobId);
}

/** Completes the task, keeps the claim, or postpones the task. Returns whether the claim is kept. */
async function settleTask(
  { tasks }: SaveDeps,
  tx: Orm,
  task: Task,
  { rest, resumeInMs = 0, occupiedMs }: SliceOutcome,
): Promise<boolean> {
  const isDone = rest.length === 0;
  const isKept =
    !isDone &&
    resumeInMs === 0 &&
    (await isProcessing(tx, task.groupId)) &&
    // Otherwise the slot is left to others; checks in flight continue meanwhile.
    !(await tasks.shouldYield(tx, task, occupiedMs));
  const isSaved = isDone
    ? await tasks.complete(tx, task)
    : isKept
      ? await tasks.keep(tx, task)
      : await tasks.postpone(tx, task, { dueInMs: resumeInMs });
  if (!isSaved) throw new ClaimLost();
  return isKept;
}

async function isProcessing(tx: Orm, jobId: string): Promise<boolean> {
  const [job] = await tx.select({ status: jobs.status }).from(jobs).where(eq(jobs.id, jobId));
  return job?.status === "processing";
}

const isSlice = ({ jobId, number }: Slice) => and(eq(slices.jobId, jobId), eq(slices.number, number));

async function updateSlice(tx: Orm, slice: Slice, outcome: SliceOutcome): Promise<void> {
  const { rest: emails, waits: sittings } = outcome;
  const firstAskedAt = startOf(outcome);
  const isIt = isSlice(slice);
  const { rowCount } =
    emails.length === 0
      ? await tx.delete(slices).where(isIt)
      : await tx
          .update(slices)
          .set({ emails, sittings, firstAskedAt, waiting: waitingOf(emails) })
          .where(isIt);
  // Deleted with the job's end.
  if (rowCount !== 1) throw new JobEnded();
}

const startOf = ({ elapsedMs }: { elapsedMs: number }) =>
  sql`clock_timestamp() - ${elapsedMs}::float8 * interval '1 millisecond'`;

/** Adds slices of deferred emails, each due after its delay. A wait for a provider is no attempt, and takes no patience. */
async function addRetries(
  { tasks }: SaveDeps,
  tx: Orm,
  { jobId, attempt, isRedrive, isRecheck, isFree }: Slice,
  { deferred, elapsedMs }: SliceOutcome,
): Promise<void> {
  for (const name of new Set(deferred.map(({ waitsFor }) => waitsFor?.name))) {
    const rows = deferred.filter(({ waitsFor }) => waitsFor?.name === name);
    const since = Math.min(...rows.flatMap(({ waitsFor }) => waitsFor?.sinceMs ?? []));
    for (const [dueInMs, emails] of groupByDelay(rows)) {
      const number = await addSlice(tx, {
        jobId,
        emails,
        attempt: name === undefined ? attempt + 1 : attempt,
        firstAskedAt: startOf({ elapsedMs: name === undefined ? elapsedMs : elapsedMs - dueInMs }),
        isRedrive,
        isRecheck,
        isFree,
        waiting: waitingOf(emails),
        ...(name !== undefined && { waitsFor: name, refusedSince: new Date(since) }),
        dueAt: sql`clock_timestamp() + ${dueInMs}::float8 * interval '1 millisecond'`,
      });
      await tasks.add(tx, [{ groupId: jobId, queue: "slice", subject: String(number), dueInMs }]);
    }
  }
}

/** Number of emails by the sub-status of their last attempt; null if none was deferred. */
function waitingOf(emails: readonly SliceEmail[]): Record<string, number> | null {
  const counts: Record<string, number> = {};
  for (const [, , last] of emails) if (last) counts[last.subStatus] = (counts[last.subStatus] ?? 0) + 1;
  return Object.keys(counts).length > 0 ? counts : null;
}

/** A slice besides the planned ones. Returns its number. */
export async function addSlice(tx: Orm, slice: NewSlice): Promise<number> {
  const number = sql`nextval('retry_slice_numbers')`;
  const [added] = await tx
    .insert(slices)
    .values({ ...slice, number })
    .returning({ number: slices.number });
  return added!.number;
}

/** After an import, which does not set sequences. */
export const RESET_SLICE_NUMBERS =
  "select setval('retry_slice_numbers', least(-1, (select min(number) - 1 from slices)), false)";

type NewSlice = Omit<PgInsertValue<typeof slices>, "number">;

/** Replaced results were internal errors. */
function countsBySubStatus(
  results: readonly { sub_status: string }[],
  isRedrive = false,
): Record<string, number> {
  const counts: Record<string, number> = isRedrive ? { internal_error: -results.length } : {};
  for (const { sub_status } of results) counts[sub_status] = (counts[sub_status] ?? 0) + 1;
  return counts;
}

export type JobCounts = {
  processed: number;
  triedOnce: number;
  /** Of the processed, those that are not charged. */
  givenUp: number;
  /** Of the processed, those that are free in a recheck, or were not checked. */
  freeProcessed: number;
  counts: Record<string, number>;
  /** Of the counts, those that are not charged: also results that replace such ones. */
  uncharged: Record<string, number>;
  /** Of these, those that finishing the job early has left unchecked. */
  unchecked?: Record<string, number>;
};

/**
 * The job's row and its counts in one statement, the last of the transaction unless the job ends with it. Returns whether
 * every email has a result; undefined: the job has ended, or its results are erased, or it is finished early by another
 * task: from then on only that one saves results.
 */
export async function countInJob(
  tx: Orm,
  { jobId, isRedrive, isFinishing = false }: Pick<Slice, "jobId" | "isRedrive"> & { isFinishing?: boolean },
  { processed, triedOnce, givenUp, freeProcessed, counts, uncharged, unchecked = {} }: JobCounts,
): Promise<boolean | undefined> {
  const states = sql.param([...ACTIVE_STATES]);
  const { rows } = await tx.execute<{ is_all_done: boolean }>(sql`
    with job as (
      update jobs set processed = processed + ${processed}, tried_once = tried_once + ${triedOnce},
        given_up = given_up + ${givenUp}, free_processed = free_processed + ${freeProcessed},
        progressed_at = case when ${processed > 0}::boolean then clock_timestamp() else progressed_at end
      where id = ${jobId} and (status = any(${states}::text[]) and is_finishing = ${isFinishing} or (${isRedrive}::boolean and erased_at is null))
      returning id, status = any(${states}::text[]) and processed = unique_emails as is_all_done
    ),
    counted as (
      insert into job_counts as c (job_id, sub_status, count, uncharged, unchecked)
      select job.id, key, value::int, coalesce((${JSON.stringify(uncharged)}::json ->> key)::int, 0),
        coalesce((${JSON.stringify(unchecked)}::json ->> key)::int, 0)
      from job, json_each_text(${JSON.stringify(counts)}::json)
      on conflict (job_id, sub_status) do update set
        count = c.count + excluded.count, uncharged = c.uncharged + excluded.uncharged,
        unchecked = c.unchecked + excluded.unchecked
    )
    select is_all_done from job`);
  return rows[0]?.is_all_done;
}
