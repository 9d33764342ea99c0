import { expect, test } from "vitest";
import { common } from "../messages.ts";
import { formatDay, relativeTime } from "./timestamp.tsx";

const NOW = Date.parse("2026-11-16T12:00:00Z");
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

test.each([
  [-61, -1, "minute"],
  [-3 * 3600 - 100, -3, "hour"],
  [-25 * 3600, -1, "day"],
  [5 * 60, 5, "minute"],
  [30 * 86_400, 30, "day"],
] as const)("%d seconds from now is relative", (seconds, count, unit) => {
  expect(relativeTime(NOW + seconds * 1000, NOW)).toBe(relative.format(count, unit));
});

test.each([0, -20, 20])("%d seconds from now is just now", (seconds) => {
  expect(relativeTime(NOW + seconds * 1000, NOW)).toBe(common.justNow);
});

test("more than a month away is a date", () => {
  const at = "2026-09-01T12:00:00Z";
  expect(relativeTime(Date.parse(at), NOW)).toBe(formatDay(at));
});
