import type { Job } from "@mailvet/contract";
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
  moreColumns: [],
  metadata: null,
  level: null,
  totalRows: 1200,
  totalEmails: 1100,
  uniqueEmails: 1000,
  plannedParts: 2,
  isPlanned: true,
  triedOnce: 500,
  givenUp: 0,
  processed: 400,
  progressedAt: new Date("2026-11-15T10:01:40Z"),
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
  isSuspended: false,
  isFinishing: false,
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
    eta_seconds: 125, // for the 500 emails that were not tried yet
    eta_reason: null,
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

test("rows that wait for a provider are a phase of their own once all others were tried", () => {
  const retries = {
    waiting: [{ probe_blocked: 30 }, { probe_blocked: 10 }, { probe_blocked: 60, greylisted: 0 }],
    dueAt: [],
    refused: [
      { by: "mx.firm.example", since: "2026-11-15T09:00:00Z", emails: 10, isTried: false },
      { by: "outlook", since: "2026-11-15T08:05:00Z", emails: 30, isTried: false },
      { by: "outlook", since: "2026-11-15T08:00:00Z", emails: 60, isTried: false },
    ],
  };
  const at = (triedOnce: number) => jobRecord({ ...running, triedOnce }, {}, NOW, retries);
  expect(at(899)).toMatchObject({ phase: "validating", retrying: { probe_blocked: 100 } });
  expect(at(900)).toMatchObject({
    phase: "waiting_for_provider",
    eta_seconds: null,
    eta_reason: "waiting_for_provider",
    waiting_for: [
      { provider: "outlook", since: "2026-11-15T08:00:00.000Z", emails: 90 },
      { provider: "mx.firm.example", since: "2026-11-15T09:00:00.000Z", emails: 10 },
    ],
  });
});

test("the estimate counts down until the next verdict, and ends when mail servers do not answer", () => {
  const at = (seconds: number) =>
    jobRecord(running, { "": 400 }, new Date(NOW.getTime() + seconds * 1000)) satisfies Job;
  expect([0, 1, 10, 30].map((seconds) => at(seconds).eta_seconds)).toEqual([125, 124, 115, 95]);
  expect(at(31)).toMatchObject({ eta_seconds: null, eta_reason: "waiting_for_servers" });
});

test.each([
  ["not_started", { status: "queued", startedAt: null }],
  ["paused", { status: "paused" }],
  ["no_verdict_yet", { processed: 0, triedOnce: 0, progressedAt: null }],
  ["waiting_for_retries", { triedOnce: 1000, processed: 999 }],
] as const)("without an estimate the reason is given: %s", (eta_reason, changes) => {
  expect(recordOf(changes)).toMatchObject({ eta_seconds: null, eta_reason });
});

test("retries are counted by the sub-status of the last attempt, and the estimate includes the last one known", () => {
  const retries = {
    waiting: [{ greylisted: 3 }, { greylisted: 1, rate_limited: 2 }],
    dueAt: ["2026-11-15T10:06:40Z", "2026-11-15T10:02:40Z", "2026-11-15T10:01:00Z"],
  };
  expect(jobRecord(running, { "": 400 }, NOW, retries)).toMatchObject({
    retrying: { greylisted: 4, rate_limited: 2 },
    next_attempt_at: "2026-11-15T10:02:40.000Z",
    eta_seconds: 300,
  });
  const paused = { ...running, status: "paused" } as const;
  expect(jobRecord(paused, {}, NOW, retries)).toMatchObject({
    retrying: { greylisted: 4, rate_limited: 2 },
    next_attempt_at: null,
  });
  const ended = { ...running, status: "completed" } as const;
  expect(jobRecord(ended, {}, NOW, retries)).toMatchObject({ retrying: {}, next_attempt_at: null });
});

test("100 percent is reported only after the end", () => {
  expect(recordOf({ processed: 1000 }).progress_percent).toBe(99.9);
  expect(recordOf({ processed: 1000, status: "completed" }).progress_percent).toBe(100);
  expect(recordOf({ processed: 333, status: "cancelled" }).progress_percent).toBe(33.3);
});

test("credits_used counts what is checked, and after the end what was settled", () => {
  expect(recordOf({ processed: 400, creditsUsed: 0 })).toMatchObject({ credits_used: 400 });
  const ended = { status: "completed", reservationId: null, processed: 1000, creditsUsed: 998 } as const;
  expect(recordOf(ended)).toMatchObject({ credits_reserved: 0, credits_used: 998 });
});

test("the error of a failed job is a problem document with the job's id", () => {
  const error = { code: "internal_error", detail: "See the log." };
  expect(recordOf({ status: "failed", error }).error).toEqual({
    type: "/docs/problems/internal_error",
    title: "Internal error",
    status: 500,
    detail: "See the log.",
    code: "internal_error",
    request_id: running.id,
  });
});
