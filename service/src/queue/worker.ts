/**
 * Runs the tasks of one queue, a limited number at a time.
 *
 * Claims when a slot is free and a task may be due: on a notification, after a task has ended, and when the poll of the
 * process finds something (queue-poll.ts). Failures of handlers are treated in run-task.ts.
 */
import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { LogEvent } from "../base/log-events.ts";
import type { Tracing } from "../base/tracing.ts";
import type { Database } from "../db/database.ts";
import type { PubSub } from "../db/pubsub.ts";
import type { Boss } from "./boss.ts";
import { type Charge, type Feed, unitsOf } from "./feed.ts";
import { createLogOnce } from "./log-once.ts";
import { createTaskRunner } from "./run-task.ts";
import type { OnExhausted, QueueName, Task, TaskHandler, Turn } from "./task.ts";
import { TASKS_CHANNEL, type Tasks } from "./tasks.ts";

export type Worker = {
  readonly queue: QueueName;
  /** Looks for tasks that are due. */
  poke(): void;
  /** Claims of the tasks that run now. */
  turns(): Turn[];
  /** Stops claiming, aborts the handlers, waits for them up to the timeout, and releases the rest. */
  close(timeoutMs?: number): Promise<void>;
};

export type WorkerDeps = {
  database: Pick<Database, "orm">;
  boss: Boss;
  tasks: Tasks;
  feed: Pick<Feed, "claim" | "feedDue">;
  pubsub: Pick<PubSub, "on" | "onGap">;
  queue: QueueName;
  slots: number;
  handler: TaskHandler;
  onExhausted: OnExhausted;
  /** For the metrics. */
  countClaim?: (queue: QueueName, elapsedMs: number) => void;
  countRetry?: (queue: QueueName) => void;
  tracing?: Pick<Tracing, "start"> | undefined;
  log: LogEvent;
};

const CLAIM_FAILED_PAUSE_MS = 1000;
const CLOSE_TIMEOUT_MS = 15_000;

/** Called before pubsub.start, because it subscribes to a channel. */
export function startWorker(deps: WorkerDeps): Worker {
  const { tasks, feed, queue, slots } = deps;
  const { orm } = deps.database;
  const log: LogEvent = (event, fields) => deps.log(event, { queue, ...fields });
  const logOnce = createLogOnce(log);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // one per running task
  const runTask = createTaskRunner({ ...deps, closing: closing.signal, logOnce, log });
  const running = new Map<Task, Promise<void>>();
  let charges: Charge[] = [];
  let mayBeDue = true;
  let wake = () => {};

  const poke = () => {
    mayBeDue = true;
    wake();
  };
  deps.pubsub.on(TASKS_CHANNEL, (notified) => {
    if (notified === queue) poke();
  });
  deps.pubsub.onGap(poke);
  const claiming = claimLoop();

  async function claimLoop(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await claim();
      } catch (error) {
        logOnce.note("task_claim_failed", { err: error, retry_in_ms: CLAIM_FAILED_PAUSE_MS });
        await pause(CLAIM_FAILED_PAUSE_MS, undefined, { signal: closing.signal }).catch(() => {});
        mayBeDue = true;
      }
      if (!mayBeDue) await untilWoken();
    }
  }

  async function claim(): Promise<void> {
    if (!mayBeDue) return;
    mayBeDue = false;
    // Also when no slot is free: tasks that occupy a slot for long leave it to others whose turns wait.
    if (await feed.feedDue(queue)) mayBeDue = true;
    const free = slots - running.size;
    if (free === 0) return;
    const charged = charges;
    const startedAtMs = performance.now();
    const claimed = await feed.claim(queue, free, charged);
    deps.countClaim?.(queue, performance.now() - startedAtMs);
    charges = charges.slice(charged.length);
    logOnce.clear();
    // With all slots in use the end of a task is the next occasion; a notification that came meanwhile is not forgotten.
    if (!claimed.isDrained && claimed.tasks.length < free) mayBeDue = true;
    for (const task of claimed.tasks) {
      const startedAtMs = performance.now();
      const done = runTask(task).then(() => {
        running.delete(task);
        const actual = unitsOf(performance.now() - startedAtMs);
        charges = [...charges, { accountId: task.accountId, cost: task.turn.cost, actual }];
        poke();
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
    queue,
    poke,
    turns: () => [...running.keys()].map(({ turn }) => turn),
    async close(timeoutMs = CLOSE_TIMEOUT_MS) {
      closing.abort();
      wake();
      const timeout = new AbortController();
      const finished = claiming.then(() => Promise.all(running.values()));
      await Promise.race([
        finished.finally(() => timeout.abort()),
        pause(timeoutMs, undefined, { signal: timeout.signal }).catch(() => {}),
      ]);
      try {
        let count = 0;
        for (const task of running.keys()) if (await tasks.postpone(orm, task, {})) count += 1;
        if (count > 0) log("unfinished_tasks_released", { count });
      } catch (error) {
        logOnce.note("task_release_failed", { err: error });
      }
    },
  };
}
