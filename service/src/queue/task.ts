/** A unit of work in the queue, and the functions that work on it. */
import type { lanes, tasks } from "./schema.ts";

export type QueueName = (typeof lanes.$inferSelect)["line"];
export type TaskKind = (typeof tasks.$inferSelect)["kind"];

export type Task = {
  id: number;
  /** The job, webhook endpoint or account that the task belongs to. */
  groupId: string;
  accountId: string;
  kind: TaskKind;
  /** The item within the group: slice number, delivery id. */
  subject: string;
  /** Attempts whose handler threw. */
  failures: number;
  /** Attempts whose process died. */
  losses: number;
  /** Microsecond precision, as the database prints it: distinguishes this claim from another one by the same process. */
  takenAt: string;
  /** Time between due and claimed: all workers were busy, or the group was paused. */
  overdueMs: number;
};

export type NewTask = Due & { groupId: string; kind: TaskKind; subject: string };

export type Due = {
  /** Delay from now, by the database's clock, which also orders the queue. Default: due at once. */
  dueInMs?: number;
};

export type TaskUpdate = Due & {
  /** The handler threw. */
  hasFailed?: boolean;
};

/**
 * Completes or postpones the task itself, in the transaction that saves the work. Returns without saving when the claim
 * is lost. On abort it saves what it has and returns soon.
 */
export type TaskHandler = (task: Task, signal: AbortSignal) => Promise<void>;

/** Called when the attempts are exhausted; the task is deleted afterwards. May be called again for the same task. */
export type OnExhausted = (task: Task, error: Error) => Promise<void>;
