import { ALL_SUB_STATUSES, STATUS_OF } from "@mailvet/contract";
import { expect, test } from "vitest";
import { type DeferredEmail, groupByDelay, providerWaitMs, retryDelayMs } from "./retries.ts";

const MINUTE_MS = 60_000;

/** All delays of an email with the same result each time, in minutes. */
function waitsOf(result: Pick<DeferredEmail, "subStatus" | "retryAfterSeconds">): number[] {
  const waits: number[] = [];
  let elapsedMs = 0;
  for (let attempt = 0; attempt < 100; attempt++) {
    const delayMs = retryDelayMs({ ...result, attempt, elapsedMs });
    if (delayMs === undefined) return waits;
    waits.push(delayMs / MINUTE_MS);
    elapsedMs += delayMs;
  }
  throw new Error("retries do not end");
}

test.for([
  ["greylisted", 360, [6, 12, 24, 48]],
  ["greylisted", 60, [1, 2, 5, 30]],
  ["greylisted", undefined, [6, 12, 24, 48]],
  ["rate_limited", 900, [15, 22.5, 30, 45, 60]],
  ["temporary_error", 900, [5, 30]],
  ["server_untrusted", 3600, [60, 60, 60]],
  ["dns_error", 300, [1, 10]],
  ["smtp_timeout", 900, [5]],
  ["smtp_unreachable", 900, [5]],
  ["smtp_protocol_error", 900, [5]],
  ["internal_error", undefined, [1 / 6]],
  ["probe_blocked", undefined, []],
  ["egress_blocked", 60, []],
  ["smtp_skipped", undefined, []],
] as const)("%s with retry_after %s is retried after %o minutes", ([subStatus, retryAfterSeconds, waits]) => {
  expect(waitsOf({ subStatus, retryAfterSeconds })).toEqual(waits);
});

test("only unknown results are retried", () => {
  for (const subStatus of ALL_SUB_STATUSES) {
    if (STATUS_OF[subStatus] !== "unknown") expect(waitsOf({ subStatus, retryAfterSeconds: 60 })).toEqual([]);
  }
});

test("retries end after four hours, whatever the server asks for", () => {
  for (const retryAfterSeconds of [1, 3_600, 10_000, 1_000_000]) {
    const waits = waitsOf({ subStatus: "rate_limited", retryAfterSeconds });
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThanOrEqual(240);
  }
  const late = { subStatus: "greylisted", attempt: 0, retryAfterSeconds: 60 } as const;
  expect(retryDelayMs({ ...late, elapsedMs: 239 * MINUTE_MS })).toBe(MINUTE_MS);
  expect(retryDelayMs({ ...late, elapsedMs: 239.5 * MINUTE_MS })).toBeUndefined();
});

test.for([
  [900, 0, 900],
  [undefined, 0, 360],
  [86_400, 0, 3_600], // looked at again every hour
  [900, 11.9, 360], // no longer than it may wait
  [900, 12, undefined],
] as const)(
  "a host that asks for %s s is waited for, after %s of 12 hours, for %s s",
  ([asked, hours, seconds]) => {
    const waitMs = providerWaitMs(asked, hours * 3_600_000, 12 * 3_600_000);
    expect(waitMs === undefined ? undefined : Math.round(waitMs / 1000)).toBe(seconds);
  },
);

test("emails due at about the same time are grouped, and none is too early", () => {
  const delays = [1_500, 2_000, 61_000, 90_000, 91_000];
  const groups = groupByDelay(delays.map((delayMs) => ({ email: delayMs, delayMs })));
  expect([...groups]).toEqual([
    [2_000, [1_500, 2_000]],
    [90_000, [61_000, 90_000]],
    [120_000, [91_000]],
  ]);
});
