import { MAX_USAGE_DAYS } from "@mailvet/contract";
import { expect, test } from "vitest";
import { Refusal } from "../refusal.ts";
import { usageRange } from "./usage-range.ts";

const NOON = new Date("2026-03-01T12:00:00Z");

test("without a word it is the last thirty days, today included", () => {
  expect(usageRange({}, NOON)).toEqual({ from: "2026-01-31", to: "2026-03-01" });
});

test("today is the day in UTC, wherever the server stands", () => {
  expect(usageRange({}, new Date("2026-03-01T23:30:00-05:00")).to).toBe("2026-03-02");
});

test("one end is enough", () => {
  expect(usageRange({ to: "2025-12-31" }, NOON)).toEqual({ from: "2025-12-02", to: "2025-12-31" });
  expect(usageRange({ from: "2026-02-28" }, NOON)).toEqual({ from: "2026-02-28", to: "2026-03-01" });
});

test("a single day is a range", () => {
  expect(usageRange({ from: "2026-02-01", to: "2026-02-01" }, NOON)).toEqual({
    from: "2026-02-01",
    to: "2026-02-01",
  });
});

test("a leap year fits, and a day more does not", () => {
  expect(MAX_USAGE_DAYS).toBe(366);
  expect(usageRange({ from: "2024-01-01", to: "2024-12-31" }, NOON).from).toBe("2024-01-01");
  expect(() => usageRange({ from: "2023-12-31", to: "2024-12-31" }, NOON)).toThrow(Refusal);
});

test.each([
  [{ from: "2026-02-02", to: "2026-02-01" }, "/from"],
  [{ from: "2026-03-02" }, "/from"],
  [{ from: "0000-01-01", to: "0000-01-02" }, "/to"],
  [{ from: "1969-12-31", to: "1970-01-01" }, "/from"],
])("%o is refused with a pointer", (wanted, pointer) => {
  try {
    usageRange(wanted, NOON);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ code: "validation_failed", extras: { errors: [{ pointer }] } });
  }
});
