import { expect, test } from "vitest";
import { Breaker } from "./breaker.ts";

/** Fails so many times in a row, and returns the last pause. */
function failTimes(breaker: Breaker, times: number, nowMs: number): number | undefined {
  let pauseMs: number | undefined;
  for (let time = 0; time < times; time++) {
    expect(breaker.admit(nowMs)).toBe(true);
    pauseMs = breaker.failed(nowMs);
  }
  return pauseMs;
}

test("two failures are tolerated, the third opens the breaker for a minute", () => {
  const breaker = new Breaker();
  expect(failTimes(breaker, 2, 0)).toBeUndefined();
  expect(failTimes(breaker, 1, 0)).toBe(60_000);
  expect(breaker.admit(59_999)).toBe(false);
  expect(breaker.pauseLeftMs(59_000)).toBe(1000);
});

test("a success resets the count of failures", () => {
  const breaker = new Breaker();
  failTimes(breaker, 2, 0);
  breaker.succeeded();
  expect(failTimes(breaker, 2, 0)).toBeUndefined();
});

test("after the pause one request is admitted, and the others are refused until it ends", () => {
  const breaker = new Breaker();
  failTimes(breaker, 3, 0);
  expect(breaker.admit(60_000)).toBe(true);
  expect(breaker.admit(60_000)).toBe(false);
  expect(breaker.failed(61_000)).toBe(60_000);
  expect(breaker.admit(120_999)).toBe(false);

  expect(breaker.admit(121_000)).toBe(true);
  breaker.succeeded();
  expect([breaker.admit(121_001), breaker.admit(121_001)]).toEqual([true, true]);
});

test("Retry-After is respected up to a limit", () => {
  const breaker = new Breaker();
  expect(breaker.failed(0, 5000)).toBe(5000);
  expect([breaker.admit(4999), breaker.admit(5000)]).toEqual([false, true]);
  expect(breaker.failed(5000, 86_400_000)).toBe(600_000);
  expect(breaker.admit(605_000)).toBe(true);
});

test("repeated failures with Retry-After 0 open the breaker all the same", () => {
  const breaker = new Breaker();
  expect([breaker.failed(0, 0), breaker.failed(0, 0), breaker.failed(0, 0)]).toEqual([
    undefined,
    undefined,
    60_000,
  ]);
});

test("concurrent failures report one pause", () => {
  const breaker = new Breaker();
  for (let request = 0; request < 4; request++) breaker.admit(0);
  const rests = [1, 2, 3, 4].map((nowMs) => breaker.failed(nowMs));
  expect(rests).toEqual([undefined, undefined, 60_000, undefined]);
});
