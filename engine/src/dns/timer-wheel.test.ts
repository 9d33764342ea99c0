import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TimerWheel } from "./timer-wheel.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** An entry that records when it fired. */
function entryAt(fired: Map<string, number>, name: string) {
  return {
    slot: undefined,
    dueTick: 0,
    onDeadline: () => {
      fired.set(name, performance.now());
    },
  };
}

test("entries fire in order, never early and at most one slot late, on one timer", () => {
  const wheel = new TimerWheel(12_000);
  const fired = new Map<string, number>();
  const startedAt = performance.now();
  const delays = [12_000, 3000, 7000, 60, 0, 11_900];
  for (const delay of delays) wheel.schedule(entryAt(fired, `${delay}`), delay);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(13_000);
  expect([...fired.keys()].map(Number)).toEqual(delays.toSorted((a, b) => a - b));
  for (const [delay, at] of fired) {
    const lateMs = at - startedAt - Number(delay);
    expect(Math.sign(lateMs) >= 0 && lateMs < 100, `${delay}: ${lateMs}`).toBe(true);
  }
  expect(vi.getTimerCount()).toBe(0);
});

test("a cancelled entry does not fire, and an idle wheel has no timer", () => {
  const wheel = new TimerWheel(12_000);
  const fired = new Map<string, number>();
  const entry = entryAt(fired, "cancelled");
  wheel.schedule(entry, 100);
  wheel.cancel(entry);
  wheel.cancel(entry);
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(13_000);
  expect(fired.size).toBe(0);
});

test("an entry that is scheduled again fires once, at its new time", () => {
  const wheel = new TimerWheel(12_000);
  const fired = new Map<string, number>();
  const entry = entryAt(fired, "moved");
  wheel.schedule(entry, 100);
  wheel.schedule(entry, 6000);
  vi.advanceTimersByTime(5000);
  expect(fired.size).toBe(0);
  vi.advanceTimersByTime(2000);
  expect(fired.size).toBe(1);
});

test("a deadline a whole turn away does not fire early when the process was stopped in between", () => {
  const wheel = new TimerWheel(12_000);
  const fired = new Map<string, number>();
  wheel.schedule(entryAt(fired, "old"), 12_000);
  const frozenAt = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => frozenAt + 5000); // no timer has run for five seconds
  wheel.schedule(entryAt(fired, "new"), 12_000);
  vi.advanceTimersByTime(47);
  expect(fired.size).toBe(0);
  vi.spyOn(performance, "now").mockImplementation(() => frozenAt + 12_100);
  vi.advanceTimersByTime(47);
  expect([...fired.keys()]).toEqual(["old"]);
  vi.restoreAllMocks();
});
