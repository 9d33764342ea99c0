import { PLANS } from "@mailvet/contract";
import { afterEach, expect, test, vi } from "vitest";
import { ACCOUNT_LIMITS, PLAN_LIMITS } from "../../accounts/plans.ts";
import { HTTP_DEFAULTS } from "../http-settings.ts";
import { createLoadShedding, type LoadShedding } from "./load-shedding.ts";
import { RequestLifetime } from "./request-lifetime.ts";

let load: LoadShedding;
afterEach(() => {
  load?.close();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("a request that was queued too long is refused, and does not count as in flight", () => {
  load = createLoadShedding({ ...HTTP_DEFAULTS, maxQueueDelayMs: 60_000 });
  load.admit(new RequestLifetime(performance.now()));
  const late = new RequestLifetime(performance.now() - 61_000);
  expect(() => load.admit(late)).toThrow(expect.objectContaining({ code: "overloaded" }));
  expect(load.inFlight).toBe(1);
});

test("the event loop is sampled every 200 ms while requests are in flight, and every 2 s otherwise", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  load = createLoadShedding(HTTP_DEFAULTS);
  vi.advanceTimersToNextTimer(); // started
  const request = new RequestLifetime(performance.now());
  load.admit(request);
  expect([nextSample(), nextSample()]).toEqual([200, 200]);
  request.endWork();
  expect([nextSample(), nextSample(), nextSample()]).toEqual([200, 2_000, 2_000]);
  vi.advanceTimersByTime(500);
  load.admit(new RequestLifetime(performance.now()));
  expect([nextSample(), nextSample()]).toEqual([200, 200]);
});

function nextSample(): number {
  const before = performance.now();
  vi.advanceTimersToNextTimer();
  return performance.now() - before;
}

test("a single delay of the event loop refuses nothing, three late samples in a row do", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  load = createLoadShedding({ ...HTTP_DEFAULTS, maxEventLoopDelayMs: 200 });
  const admit = () => load.admit(new RequestLifetime(nowMs));
  const sampleAfter = (ms: number) => {
    nowMs += ms;
    vi.advanceTimersToNextTimer();
  };
  sampleAfter(0); // started
  admit();
  for (const ms of [800, 200, 800, 800]) {
    sampleAfter(ms);
    admit();
  }
  sampleAfter(800);
  expect(admit).toThrow(expect.objectContaining({ code: "overloaded" }));
  sampleAfter(200);
  admit();
});

test("no plan may use more than half of the requests of a process", () => {
  for (const plan of PLANS) {
    const half = HTTP_DEFAULTS.maxConcurrentRequests / 2;
    expect(PLAN_LIMITS[plan].concurrent_requests, plan).toBeLessThanOrEqual(half);
  }
});

test("an account gets as many bulk requests as it is told", () => {
  load = createLoadShedding(HTTP_DEFAULTS);
  const start = () => load.admitBulk(new RequestLifetime(0), "ann");
  for (let n = 0; n < ACCOUNT_LIMITS.concurrent_bulk_requests; n++) start();
  expect(start).toThrow(expect.objectContaining({ code: "rate_limited" }));
});
