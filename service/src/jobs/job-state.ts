/**
 * States of a job: state × event → next state and effects.
 *
 * Pure data. job-transitions.ts applies a transition and runs its effects, in the order given here, in one transaction.
 */
import type { JobStatus } from "@mailvet/contract";
import { Refusal } from "../base/refusal.ts";

/** `new`: the job's row does not exist yet. */
export type JobState = "new" | JobStatus;

/** `suspend`: the account was suspended. */
export type JobEvent =
  | "confirm"
  | "start"
  | "pause"
  | "suspend"
  | "resume"
  | "cancel"
  | "finish"
  | "finish_now"
  | "fail"
  | "erase"
  | "recheck";

export type JobEffect =
  | "add_plan_task"
  | "pause_tasks"
  | "mark_suspended" // resumed with the account
  | "resume_tasks"
  | "delete_tasks"
  | "finish_early" // leaves the open rows to finish-early.ts
  | "reserve_credits"
  | "settle_credits"
  | "publish" // the webhook event `job.<next state>`
  | "notify" // clients that watch the job
  | "finish_if_done"
  | "expire_now";

export type Transition = { to: JobStatus; effects: readonly JobEffect[] };

// In lock order: publishing locks webhook endpoints, which come before the shares of the queue (webhooks/endpoint-lock.ts).
// Effects on credits come last: they lock the account's balance, which single checks need as well.
const END = ["publish", "delete_tasks", "notify", "settle_credits"] as const;
const CANCEL: Transition = { to: "cancelled", effects: END };
const COMPLETE: Transition = { to: "completed", effects: END };
const FAIL: Transition = { to: "failed", effects: END };
const SUSPEND: Transition = { to: "paused", effects: ["pause_tasks", "mark_suspended", "publish", "notify"] };
const CANCEL_AND_ERASE: Transition = { to: "cancelled", effects: [...END, "expire_now"] };

const TRANSITIONS: Readonly<Record<JobState, Partial<Record<JobEvent, Transition>>>> = {
  new: {
    confirm: { to: "queued", effects: ["add_plan_task", "notify", "reserve_credits"] },
  },
  queued: {
    start: { to: "processing", effects: ["notify"] },
    finish_now: { to: "queued", effects: ["finish_early", "notify"] },
    suspend: SUSPEND,
    cancel: CANCEL,
    fail: FAIL,
    erase: CANCEL_AND_ERASE,
  },
  processing: {
    pause: { to: "paused", effects: ["pause_tasks", "publish", "notify"] },
    suspend: SUSPEND,
    cancel: CANCEL,
    finish: COMPLETE,
    finish_now: { to: "processing", effects: ["finish_early", "notify"] },
    fail: FAIL,
    erase: CANCEL_AND_ERASE,
  },
  paused: {
    // The last checks in flight may have been saved during the pause.
    resume: { to: "processing", effects: ["finish_if_done", "resume_tasks", "notify"] },
    finish_now: { to: "processing", effects: ["finish_early", "resume_tasks", "notify"] },
    cancel: CANCEL,
    fail: FAIL,
    erase: CANCEL_AND_ERASE,
  },
  completed: {
    erase: { to: "completed", effects: ["expire_now"] },
    recheck: { to: "queued", effects: ["add_plan_task", "notify", "reserve_credits"] },
  },
  cancelled: { erase: { to: "cancelled", effects: ["expire_now"] } },
  failed: { erase: { to: "failed", effects: ["expire_now"] } },
};

/** Undefined: the event has no effect in this state. */
export function transitionOf(state: JobState, event: JobEvent): Transition | undefined {
  return TRANSITIONS[state][event];
}

/** Throws job_state_conflict if the event is not allowed in this state. */
export function requireTransition(state: JobState, event: JobEvent): Transition {
  const transition = transitionOf(state, event);
  if (transition) return transition;
  throw new Refusal("job_state_conflict", `The job is ${state}, so it cannot be ${PARTICIPLES[event]}.`);
}

const PARTICIPLES: Readonly<Record<JobEvent, string>> = {
  confirm: "confirmed",
  start: "started",
  pause: "paused",
  suspend: "suspended",
  resume: "resumed",
  cancel: "cancelled",
  finish: "finished",
  finish_now: "finished",
  fail: "failed",
  erase: "erased",
  recheck: "checked again",
};

/** States in which a job counts against the plan's limit of active jobs. */
export const ACTIVE_STATES = ["queued", "processing", "paused"] as const satisfies readonly JobStatus[];

export function hasEnded({ status }: { status: JobStatus }): boolean {
  return !(ACTIVE_STATES as readonly JobStatus[]).includes(status);
}
