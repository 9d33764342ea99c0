/**
 * Runs one attempt at a task and handles its failure.
 *
 * An error of the handler is logged and the task retried with back-off; after MAX_FAILURES it becomes a dead letter. Errors
 * of the database or the blob store and aborts during shutdown do not count as failures of the task.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { LogEvent } from "../base/log-events.ts";
import type { Tracing } from "../base/tracing.ts";
import { isBlobStoreUnavailable } from "../blobs/blob-error.ts";
import { type Database, isDatabaseUnavailable, sqlStateOf } from "../db/database.ts";
import type { Boss } from "./boss.ts";
import { addDeadLetter } from "./dead-letters.ts";
import type { LogOnce } from "./log-once.ts";
import type { Occupy, OnExhausted, QueueName, Task, TaskHandler, TaskUpdate } from "./task.ts";
import type { Tasks } from "./tasks.ts";

export type RunTaskDeps = {
  database: Pick<Database, "orm">;
  boss: Boss;
  tasks: Pick<Tasks, "complete" | "postpone">;
  handler: TaskHandler;
  onExhausted: OnExhausted;
  countRetry?: (queue: QueueName) => void;
  tracing?: Pick<Tracing, "start"> | undefined;
  closing: AbortSignal;
  logOnce: LogOnce;
  log: LogEvent;
};

/** Delay after the first failure, the second …; one more failure exhausts the task. */
const RETRY_DELAYS_MS = [1000, 5000, 30_000, 120_000];
const MAX_FAILURES = RETRY_DELAYS_MS.length + 1;
/** A process rarely dies because of one task, but a task that always kills its process must end. */
export const MAX_LOSSES = 3;

const UNAVAILABLE_PAUSE_MS = 1000;
const STORAGE_ERROR_DELAY_MS = 5000;
/**
 * SQLSTATEs about the state of the database, not about the task: read-only (failover), serialization failure or deadlock,
 * out of disk, memory or connections, lock not available, I/O error.
 */
const DATABASE_ERROR = /^(25006|40...|53...|55P03|58...)$/;

/** Never throws. The claim on a task that could not be settled expires, because it gets no more heartbeats. */
export function createTaskRunner(deps: RunTaskDeps): (task: Task, occupy: Occupy) => Promise<void> {
  const { boss, tasks, handler, closing, logOnce, log } = deps;
  const { orm } = deps.database;

  return async (task, occupy) => {
    try {
      await attempt(task, occupy);
    } catch (error) {
      log("task_settle_failed", { ...fieldsOf(task), err: error });
    }
  };

  async function attempt(task: Task, occupy: Occupy): Promise<void> {
    const reason = exhaustedReason(task);
    if (reason) return endExhausted(task, reason);
    const error = await errorOf(() => handle(task, occupy));
    if (!error) return;

    if (isDatabaseUnavailable(error)) {
      logOnce.note("task_interrupted", { ...fieldsOf(task), err: error });
      return postpone(task, {});
    }
    if (DATABASE_ERROR.test(sqlStateOf(error) ?? "") || isBlobStoreUnavailable(error)) {
      logOnce.note("task_interrupted", {
        ...fieldsOf(task),
        err: error,
        retry_in_ms: STORAGE_ERROR_DELAY_MS,
      });
      return postpone(task, { dueInMs: STORAGE_ERROR_DELAY_MS });
    }
    if (closing.aborted) {
      if (error.name !== "AbortError") log("task_stopped", { ...fieldsOf(task), err: error });
      return postpone(task, {});
    }
    const failures = task.failures + 1;
    if (failures >= MAX_FAILURES) return endExhausted(task, error);
    await retryLater("task_failed", task, failures, error);
  }

  /** In a span of the trace that added the task. */
  async function handle(task: Task, occupy: Occupy): Promise<void> {
    const { queue, groupId, failures, overdueMs, trace } = task;
    const attributes = {
      "mailvet.queue": queue,
      "mailvet.job_id": queue === "plan" || queue === "slice" ? groupId : undefined,
      "mailvet.failures": failures,
      "mailvet.overdue_ms": Math.round(overdueMs),
    };
    const span = deps.tracing?.start(`run ${queue}`, "consumer", attributes, trace ?? undefined);
    if (!span) return handler(task, closing, occupy);
    let hasFailed = true;
    try {
      await span.run(() => handler(task, closing, occupy));
      hasFailed = false;
    } finally {
      span.end({}, hasFailed);
    }
  }

  async function endExhausted(task: Task, reason: Error): Promise<void> {
    log("task_exhausted", { ...fieldsOf(task), err: reason });
    const error = await errorOf(() =>
      untilAvailable(() =>
        orm.transaction(async (tx) => {
          if (!(await tasks.complete(tx, task))) return; // another process has it, or it is no longer needed
          const details = await deps.onExhausted(tx, task);
          if (details !== false) await addDeadLetter(boss, tx, task, reason, details);
        }),
      ),
    );
    if (error) await retryLater("task_exhausted_handler_failed", task, MAX_FAILURES, error);
  }

  async function retryLater(
    event: "task_failed" | "task_exhausted_handler_failed",
    task: Task,
    failures: number,
    error: Error,
  ): Promise<void> {
    const delayMs = RETRY_DELAYS_MS[Math.min(failures, RETRY_DELAYS_MS.length) - 1]!;
    const counts = { failures, max_failures: MAX_FAILURES, retry_in_ms: delayMs };
    log(event, { ...fieldsOf(task), ...counts, err: error });
    deps.countRetry?.(task.queue);
    await postpone(task, { dueInMs: delayMs, hasFailed: true });
  }

  /** A lost claim does not matter: another process has the task, or it is no longer needed. */
  async function postpone(task: Task, later: TaskUpdate): Promise<void> {
    await untilAvailable(() => tasks.postpone(orm, task, later));
  }

  /** Retries while the database is unavailable. On shutdown the claim is left to expire. */
  async function untilAvailable(change: () => Promise<unknown>): Promise<void> {
    for (;;) {
      const error = await errorOf(change);
      if (!error) return;
      if (!isDatabaseUnavailable(error)) throw error;
      logOnce.note("task_settle_failed", { err: error, retry_in_ms: UNAVAILABLE_PAUSE_MS });
      if (closing.aborted) return;
      await pause(UNAVAILABLE_PAUSE_MS, undefined, { signal: closing }).catch(() => {});
    }
  }
}

function exhaustedReason({ failures, turn }: Task): Error | undefined {
  if (turn.retryCount >= MAX_LOSSES)
    return new Error(`${turn.retryCount} processes died while running this task`);
  if (failures >= MAX_FAILURES) return new Error(`failed ${failures} times`);
  return undefined;
}

const fieldsOf = ({ subject, groupId }: Task) => ({ subject, group_id: groupId });

async function errorOf(work: () => Promise<unknown>): Promise<Error | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
