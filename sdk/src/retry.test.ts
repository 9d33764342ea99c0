import { expect, test } from "vitest";
import { secondsUntil } from "./response.ts";
import { delayBefore } from "./retry.ts";

test("delays double up to eight seconds, with at most 50 % jitter", () => {
  expect([0, 1, 2, 5, 50].map((retries) => delayBefore(retries, 0, 0))).toEqual([250, 500, 1000, 8000, 8000]);
  expect(delayBefore(1, 0, 1)).toBe(250);
});

test("Retry-After is the minimum delay, and more than a minute is not waited for", () => {
  expect(delayBefore(0, 60, 1)).toBe(60_125);
  expect(delayBefore(0, 61, 0)).toBeUndefined();
});

test.for([
  ["5", 5],
  ["0", 0],
  ["Thu, 01 Jan 1970 00:01:40 GMT", 90],
  ["Thu, 01 Jan 1970 00:00:01 GMT", 0],
  ["soon", undefined],
  ["-1x", undefined],
] as const)("Retry-After: %s is %s seconds", ([text, seconds]) => {
  expect(secondsUntil(text, 10_000)).toBe(seconds);
});
