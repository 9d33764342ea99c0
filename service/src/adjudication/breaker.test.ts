import { expect, test } from "vitest";
import { Breaker } from "./breaker.ts";

/** Fails so many times in a row, and tells how long the last rest is. */
function failTimes(breaker: Breaker, times: number, nowMs: number): number | undefined {
  let restMs: number | undefined;
  for (let time = 0; time < times; time++) {
    expect(breaker.admit(nowMs)).toBe(true);
    restMs = breaker.failed(nowMs);
  }
  return restMs;
}

test("two failures are forgiven, after the third nobody asks for a minute", () => {
  const breaker = new Breaker();
  expect(failTimes(breaker, 2, 0)).toBeUndefined();
  expect(failTimes(breaker, 1, 0)).toBe(60_000);
  expect(breaker.admit(59_999)).toBe(false);
  expect(breaker.restLeftMs(59_000)).toBe(1000);
});

test("an answer in between makes good what failed before", () => {
  const breaker = new Breaker();
  failTimes(breaker, 2, 0);
  breaker.wentWell();
  expect(failTimes(breaker, 2, 0)).toBeUndefined();
});

test("after the rest one tries, and the others wait for how it ends", () => {
  const breaker = new Breaker();
  failTimes(breaker, 3, 0);
  expect(breaker.admit(60_000)).toBe(true);
  expect(breaker.admit(60_000)).toBe(false);
  expect(breaker.failed(61_000)).toBe(60_000);
  expect(breaker.admit(120_999)).toBe(false);

  expect(breaker.admit(121_000)).toBe(true);
  breaker.wentWell();
  expect([breaker.admit(121_001), breaker.admit(121_001)]).toEqual([true, true]);
});

test("who asks us to come back later is left alone that long, but not for ever", () => {
  const breaker = new Breaker();
  expect(breaker.failed(0, 5000)).toBe(5000);
  expect([breaker.admit(4999), breaker.admit(5000)]).toEqual([false, true]);
  expect(breaker.failed(5000, 86_400_000)).toBe(600_000);
  expect(breaker.admit(605_000)).toBe(true);
});

test("who asks us to come back at once, again and again, is left alone all the same", () => {
  const breaker = new Breaker();
  expect([breaker.failed(0, 0), breaker.failed(0, 0), breaker.failed(0, 0)]).toEqual([
    undefined,
    undefined,
    60_000,
  ]);
});

test("failures of requests that were under way together are told once", () => {
  const breaker = new Breaker();
  for (let request = 0; request < 4; request++) breaker.admit(0);
  const rests = [1, 2, 3, 4].map((nowMs) => breaker.failed(nowMs));
  expect(rests).toEqual([undefined, undefined, 60_000, undefined]);
});
