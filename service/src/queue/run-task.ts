/**
 * One attempt at a task, and what becomes of the task when it fails.
 *
 * What a handler throws is said, and the task tried again later, a few times; then it is given up. While the database is
 * away or in trouble of its own, or when we are told to stop, nothing counts against it.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type Database, isDatabaseUnavailable, sqlStateOf } from "../db/database.ts";
import { errorMessage, type LogOnce } from "./log-once.ts";
import type { Task, TaskKind, Tasks, TaskUpdate } from "./tasks.ts";

/**
 * Completes or postpones the task itself, in the transaction that saves the work; when it is no longer ours, it just
 * returns. The signal says: stop soon, save what you have.
 */
export type Handler = (task: Task, signal: AbortSignal) => Promise<void>;

/** The task has failed for good. It is removed afterwards, if it is still there. May be called again for the same one. */
export type GiveUp = (task: Task, error: Error) => Promise<void>;

export type RunTaskDeps = {
  database: Pick<Database, "orm">;
  tasks: Pick<Tasks, "complete" | "postpone">;
  processId: string;
  handlers: Partial<Record<TaskKind, Handler>>;
  giveUp: GiveUp;
  closing: AbortSignal;
  troubles: LogOnce;
  say: (text: string) => void;
};

/** How long a task rests after its first failure, its second …; with one more than these it is given up. */
const RESTS_MS = [1000, 5000, 30_000, 120_000];
export const MAX_FAILURES = RESTS_MS.length + 1;
/** Processes die for many reasons, rarely because of one task; but one that always takes its process along must end. */
export const MAX_LOSSES = 20;

const AWAY_PAUSE_MS = 1000;
const TROUBLE_REST_MS = 5000;
/**
 * What says how the database fares, and nothing about the task: it takes no writes (while another server takes over), we
 * got into somebody's way, it has no room, memory or connections left, its disk fails.
 */
const DATABASE_TROUBLE = /^(25006|40...|53...|55P03|58...)$/;

/** It never throws. A task that could not be put away is still in our name, and found there by the worker. */
export function createTaskRunner(deps: RunTaskDeps): (task: Task) => Promise<void> {
  const { tasks, processId, handlers, closing, troubles, say } = deps;
  const { orm } = deps.database;

  return async (task) => {
    try {
      await attempt(task);
    } catch (error) {
      say(`${nameOf(task)} could not be put away: ${errorMessage(error)}`);
    }
  };

  async function attempt(task: Task): Promise<void> {
    const hopeless = whyHopeless(task);
    if (hopeless) return giveUp(task, hopeless);
    const error = await errorOf(async () => {
      const handle = handlers[task.kind];
      if (!handle) throw new Error(`nobody here knows how to do a ${task.kind}`);
      await handle(task, closing);
    });
    if (!error) return;

    if (isDatabaseUnavailable(error)) {
      troubles.note(`${nameOf(task)}: the database is away`, error);
      return postpone(task, {});
    }
    if (DATABASE_TROUBLE.test(sqlStateOf(error) ?? "")) {
      troubles.note(`${nameOf(task)}: the database is in trouble`, error);
      return postpone(task, { dueInMs: TROUBLE_REST_MS });
    }
    if (closing.aborted) {
      if (error.name !== "AbortError") say(`${nameOf(task)} was stopped: ${errorMessage(error)}`);
      return postpone(task, {});
    }
    const failures = task.failures + 1;
    if (failures >= MAX_FAILURES) return giveUp(task, error);
    await rest(task, failures, `failed (${failures} of ${MAX_FAILURES})`, error);
  }

  async function giveUp(task: Task, reason: Error): Promise<void> {
    say(`${nameOf(task)} is given up: ${errorMessage(reason)}`);
    const error = await errorOf(() =>
      insist(async () => {
        await deps.giveUp(task, reason);
        await tasks.complete(orm, task, processId);
      }),
    );
    if (error) await rest(task, MAX_FAILURES, "could not be given up", error);
  }

  async function rest(task: Task, failures: number, what: string, error: Error): Promise<void> {
    const restMs = RESTS_MS[Math.min(failures, RESTS_MS.length) - 1]!;
    say(`${nameOf(task)} ${what}, again in ${restMs / 1000} s: ${errorMessage(error)}`);
    await postpone(task, { dueInMs: restMs, hasFailed: true });
  }

  /** Whether it was still ours does not matter: otherwise somebody else has it, or nobody needs it. */
  async function postpone(task: Task, later: TaskUpdate): Promise<void> {
    await insist(() => tasks.postpone(orm, task, processId, later));
  }

  /** Until the database takes it. When we close before that, it goes back as what a dead process had. */
  async function insist(change: () => Promise<unknown>): Promise<void> {
    for (;;) {
      const error = await errorOf(change);
      if (!error) return;
      if (!isDatabaseUnavailable(error)) throw error;
      troubles.note("the database is away", error);
      if (closing.aborted) return;
      await pause(AWAY_PAUSE_MS, undefined, { signal: closing }).catch(() => {});
    }
  }
}

function whyHopeless({ failures, losses }: Task): Error | undefined {
  if (losses >= MAX_LOSSES) return new Error(`${losses} processes died while they worked on it`);
  if (failures >= MAX_FAILURES) return new Error(`it failed ${failures} times`);
  return undefined;
}

const nameOf = ({ kind, subject, laneId }: Task) => `${kind} ${subject} of ${laneId}`;

async function errorOf(work: () => Promise<unknown>): Promise<Error | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
