/**
 * Runs the tasks of one queue, a limited number at a time.
 *
 * Claims when a slot is free and a task may be due: on a notification, and every second regardless. Failures of handlers
 * are treated in run-task.ts.
 */
import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import type { PubSub } from "../db/pubsub.ts";
import type { LogEvent } from "../log-events.ts";
import { createLogOnce } from "./log-once.ts";
import type { ProcessRegistry } from "./process-registry.ts";
import { createTaskRunner } from "./run-task.ts";
import type { OnExhausted, QueueName, Task, TaskHandler, TaskKind } from "./task.ts";
import { TASKS_CHANNEL, type Tasks } from "./tasks.ts";

export type Worker = {
  /** Stops claiming, aborts the handlers, waits for them up to the timeout, and releases the rest. */
  close(timeoutMs?: number): Promise<void>;
};

export type WorkerDeps = {
  database: Pick<Database, "orm">;
  tasks: Tasks;
  processes: Pick<ProcessRegistry, "id">;
  pubsub: Pick<PubSub, "on" | "onGap">;
  queue: QueueName;
  slots: number;
  handlers: Partial<Record<TaskKind, TaskHandler>>;
  onExhausted: OnExhausted;
  log: LogEvent;
};

const POLL_MS = 1000;
const RELEASE_ORPHANED_EVERY_MS = 5000;
const CLAIM_FAILED_PAUSE_MS = 1000;
const CLOSE_TIMEOUT_MS = 15_000;

/** Called after the process is registered (processes.start) and before pubsub.start, because it subscribes to a channel. */
export function startWorker(deps: WorkerDeps): Worker {
  const { tasks, queue, slots } = deps;
  const processId = deps.processes.id;
  const log: LogEvent = (event, fields) => deps.log(event, { queue, ...fields });
  const logOnce = createLogOnce(log);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // one per running task
  const runTask = createTaskRunner({ ...deps, processId, closing: closing.signal, logOnce, log });
  const kinds = Object.keys(deps.handlers) as TaskKind[]; // other kinds are left to processes that know them
  const running = new Map<Task, Promise<void>>();
  let mayBeDue = true;
  let wake = () => {};
  let orphansReleasedAtMs = performance.now();

  const poke = () => {
    mayBeDue = true;
    wake();
  };
  deps.pubsub.on(TASKS_CHANNEL, (notified) => {
    if (notified === queue) poke();
  });
  deps.pubsub.onGap(poke);
  const poll = setInterval(poke, POLL_MS);
  const claiming = claimLoop();

  async function claimLoop(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await releaseOrphaned();
        await claim();
      } catch (error) {
        logOnce.note("task_claim_failed", { err: error, retry_in_ms: CLAIM_FAILED_PAUSE_MS });
        orphansReleasedAtMs = Number.NEGATIVE_INFINITY; // perhaps only the response was lost
        await pause(CLAIM_FAILED_PAUSE_MS, undefined, { signal: closing.signal }).catch(() => {});
        mayBeDue = true;
      }
      if (!mayBeDue || running.size === slots) await untilWoken();
    }
  }

  /** Never during a claim, whose tasks are not in `running` yet. */
  async function releaseOrphaned(): Promise<void> {
    if (performance.now() - orphansReleasedAtMs < RELEASE_ORPHANED_EVERY_MS) return;
    const count = await tasks.releaseOrphaned(
      queue,
      processId,
      [...running.keys()].map(({ id }) => id),
    );
    orphansReleasedAtMs = performance.now();
    if (count > 0) log("orphaned_tasks_released", { count });
  }

  async function claim(): Promise<void> {
    const free = slots - running.size;
    if (!mayBeDue || free === 0) return;
    mayBeDue = false;
    const claimed = await tasks.claim(queue, processId, free, kinds);
    logOnce.clear();
    if (closing.signal.aborted) return; // close() releases them
    if (claimed.length === free) mayBeDue = true; // fewer: none is due until the next notification
    for (const task of claimed) {
      const done = runTask(task).then(() => {
        running.delete(task);
        wake();
      });
      running.set(task, done);
    }
  }

  function untilWoken(): Promise<void> {
    return new Promise((resolve) => {
      if (closing.signal.aborted) resolve();
      else wake = resolve;
    });
  }

  return {
    async close(timeoutMs = CLOSE_TIMEOUT_MS) {
      clearInterval(poll);
      closing.abort();
      wake();
      const timeout = new AbortController();
      const finished = claiming.then(() => Promise.all(running.values()));
      await Promise.race([
        finished.finally(() => timeout.abort()),
        pause(timeoutMs, undefined, { signal: timeout.signal }).catch(() => {}),
      ]);
      try {
        const count = await tasks.releaseOrphaned(queue, processId, []);
        if (count > 0) log("unfinished_tasks_released", { count });
      } catch (error) {
        logOnce.note("task_release_failed", { err: error });
      }
    },
  };
}
