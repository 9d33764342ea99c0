/**
 * Turns the rows of a job into slices, a window of the file at a time. Each window is one transaction, so whoever goes on
 * after a crash begins where the last one ended, and no row is planned twice.
 */
import { and, eq, sql } from "drizzle-orm";
import type { Database, Orm } from "../db/database.ts";
import { notify } from "../db/pubsub.ts";
import { startTimeSlice, type TimeSlice } from "../event-loop-yield.ts";
import type { ProcessRegistry } from "../queue/process-registry.ts";
import type { Task, TaskHandler } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import type { JobEnds } from "./job-end.ts";
import { lockJob } from "./job-lock.ts";
import { hasEnded, type JobRow } from "./job-record.ts";
import { JOBS_CHANNEL } from "./job-watch.ts";
import { type PlanWindow, readWindows } from "./plan-window.ts";
import { jobs } from "./schema.ts";
import { cutSlices } from "./slice-cutter.ts";

export type PlanDeps = {
  database: Database;
  tasks: Pick<Tasks, "add" | "complete" | "postpone">;
  processes: Pick<ProcessRegistry, "id">;
  jobEnds: Pick<JobEnds, "finishIfDone">;
};

/** What became of a window: it is planned, it was the last one, planning goes on later, or there is no more to plan. */
type Outcome = "planned" | "complete" | "put off" | "over";

/** Kind "plan"; the subject is the job's id. */
export function planHandler(deps: PlanDeps): TaskHandler {
  const { database, tasks, processes } = deps;
  return async (task, signal) => {
    const job = await begin(database.orm, task.subject);
    const outcome = job ? await planOn(deps, task, job, signal) : "over";
    // False from either is fine: then it is somebody else's by now.
    if (outcome === "put off") await tasks.postpone(database.orm, task, processes.id, {});
    if (outcome === "over") await tasks.complete(database.orm, task, processes.id);
  };
}

/** The job, which is being worked on from now on; undefined when there is none any more. */
async function begin(orm: Orm, jobId: string): Promise<JobRow | undefined> {
  return orm.transaction(async (tx) => {
    const [begun] = await tx
      .update(jobs)
      .set({ status: "processing", startedAt: sql`now()` })
      .where(and(eq(jobs.id, jobId), eq(jobs.status, "queued")))
      .returning();
    if (begun) {
      await notify(tx, JOBS_CHANNEL, jobId);
      return begun;
    }
    const [job] = await tx.select().from(jobs).where(eq(jobs.id, jobId));
    return job;
  });
}

async function planOn(deps: PlanDeps, task: Task, job: JobRow, signal: AbortSignal): Promise<Outcome> {
  if (hasEnded(job) || job.isPlanned) return "over";
  const turn = startTimeSlice();
  for await (const window of readWindows(deps.database.pool, job, turn)) {
    const outcome = signal.aborted ? "put off" : await planWindow(deps, task, job.id, window, turn);
    if (outcome !== "planned") return outcome;
  }
  const [now] = await deps.database.orm.select().from(jobs).where(eq(jobs.id, job.id));
  if (!now || hasEnded(now)) return "over";
  throw new Error(`job ${job.id}: the rows of its upload are not all there`);
}

async function planWindow(
  { database, tasks, processes, jobEnds }: PlanDeps,
  task: Task,
  jobId: string,
  window: PlanWindow,
  turn: TimeSlice,
): Promise<Outcome> {
  const slices = await cutSlices(window.emails, turn);
  const slicesJson = await listed(slices, turn);
  // Numbered by rows, of which there are at least as many: so no number comes twice, whoever plans the next window.
  const numbers = slices.map((_, index) => window.firstRow + index);
  return database.orm.transaction(async (tx) => {
    const job = await lockJob(tx, jobId);
    if (!job || hasEnded(job)) return "over";
    // Paused; or somebody who was taken for dead has planned this window after all.
    if (job.status === "paused" || job.plannedParts !== window.firstPart) return "put off";
    if (window.isLast && !(await tasks.complete(tx, task, processes.id))) return "over";
    await tx.execute(sql`
      insert into slices (job_id, number, emails)
      select ${jobId}::uuid, ${window.firstRow}::int + place::int - 1, emails
      from json_array_elements(${slicesJson}::json) with ordinality as slice (emails, place)`);
    await tx.execute(sql`
      insert into duplicates (job_id, row, first_row, email)
      select ${jobId}::uuid, (value->>0)::int, (value->>1)::int, value->>2
      from json_array_elements(${window.duplicatesJson}::json)`);
    await tasks.add(
      tx,
      numbers.map((number) => ({ groupId: jobId, kind: "slice", subject: String(number) })),
    );
    await tx
      .update(jobs)
      .set({ plannedParts: window.endPart, isPlanned: window.isLast })
      .where(eq(jobs.id, jobId));
    if (!window.isLast) return "planned";
    // The last window may hold repetitions only, and all that came before may be done by now.
    await jobEnds.finishIfDone(tx, jobId);
    return "complete";
  });
}

/** The same as JSON.stringify, with turns between the items. */
async function listed(items: readonly unknown[], turn: TimeSlice): Promise<string> {
  const texts: string[] = [];
  for (const item of items) {
    if (turn.isOver) await turn.next();
    texts.push(JSON.stringify(item));
  }
  return `[${texts.join(",")}]`;
}
