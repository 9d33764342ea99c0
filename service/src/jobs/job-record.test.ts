import { expect, test } from "vitest";
import { type JobRow, jobRecord } from "./job-record.ts";

const NOW = new Date("2026-11-15T10:01:40Z");
const running: JobRow = {
  id: "7f1c8a52-33f0-4d77-9b0a-0b8f2f6f3a11",
  accountId: "00000000-0000-0000-0000-000000000001",
  uploadId: "00000000-0000-0000-0000-000000000002",
  keyId: null,
  isTest: false,
  status: "processing",
  filename: "list.csv",
  emailColumn: "email",
  columnNumber: 0,
  totalRows: 1200,
  totalEmails: 1100,
  uniqueEmails: 1000,
  plannedParts: 2,
  isPlanned: true,
  triedOnce: 500,
  givenUp: 0,
  processed: 400,
  reservationId: "00000000-0000-0000-0000-000000000003",
  creditsUsed: 0,
  creditsRefunded: 0,
  attempt: 1,
  recheck: null,
  settledEmails: 0,
  freeEmails: 0,
  freeProcessed: 0,
  error: null,
  createdAt: new Date("2026-11-15T09:59:00Z"),
  startedAt: new Date("2026-11-15T10:00:00Z"),
  pausedAt: null,
  pausedMs: 0,
  completedAt: null,
  expiresAt: null,
  erasedAt: null,
  rowsExpireOn: null,
  isKept: false,
};
const recordOf = (changes: Partial<JobRow>) => jobRecord({ ...running, ...changes }, { "": 400 }, NOW);

test("a running job has a rate and an estimate of the remaining time", () => {
  expect(recordOf({})).toMatchObject({
    phase: "validating",
    progress_percent: 40,
    rate_per_second: 4,
    eta_seconds: 150,
    valid_count: 400,
    credits_reserved: 1000,
    credits_used: 400,
    results_url: null,
  });
});

test("pauses are excluded from the rate", () => {
  const pausedAt = new Date("2026-11-15T10:01:00Z");
  expect(recordOf({ status: "paused", pausedAt, pausedMs: 20_000 })).toMatchObject({
    rate_per_second: 10,
    eta_seconds: null,
  });
});

test.each([
  ["waiting", { status: "queued", startedAt: null }],
  ["waiting", { status: "paused", startedAt: null }],
  ["validating", { status: "paused" }],
  ["retrying", { triedOnce: 1000, processed: 999 }],
  ["done", { status: "cancelled" }],
] as const)("the phase is %s for %j", (phase, changes) => {
  expect(recordOf(changes)).toMatchObject({ phase });
});

test("a job with only retries left has no estimate", () => {
  expect(recordOf({ triedOnce: 1000, processed: 999 })).toMatchObject({
    eta_seconds: null,
    progress_percent: 99.9,
  });
});

test("100 percent is reported only after the end", () => {
  expect(recordOf({ processed: 1000 }).progress_percent).toBe(99.9);
  expect(recordOf({ processed: 1000, status: "completed" }).progress_percent).toBe(100);
  expect(recordOf({ processed: 333, status: "cancelled" }).progress_percent).toBe(33.3);
});

test("credits_used is what was settled; for a test key, what it would have cost", () => {
  const ended = { status: "completed", reservationId: null, processed: 1000, creditsUsed: 998 } as const;
  expect(recordOf(ended)).toMatchObject({ credits_reserved: 0, credits_used: 998 });
  expect(recordOf({ ...ended, isTest: true, creditsUsed: 0 })).toMatchObject({ credits_used: 1000 });
});

test("the error of a failed job is a problem document with the job's id", () => {
  const error = { code: "internal_error", detail: "See the log." };
  expect(recordOf({ status: "failed", error }).error).toEqual({
    type: "/docs/problems#internal_error",
    title: "Internal error",
    status: 500,
    detail: "See the log.",
    code: "internal_error",
    request_id: running.id,
  });
});
