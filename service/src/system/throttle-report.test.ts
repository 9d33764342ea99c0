import { LocalHostLimiter, type ProviderProfile } from "@mailvet/engine";
import { expect, test } from "vitest";
import { createThrottleReport } from "./throttle-report.ts";

const PROFILE = { connections: 4, gapMs: 0 } as ProviderProfile;
const REFUSAL = { code: 554, enhanced: "5.7.1", lines: ["Your address is on a list."] };

const openReport = () => createThrottleReport((_key, profile) => new LocalHostLimiter(profile));

test("a host without a rate-limit reply is not reported", () => {
  const report = openReport();
  report.limiterFor("mx.one.example", PROFILE).record({ kind: "ok" });
  expect(report.list()).toEqual([]);
});

test("a throttled host is reported until enough sessions were ok", () => {
  const report = openReport();
  const limiter = report.limiterFor("mx.one.example", PROFILE);
  limiter.record({ kind: "rate_limited" });
  expect(report.list()).toEqual([
    {
      key: "mx.one.example",
      provider: "other",
      identity: "default",
      limit: 2,
      rest_ms: 1000,
      refused_since: null,
      breaker_open_until: null,
      last_reply: null,
    },
  ]);
  expect(limiter.limit).toBe(2);
  expect(limiter.delayLeftMs).toBeGreaterThan(0);
  for (let session = 0; session < 10; session++) limiter.record({ kind: "ok" });
  expect([limiter.limit, report.list()]).toEqual([4, []]);
});

test("an open breaker comes first, with its end and the reply", () => {
  const report = openReport();
  report.limiterFor("mx.slow.example", PROFILE).record({ kind: "rate_limited" });
  const closed = report.limiterFor("mx.closed.example", PROFILE);
  for (let time = 0; time < 3; time++) closed.record({ kind: "blocked", reply: REFUSAL });
  const [first, second] = report.list();
  expect(first).toMatchObject({
    key: "mx.closed.example",
    last_reply: "554 5.7.1 Your address is on a list.",
  });
  expect(Date.parse(first!.breaker_open_until!)).toBeGreaterThan(Date.now()); // timing: for fifteen minutes
  expect(closed.openBreaker).toMatchObject({ reply: REFUSAL });
  expect(Date.parse(first!.refused_since!)).toBeLessThanOrEqual(Date.now()); // timing: it is in the past
  expect(second?.key).toBe("mx.slow.example");
});

test("hosts are counted by egress identity, and reported with it", () => {
  const report = openReport();
  report.limiterFor("mx.one.example from probe-1", PROFILE).record({ kind: "rate_limited" });
  report.limiterFor("mx.two.example from probe-1", PROFILE).record({ kind: "rate_limited" });
  const refused = report.limiterFor("provider google from probe-2", PROFILE);
  for (let time = 0; time < 3; time++) refused.record({ kind: "blocked", reply: REFUSAL });
  expect(report.count().toSorted((a, b) => (a.identity < b.identity ? -1 : 1))).toEqual([
    { identity: "probe-1", throttled: 2, openBreakers: 0 },
    { identity: "probe-2", throttled: 1, openBreakers: 1 },
  ]);
  expect(report.list()[0]).toMatchObject({ key: "provider google", identity: "probe-2" });
});
