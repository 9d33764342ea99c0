import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

test.for([
  ["90s", 90_000],
  ["15m", 900_000],
  [" 2h ", 7_200_000],
  ["0", 0],
  ["0s", 0],
  ["15", undefined],
  ["soon", undefined],
  ["-5m", undefined],
  ["1.5h", undefined],
  ["m", undefined],
] as const)("%s is parsed as %s milliseconds", ([text, ms]) => {
  expect(parseDuration(text)).toBe(ms);
});

test.for([
  [-3, "0 s"],
  [59.4, "59 s"],
  [59.6, "1 min 0 s"],
  [125, "2 min 5 s"],
  [7_325, "2 h 2 min"],
] as const)("%s seconds are shown as %s", ([seconds, text]) => {
  expect(formatDuration(seconds)).toBe(text);
});
