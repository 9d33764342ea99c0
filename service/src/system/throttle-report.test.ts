import { LocalHostLimiter, type ProviderProfile } from "@mailvet/engine";
import { expect, test } from "vitest";
import { createThrottleReport } from "./throttle-report.ts";

const PROFILE = { connections: 4, gapMs: 0 } as ProviderProfile;
const REFUSAL = { code: 554, enhanced: "5.7.1", lines: ["Your address is on a list."] };

const openReport = () => createThrottleReport((_key, profile) => new LocalHostLimiter(profile));

test("a host without rate-limit replies is not listed", () => {
  const report = openReport();
  report.paceFor("mx.one.example", PROFILE).wentWell();
  expect(report.list()).toEqual([]);
});

test("a rate-limited host is listed with its limits until enough sessions succeed", () => {
  const report = openReport();
  const limiter = report.paceFor("mx.one.example", PROFILE);
  limiter.slowDown();
  expect(report.list()).toEqual([
    { key: "mx.one.example", limit: 2, rest_ms: 1000, breaker_open_until: null, last_reply: null },
  ]);
  expect(limiter.limit).toBe(2);
  expect(limiter.restLeftMs).toBeGreaterThan(0);
  for (let session = 0; session < 10; session++) limiter.wentWell();
  expect([limiter.limit, report.list()]).toEqual([4, []]);
});

test("a host with an open breaker is listed first, with its end and the reply", () => {
  const report = openReport();
  report.paceFor("mx.slow.example", PROFILE).slowDown();
  const closed = report.paceFor("mx.closed.example", PROFILE);
  for (let time = 0; time < 3; time++) closed.refusedUs(REFUSAL);
  const [first, second] = report.list();
  expect(first).toMatchObject({
    key: "mx.closed.example",
    last_reply: "554 5.7.1 Your address is on a list.",
  });
  expect(Date.parse(first!.breaker_open_until!)).toBeGreaterThan(Date.now()); // timing: for a quarter of an hour
  expect(closed.openBreaker).toEqual(REFUSAL);
  expect(second?.key).toBe("mx.slow.example");
});

test("the worst fifty hosts are listed", () => {
  const report = openReport();
  for (let host = 0; host < 80; host++) {
    const limiter = report.paceFor(`mx${host}.example`, PROFILE);
    for (let complaint = 0; complaint <= host % 5; complaint++) limiter.slowDown();
  }
  const listed = report.list();
  expect(listed).toHaveLength(50);
  expect(listed[0]!.rest_ms).toBe(16_000);
  expect(Math.min(...listed.map(({ rest_ms }) => rest_ms))).toBeGreaterThan(1000);
});
