import { expect, test } from "vitest";
import { retryAfterSeconds } from "./retry-after.ts";

test.each([
  ["greylisted for 300 seconds", 300],
  ["try again in 5 minutes", 300],
  ["wait 5min", 300],
  ["please wait 00:04:59", 299],
  ["come back in 10:00", 600],
  ["retry in 2 hours", 7200],
  ["try again in an hour", 3600],
  ["try again in 9999999 hours", 86_400],
  ["try again later", undefined],
  ["", undefined],
] as const)("%s", (words, seconds) => {
  expect(retryAfterSeconds(words)).toBe(seconds);
});
