/**
 * Task handler that finishes a job before all of its emails are checked: results for the rows that are open, a batch per
 * transaction, then the job's end.
 *
 * One that waits for a retry gets the verdict of its last attempt, and is charged like any verdict. One that was not checked,
 * whose check is in flight, or that waits for a provider which refuses this installation, is not charged. From the request
 * on (job-transitions.ts) nothing else saves results of the job.
 */
import { setTimeout as rest } from "node:timers/promises";
import { type Evidence, refusalOfUs } from "@mailvet/engine";
import { and, eq, inArray, TransactionRollbackError } from "drizzle-orm";
import { inTimeSlices } from "../base/event-loop-yield.ts";
import type { Database } from "../db/database.ts";
import type { Task, TaskHandler } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import type { JobProgress } from "./job-progress.ts";
import type { JobRow } from "./job-record.ts";
import type { JobTransitions } from "./job-transitions.ts";
import { insertResults, type ResultRow, reportOn, resultRow } from "./result-rows.ts";
import { restoredEvidence } from "./results/result-evidence.ts";
import type { InspectEmail } from "./results/result-from-evidence.ts";
import { jobs, slices } from "./schema.ts";
import { MAX_SLICE_EMAILS, type SliceEmail } from "./slice-cutter.ts";
import { countInJob } from "./slice-save.ts";

export type FinishDeps = {
  database: Database;
  tasks: Pick<Tasks, "keep" | "complete" | "postpone" | "shouldYield">;
  transitions: Pick<JobTransitions, "start" | "finish">;
  progress: Pick<JobProgress, "note">;
  inspect: InspectEmail;
};

const ROWS_AT_ONCE = 1_000;
/** Serializing more of them blocks the event loop for longer than requests should wait. */
const ROWS_PER_INSERT = 100;
/** Rest after a batch, as a multiple of the time that it took: requests of others have the processor and the disk. */
const REST_SHARE = 1;

type Batch = { numbers: number[]; rows: OpenRow[] };
type OpenRow = { result: ResultRow; isChecked: boolean };

/** For the queue "action"; the group is the job. */
export function finishHandler(deps: FinishDeps): TaskHandler {
  const { database, tasks, transitions, progress } = deps;
  return async (task, signal) => {
    const claimedAtMs = performance.now();
    await transitions.start(task.groupId);
    for (;;) {
      const [job] = await database.orm.select().from(jobs).where(eq(jobs.id, task.groupId));
      // A lost claim does not matter: another process has the task, or the job was cancelled.
      if (!job?.isFinishing) return void (await tasks.complete(database.orm, task));
      if (signal.aborted || job.status === "paused")
        return void (await tasks.postpone(database.orm, task, {}));
      const startedAtMs = performance.now();
      const batch = await readBatch(deps, job);
      const continues = await save(deps, task, job, batch, claimedAtMs).catch((error: unknown) => {
        if (error instanceof TransactionRollbackError) return true; // the job has ended
        throw error;
      });
      progress.note(job.id);
      if (!continues) return;
      await rest((performance.now() - startedAtMs) * REST_SHARE, undefined, { signal }).catch(() => {});
    }
  };
}

/** Rows of a recheck have a result, which is kept. */
async function readBatch({ database, inspect }: FinishDeps, { id, attempt }: JobRow): Promise<Batch> {
  if (attempt > 1) return { numbers: [], rows: [] };
  const found = await database.orm
    .select({ number: slices.number, emails: slices.emails })
    .from(slices)
    .where(isOpen(id))
    .orderBy(slices.number)
    .limit(ROWS_AT_ONCE / MAX_SLICE_EMAILS);
  const emails = found.flatMap((slice) => slice.emails).sort(([a], [b]) => a - b);
  const rows = await inTimeSlices(emails, (email) => openRow(inspect, email));
  return { numbers: found.map(({ number }) => number), rows };
}

const isOpen = (jobId: string) => and(eq(slices.jobId, jobId), eq(slices.isRedrive, false));

function openRow(inspect: InspectEmail, [row, email, last]: SliceEmail): OpenRow {
  const inspection = inspect(email);
  const evidence: Evidence = last
    ? restoredEvidence(inspection, last.evidence)
    : { ...inspection, isStopped: true };
  const report = reportOn({ evidence, checkedAtMs: last?.checkedAtMs ?? Date.now() });
  const isUnasked = last?.waitsSinceMs !== undefined && refusalOfUs(evidence) !== undefined;
  return { result: resultRow(row, report, evidence), isChecked: last !== undefined && !isUnasked };
}

/**
 * Without rows: ends the job. Returns whether to continue with the next batch.
 *
 * Lock order as in slice-save.ts. A slice that is being saved may have inserted its results: the insert waits until that is
 * rolled back.
 */
function save(
  { database, tasks, transitions }: FinishDeps,
  task: Task,
  job: JobRow,
  { numbers, rows }: Batch,
  claimedAtMs: number,
): Promise<boolean> {
  return database.orm.transaction(async (tx) => {
    if (numbers.length === 0) {
      if (await tasks.complete(tx, task)) await transitions.finish(tx, job.id);
      return false;
    }
    if (!(await tasks.keep(tx, task))) return false;
    for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
      const some = rows.slice(at, at + ROWS_PER_INSERT);
      await insertResults(
        tx,
        job,
        some.map(({ result }) => result),
      );
    }
    await tx.delete(slices).where(and(isOpen(job.id), inArray(slices.number, numbers)));
    const continues = !(await tasks.shouldYield(tx, task, performance.now() - claimedAtMs));
    if (!continues) await tasks.postpone(tx, task, {});
    const unchecked = rows.filter(({ isChecked }) => !isChecked);
    const uncheckedCounts = countsOf(unchecked);
    const counted = await countInJob(
      tx,
      { jobId: job.id, isRedrive: false, isFinishing: true },
      {
        processed: rows.length,
        triedOnce: unchecked.length,
        givenUp: 0,
        freeProcessed: unchecked.length,
        counts: countsOf(rows),
        uncharged: uncheckedCounts,
        unchecked: uncheckedCounts,
      },
    );
    if (counted === undefined) tx.rollback();
    return continues;
  });
}

function countsOf(rows: readonly OpenRow[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { result } of rows) counts[result.sub_status] = (counts[result.sub_status] ?? 0) + 1;
  return counts;
}
