/**
 * Works on the tasks of one line, a few at a time.
 *
 * It claims when a slot is free and something may be due: at a notice, and every second in any case. What becomes of a
 * task whose handler throws is in run-task.ts.
 */
import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import type { PubSub } from "../db/pubsub.ts";
import { createLogOnce } from "./log-once.ts";
import type { ProcessRegistry } from "./process-registry.ts";
import { createTaskRunner, type GiveUp, type Handler } from "./run-task.ts";
import { type QueueName, TASKS_WAIT, type Task, type TaskKind, type Tasks } from "./tasks.ts";

export type { GiveUp, Handler } from "./run-task.ts";

export type Worker = {
  /** Claims no more, tells the handlers to stop, waits for them as long as this, and gives back what is left. */
  close(patienceMs?: number): Promise<void>;
};

export type WorkerDeps = {
  database: Pick<Database, "orm">;
  tasks: Tasks;
  processes: Pick<ProcessRegistry, "id">;
  notices: Pick<PubSub, "on" | "onGap">;
  line: QueueName;
  slots: number;
  handlers: Partial<Record<TaskKind, Handler>>;
  giveUp: GiveUp;
  say: (line: string) => void;
};

const POLL_MS = 1000;
const STRAYS_EVERY_MS = 5000;
const TROUBLE_PAUSE_MS = 1000;
const CLOSE_PATIENCE_MS = 15_000;

/** Called when the process is registered (processes.start), and before notices.start, as it listens to a channel. */
export function startWorker(deps: WorkerDeps): Worker {
  const { tasks, line, slots } = deps;
  const processId = deps.processes.id;
  const say = (text: string) => deps.say(`${line}: ${text}`);
  const troubles = createLogOnce(say);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // each task in hand may have its own
  const attempt = createTaskRunner({ ...deps, processId, closing: closing.signal, troubles, say });
  const kinds = Object.keys(deps.handlers) as TaskKind[]; // the others are for processes that know them
  const inHand = new Map<Task, Promise<void>>();
  let mayBeDue = true;
  let wake = () => {};
  let straysSoughtAtMs = performance.now();

  const stir = () => {
    mayBeDue = true;
    wake();
  };
  deps.notices.on(TASKS_WAIT, (heard) => {
    if (heard === line) stir();
  });
  deps.notices.onGap(stir);
  const poll = setInterval(stir, POLL_MS);
  const claiming = claimOnAndOn();

  async function claimOnAndOn(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await giveBackStrays();
        await claim();
      } catch (error) {
        troubles.note("claiming failed", error);
        straysSoughtAtMs = Number.NEGATIVE_INFINITY; // perhaps only the answer got lost
        await pause(TROUBLE_PAUSE_MS, undefined, { signal: closing.signal }).catch(() => {});
        mayBeDue = true;
      }
      if (!mayBeDue || inHand.size === slots) await untilWoken();
    }
  }

  /** Never while a claim is under way: what that brings is not in hand yet. */
  async function giveBackStrays(): Promise<void> {
    if (performance.now() - straysSoughtAtMs < STRAYS_EVERY_MS) return;
    const strays = await tasks.giveBack(
      line,
      processId,
      [...inHand.keys()].map(({ id }) => id),
    );
    straysSoughtAtMs = performance.now();
    if (strays > 0) say(`tasks in our name but not in hand, waiting again: ${strays}`);
  }

  async function claim(): Promise<void> {
    const free = slots - inHand.size;
    if (!mayBeDue || free === 0) return;
    mayBeDue = false;
    const claimed = await tasks.claim(line, processId, free, kinds);
    troubles.areOver();
    if (closing.signal.aborted) return; // they go back in a moment
    if (claimed.length === free) mayBeDue = true; // otherwise there is no more, until somebody says so
    for (const task of claimed) {
      const done = attempt(task).then(() => {
        inHand.delete(task);
        wake();
      });
      inHand.set(task, done);
    }
  }

  function untilWoken(): Promise<void> {
    return new Promise((resolve) => {
      if (closing.signal.aborted) resolve();
      else wake = resolve;
    });
  }

  return {
    async close(patienceMs = CLOSE_PATIENCE_MS) {
      clearInterval(poll);
      closing.abort();
      wake();
      const patience = new AbortController();
      const finished = claiming.then(() => Promise.all(inHand.values()));
      await Promise.race([
        finished.finally(() => patience.abort()),
        pause(patienceMs, undefined, { signal: patience.signal }).catch(() => {}),
      ]);
      try {
        const left = await tasks.giveBack(line, processId, []);
        if (left > 0) say(`tasks not finished in time, waiting again: ${left}`);
      } catch (error) {
        troubles.note("giving back failed, the others will notice", error);
      }
    },
  };
}
