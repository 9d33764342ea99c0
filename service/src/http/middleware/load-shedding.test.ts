import { afterEach, expect, test, vi } from "vitest";
import { HTTP_DEFAULTS } from "../http-settings.ts";
import { createLoadShedding, type LoadShedding } from "./load-shedding.ts";
import { RequestLifetime } from "./request-lifetime.ts";

let load: LoadShedding;
afterEach(() => {
  load.close();
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
