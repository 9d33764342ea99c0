import { DrizzleQueryError } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { createLogOnce } from "./log-once.ts";

afterEach(() => void vi.useRealTimers());

test("failures of a statement are one kind, which has none of its parameters", () => {
  vi.useFakeTimers();
  const lines: unknown[] = [];
  const logOnce = createLogOnce((event, fields) => lines.push([event, fields]));
  for (const hash of ["a-hash", "b-hash", "c-hash"]) {
    const cause = new Error("disk full");
    const err = new DrizzleQueryError("insert into accounts values ($1)", [hash], cause);
    logOnce.note("task_interrupted", { err });
  }
  expect(lines).toMatchObject([["task_interrupted", {}]]);
  vi.runOnlyPendingTimers();
  expect(lines.slice(1)).toEqual([["event_repeated", { kind: "task_interrupted: disk full", count: 2 }]]);
});
