import { expect, test } from "vitest";
import { checked, daysBack, perDay, perKey, sumCounts } from "./usage-days.ts";

const day = (date: string, key_id: string | null, valid: number) => ({
  date,
  key_id,
  valid,
  invalid: 1,
  risky: 0,
  unknown: 0,
  credits_used: valid + 1,
});

test("a day on which nothing was checked still has its place in the chart", () => {
  const days = perDay({ from: "2026-02-27", to: "2026-03-01", days: [day("2026-03-01", null, 4)] });
  expect(days.map(({ date, valid }) => [date, valid])).toEqual([
    ["2026-02-27", 0],
    ["2026-02-28", 0],
    ["2026-03-01", 4],
  ]);
});

test("what several keys used on one day is one bar", () => {
  const usage = { from: "2026-03-01", to: "2026-03-01" };
  const [only] = perDay({ ...usage, days: [day("2026-03-01", "a", 2), day("2026-03-01", null, 3)] });
  expect(only).toMatchObject({ valid: 5, invalid: 2, credits_used: 7 });
});

test("the key that was used most comes first, with all its days", () => {
  const days = [day("2026-03-01", "a", 1), day("2026-03-01", null, 5), day("2026-02-28", null, 1)];
  expect(perKey(days).map(({ keyId, counts }) => [keyId, checked(counts)])).toEqual([
    [null, 8],
    ["a", 2],
  ]);
});

test("nothing adds up to nothing", () => {
  expect(checked(sumCounts([]))).toBe(0);
});

test("a range begins so many days ago, by the calendar in UTC", () => {
  expect(daysBack(new Date("2026-03-01T23:30:00-05:00"), 1)).toBe("2026-03-01");
});
