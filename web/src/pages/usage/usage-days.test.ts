import { expect, test } from "vitest";
import { checked, daysBack, halvesOf, perDay, perKey, sumCounts } from "./usage-days.ts";

const day = (date: string, key_id: string | null, valid: number) => ({
  date,
  key_id,
  valid,
  invalid: 1,
  risky: 0,
  unknown: 0,
  credits_used: valid + 1,
});

test("a day without checks is part of the range", () => {
  const days = perDay({ from: "2026-02-27", to: "2026-03-01", days: [day("2026-03-01", null, 4)] });
  expect(days.map(({ date, valid }) => [date, valid])).toEqual([
    ["2026-02-27", 0],
    ["2026-02-28", 0],
    ["2026-03-01", 4],
  ]);
});

test("the usage of several keys on one day is added up", () => {
  const usage = { from: "2026-03-01", to: "2026-03-01" };
  const [only] = perDay({ ...usage, days: [day("2026-03-01", "a", 2), day("2026-03-01", null, 3)] });
  expect(only).toMatchObject({ valid: 5, invalid: 2, credits_used: 7 });
});

test("the earlier half of the days is the period before", () => {
  const days = [day("2026-02-28", null, 1), day("2026-03-01", null, 2), day("2026-03-03", null, 3)];
  const { now, before } = halvesOf({ from: "2026-02-27", to: "2026-03-04", days });
  expect(perDay(before).map(({ date, valid }) => [date, valid])).toEqual([
    ["2026-02-27", 0],
    ["2026-02-28", 1],
    ["2026-03-01", 2],
  ]);
  expect(perDay(now).map(({ date, valid }) => [date, valid])).toEqual([
    ["2026-03-02", 0],
    ["2026-03-03", 3],
    ["2026-03-04", 0],
  ]);
});

test("keys are sorted by usage over all days", () => {
  const days = [day("2026-03-01", "a", 1), day("2026-03-01", null, 5), day("2026-02-28", null, 1)];
  expect(perKey(days).map(({ keyId, counts }) => [keyId, checked(counts)])).toEqual([
    [null, 8],
    ["a", 2],
  ]);
});

test("the sum of no days is zero", () => {
  expect(checked(sumCounts([]))).toBe(0);
});

test("daysBack counts calendar days in UTC", () => {
  expect(daysBack(new Date("2026-03-01T23:30:00-05:00"), 1)).toBe("2026-03-01");
});
