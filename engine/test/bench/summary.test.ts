import { expect, test } from "vitest";
import { rangeOf, summaryRows } from "../../bench/peers/summary.ts";
import type { Measurement } from "../../bench/smtp/measure.ts";

const FIGURES = {
  addresses: 100,
  right: 100,
  connections: 40,
  mostAtOnce: 1,
  cpuSeconds: 1,
  cpuMsPerHost: 25,
};
const measured = (checker: string, rate: number, more: Partial<Measurement> = {}) =>
  ({ checker, rate, ...FIGURES, liveCalledDead: 0, endedWithoutQuit: 0, ...more }) as Measurement;

test("ratios are taken within a round, whatever the order of its checkers", () => {
  const rows = summaryRows([
    [
      measured("AfterShip", 100),
      measured("mailvet CLI", 200),
      measured("mailvet library", 300),
      measured("mailvet service", 250),
      measured("raw client", 400),
    ],
    [
      measured("mailvet library", 60),
      measured("mailvet CLI", 30),
      measured("mailvet service", 40),
      measured("raw client", 300),
      measured("AfterShip", 20, { right: 90 }),
    ],
  ]);
  const [NAME, CLI, RIGHT] = [0, 5, 8];
  expect(rows.map((row) => [...row.slice(NAME, CLI), row[RIGHT]])).toEqual([
    ["raw client", "300 to 400", "0.20 to 0.75", "0.13 to 0.63", "0.10 to 0.50", "100 of 100"],
    ["mailvet library", "60 to 300", "", "0.67 to 0.83", "0.50 to 0.67", "100 of 100"],
    ["mailvet service", "40 to 250", "1.20 to 1.50", "", "0.75 to 0.80", "100 of 100"],
    ["mailvet CLI", "30 to 200", "1.50 to 2.00", "1.25 to 1.33", "", "100 of 100"],
    ["AfterShip", "20 to 100", "3.00", "2.00 to 2.50", "1.50 to 2.00", "90 to 100 of 100"],
  ]);
});

test("a range is one figure when its ends read the same", () => {
  expect(rangeOf([1234.4, 1233.6], 0)).toBe("1,234");
  expect(rangeOf([2, 1.5], 1)).toBe("1.5 to 2.0");
});
