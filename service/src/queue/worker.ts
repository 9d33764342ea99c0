/**
 * Runs the tasks of one queue, a limited number at a time: as many as there are slots, and more where some take only a share
 * of theirs.
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

/** The least share of a slot that a task takes: each needs a heartbeat, and is repeated when the process dies. */
const MIN_SHARE = 1 / 8;
const CLAIM_FAILED_PAUSE_MS = 1000;
const CLOSE_TIMEOUT_MS = 15_000;

type RunningTask = {
  /** Of a slot, and since when. */
  share: number;
  sinceMs: number;
  /** Slot time before that, weighted by the share. */
  usedMs: number;
  done: Promise<void>;
};

/** Called before pubsub.start, because it subscribes to a channel. */
export function startWorker(deps: WorkerDeps): Worker {
  const { tasks, feed, queue, slots } = deps;
  const { orm } = deps.database;
  const log: LogEvent = (event, fields) => deps.log(event, { queue, ...fields });
  const logOnce = createLogOnce(log);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // one per running task
  const runTask = createTaskRunner({ ...deps, closing: closing.signal, logOnce, log });
  const running = new Map<Task, RunningTask>();
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
    const free = freeSlots();
    if (free === 0) return;
    const charged = charges;
    const startedAtMs = performance.now();
    const claimed = await feed.claim(queue, free, charged);
    deps.countClaim?.(queue, performance.now() - startedAtMs);
    charges = charges.slice(charged.length);
    logOnce.clear();
    // With all slots in use the end of a task is the next occasion; a notification that came meanwhile is not forgotten.
    if (!claimed.isDrained && claimed.tasks.length < free) mayBeDue = true;
    for (const task of claimed.tasks) run(task);
  }

  function run(task: Task): void {
    const one: RunningTask = { share: 1, sinceMs: performance.now(), usedMs: 0, done: Promise.resolve() };
    running.set(task, one);
    const occupy = (share: number) => {
      const nowMs = performance.now();
      const freeBefore = freeSlots();
      one.usedMs += one.share * (nowMs - one.sinceMs);
      one.sinceMs = nowMs;
      one.share = Math.min(1, Math.max(MIN_SHARE, share));
      if (freeSlots() > freeBefore) poke();
    };
    one.done = runTask(task, occupy).then(() => {
      occupy(0);
      running.delete(task);
      charges = [
        ...charges,
        { accountId: task.accountId, cost: task.turn.cost, actual: unitsOf(one.usedMs) },
      ];
      poke();
    });
  }

  /** Rounded, so that with a single slot a task that takes little of it leaves it to another one. */
  function freeSlots(): number {
    const taken = [...running.values()].reduce((sum, { share }) => sum + share, 0);
    return Math.max(0, Math.round(slots - taken));
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
      const finished = claiming.then(() => Promise.all([...running.values()].map(({ done }) => done)));
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
