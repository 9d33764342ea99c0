/**
 * Cuts the rows of a job into slices, one window of the file per transaction. After a crash planning continues with the
 * first unplanned window, so no row is planned twice.
 */
import { eq, sql } from "drizzle-orm";
import { startTimeSlice, type TimeSlice } from "../base/event-loop-yield.ts";
import type { Database } from "../db/database.ts";
import type { NewTask, Task, TaskHandler } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import { findUpload } from "../uploads/stored-upload.ts";
import type { UploadFiles } from "../uploads/upload-files.ts";
import { lockJob } from "./job-lock.ts";
import type { JobRow } from "./job-record.ts";
import { hasEnded } from "./job-state.ts";
import { finishTask, type JobTransitions } from "./job-transitions.ts";
import { selectedEmails } from "./recheck/recheck.ts";
import { partitionOf } from "./result-rows.ts";
import { type PlanWindow, readWindows } from "./row-window.ts";
import { jobs } from "./schema.ts";
import { cutSlices } from "./slice-cutter.ts";
import { addSlice } from "./slice-save.ts";

export type PlanDeps = {
  database: Database;
  files: Pick<UploadFiles, "readCounted">;
  tasks: Pick<Tasks, "add" | "complete" | "keep" | "postpone">;
  transitions: Pick<JobTransitions, "start" | "finishIfDone">;
};

/** `planned`: continue with the next window. `complete`: that was the last. `over`: nothing to plan any more. */
type PlanOutcome = "planned" | "complete" | "postponed" | "over";

/** For the queue "plan"; the subject is the job's id. */
export function planHandler(deps: PlanDeps): TaskHandler {
  const { database, tasks, transitions } = deps;
  return async (task, signal) => {
    const job = await transitions.start(task.subject);
    const outcome = job ? await planFrom(deps, task, job, signal) : "over";
    // A lost claim does not matter here: another process has the task.
    if (outcome === "postponed") await tasks.postpone(database.orm, task, {});
    if (outcome === "over") await tasks.complete(database.orm, task);
  };
}

async function planFrom(deps: PlanDeps, task: Task, job: JobRow, signal: AbortSignal): Promise<PlanOutcome> {
  if (hasEnded(job) || job.isPlanned) return "over";
  if (job.recheck) return planRecheck(deps, task, job, signal);
  const { files, database } = deps;
  const timeSlice = startTimeSlice();
  const upload = await findUpload(database.orm, job.uploadId);
  const windows = upload ? readWindows({ files, pool: database.pool }, upload, job, timeSlice) : [];
  for await (const window of windows) {
    const outcome = signal.aborted ? "postponed" : await planWindow(deps, task, job.id, window, timeSlice);
    if (outcome !== "planned") return outcome;
  }
  const [current] = await database.orm.select().from(jobs).where(eq(jobs.id, job.id));
  if (!current || hasEnded(current)) return "over";
  throw new Error(`job ${job.id}: rows of its upload are missing`);
}

/** Windows of selected results, in row order; `plannedParts` is the last row that is planned. */
async function planRecheck(
  { database, tasks, transitions }: PlanDeps,
  task: Task,
  { id: jobId }: JobRow,
  signal: AbortSignal,
): Promise<PlanOutcome> {
  for (;;) {
    if (signal.aborted) return "postponed";
    const outcome = await database.orm.transaction(async (tx): Promise<PlanOutcome> => {
      const job = (await tasks.keep(tx, task)) ? await lockJob(tx, jobId) : undefined;
      if (!job || hasEnded(job) || job.isPlanned) return "over";
      if (job.status === "paused") return "postponed";
      const selected = await selectedEmails(tx, job, job.plannedParts, RECHECK_WINDOW_ROWS);
      const isLast = selected.length < RECHECK_WINDOW_ROWS;
      if (isLast && !(await tasks.complete(tx, task))) return "over";
      for (const isFree of [true, false]) {
        const emails = selected.filter((one) => one.isFree === isFree).map(({ entry }) => entry);
        for (const slice of await cutSlices(emails, startTimeSlice())) {
          const number = await addSlice(tx, { jobId, emails: slice, isRecheck: true, isFree });
          await tasks.add(tx, [{ groupId: jobId, queue: "slice", subject: String(number) }]);
        }
      }
      const plannedParts = selected.at(-1)?.entry[0] ?? job.plannedParts;
      await tx.update(jobs).set({ plannedParts, isPlanned: isLast }).where(eq(jobs.id, jobId));
      if (!isLast) return "planned";
      await transitions.finishIfDone(tx, jobId);
      return "complete";
    });
    if (outcome !== "planned") return outcome;
  }
}

const RECHECK_WINDOW_ROWS = 10_000;

async function planWindow(
  { database, tasks, transitions }: PlanDeps,
  task: Task,
  jobId: string,
  window: PlanWindow,
  timeSlice: TimeSlice,
): Promise<PlanOutcome> {
  const slices = await cutSlices(window.emails, timeSlice);
  const slicesJson = await toJson(slices, timeSlice);
  // A window has at least as many rows as slices, so row numbers are unique slice numbers across windows.
  const numbers = slices.map((_, index) => window.firstRow + index);
  return database.orm.transaction(async (tx) => {
    // The task is locked before the job, as in all transactions that save work.
    const job = (await tasks.keep(tx, task)) ? await lockJob(tx, jobId) : undefined;
    if (!job || hasEnded(job)) return "over";
    // Paused, or another process whose claim had expired has planned this window.
    if (job.status === "paused" || job.plannedParts !== window.firstPart) return "postponed";
    if (window.isLast && !(await tasks.complete(tx, task))) return "over";
    await tx.execute(sql`
      insert into slices (job_id, number, emails)
      select ${jobId}::uuid, ${window.firstRow}::int + position::int - 1, emails
      from json_array_elements(${slicesJson}::json) with ordinality as slice (emails, position)`);
    await tx.execute(sql`
      insert into duplicates (job_id, row, first_row, email, expires_on)
      select ${jobId}::uuid, (value->>0)::int, (value->>1)::int, value->>2, ${partitionOf(job)}::date
      from json_array_elements(${window.duplicatesJson}::json)`);
    const checks = numbers.map(
      (number): NewTask => ({ groupId: jobId, queue: "slice", subject: String(number) }),
    );
    if (!job.isFinishing) await tasks.add(tx, checks);
    else if (window.isLast) await tasks.add(tx, [finishTask(jobId)]);
    await tx
      .update(jobs)
      .set({ plannedParts: window.endPart, isPlanned: window.isLast })
      .where(eq(jobs.id, jobId));
    if (!window.isLast) return "planned";
    // The last window may contain duplicates only, with every earlier email done.
    await transitions.finishIfDone(tx, jobId);
    return "complete";
  });
}

/** JSON.stringify that yields to the event loop between items. */
async function toJson(items: readonly unknown[], timeSlice: TimeSlice): Promise<string> {
  const texts: string[] = [];
  for (const item of items) {
    if (timeSlice.isOver) await timeSlice.next();
    texts.push(JSON.stringify(item));
  }
  return `[${texts.join(",")}]`;
}
