import { JOB_STATUSES, WEBHOOK_EVENTS } from "@mailvet/contract";
import { describe, expect, test } from "vitest";
import {
  ACTIVE_STATES,
  hasEnded,
  type JobEvent,
  type JobState,
  requireTransition,
  transitionOf,
} from "./job-state.ts";

const STATES: readonly JobState[] = ["new", ...JOB_STATUSES];
const EVENTS: readonly JobEvent[] = [
  "confirm",
  "start",
  "pause",
  "suspend",
  "resume",
  "cancel",
  "finish",
  "finish_now",
  "fail",
  "erase",
];

const END = ["publish", "delete_tasks", "notify", "settle_credits"];
const SUSPEND: [JobState, string[]] = ["paused", ["pause_tasks", "mark_suspended", "publish", "notify"]];
const EXPECTED: Record<JobState, Partial<Record<JobEvent, [to: JobState, effects: string[]]>>> = {
  new: { confirm: ["queued", ["add_plan_task", "notify", "reserve_credits"]] },
  queued: {
    start: ["processing", ["notify"]],
    suspend: SUSPEND,
    cancel: ["cancelled", END],
    finish_now: ["queued", ["finish_early", "notify"]],
    fail: ["failed", END],
    erase: ["cancelled", [...END, "expire_now"]],
  },
  processing: {
    pause: ["paused", ["pause_tasks", "publish", "notify"]],
    suspend: SUSPEND,
    cancel: ["cancelled", END],
    finish: ["completed", END],
    finish_now: ["processing", ["finish_early", "notify"]],
    fail: ["failed", END],
    erase: ["cancelled", [...END, "expire_now"]],
  },
  paused: {
    resume: ["processing", ["finish_if_done", "resume_tasks", "notify"]],
    finish_now: ["processing", ["finish_early", "resume_tasks", "notify"]],
    cancel: ["cancelled", END],
    fail: ["failed", END],
    erase: ["cancelled", [...END, "expire_now"]],
  },
  completed: { erase: ["completed", ["expire_now"]] },
  cancelled: { erase: ["cancelled", ["expire_now"]] },
  failed: { erase: ["failed", ["expire_now"]] },
};

describe.each(STATES)("a job that is %s", (state) => {
  test.each(EVENTS)("on %s", (event) => {
    const expected = EXPECTED[state][event];
    if (expected) {
      const [to, effects] = expected;
      expect(requireTransition(state, event)).toEqual({ to, effects });
      return;
    }
    expect(transitionOf(state, event)).toBeUndefined();
    expect(() => requireTransition(state, event)).toThrow(
      expect.objectContaining({ code: "job_state_conflict" }),
    );
  });
});

test("the refusal names the state and what was asked for", () => {
  expect(() => requireTransition("completed", "pause")).toThrow(
    "The job is completed, so it cannot be paused.",
  );
  expect(() => requireTransition("queued", "resume")).toThrow("The job is queued, so it cannot be resumed.");
});

test("what is published is an event of the contract", () => {
  for (const state of STATES) {
    for (const event of EVENTS) {
      const transition = transitionOf(state, event);
      if (transition?.effects.includes("publish")) expect(WEBHOOK_EVENTS).toContain(`job.${transition.to}`);
    }
  }
});

test("a job ends once: no event makes an ended job active again", () => {
  for (const status of JOB_STATUSES.filter((status) => hasEnded({ status }))) {
    for (const event of EVENTS) {
      const to = transitionOf(status, event)?.to;
      expect(to === undefined || to === status).toBe(true);
    }
  }
  expect(JOB_STATUSES.filter((status) => !hasEnded({ status }))).toEqual(ACTIVE_STATES);
});
