/** A unit of work in the queue, and the functions that work on it. */
import type { Orm } from "../db/database.ts";
import type { tasks } from "./schema.ts";

export type QueueName = (typeof tasks.$inferSelect)["queue"];

export type Task = {
  id: number;
  queue: QueueName;
  /** The job, webhook endpoint or account that the task belongs to. */
  groupId: string;
  accountId: string;
  /** The item within the group: slice number, delivery id. */
  subject: string;
  /** Attempts whose handler threw. */
  failures: number;
  /** Time between due and claimed: all workers were busy, or the group was paused. */
  overdueMs: number;
  turn: Turn;
  /** W3C traceparent of the span that added it. */
  trace: string | null;
};

/** The job of pg-boss by which a task is claimed. `id` and `retryCount` identify the attempt: only one may save. */
export type Turn = {
  id: string;
  /** Attempts before this one, whose process died. */
  retryCount: number;
  /** Virtual start time (feed.ts). */
  tag: number;
  /** Service time charged in advance. */
  cost: number;
};

export type NewTask = Due & { groupId: string; queue: QueueName; subject: string };

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
 * is lost. On abort it saves what it has and returns soon. What is left to do may take less than a slot: `occupy` says so.
 */
export type TaskHandler = (task: Task, signal: AbortSignal, occupy?: Occupy) => Promise<void>;

/** From now on the task takes this share of a slot, until then all of it. The rest is for other tasks. */
export type Occupy = (share: number) => void;

/**
 * Called when the attempts are exhausted, in the transaction that completes the task and adds its dead letter. Returns
 * what a redrive needs to know besides the task; false: nothing is left to do, so there is no dead letter.
 */
export type OnExhausted = (tx: Orm, task: Task) => Promise<Record<string, unknown> | undefined | false>;
