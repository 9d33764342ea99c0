import { expect, test } from "vitest";
import { axisOf } from "./chart-axis.ts";

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [9, [0, 3, 6, 9]],
  [1296, [0, 500, 1000, 1500]],
  [100_000, [0, 25_000, 50_000, 75_000, 100_000]],
])("a chart up to %i has round ticks", (highest, ticks) => {
  expect(axisOf(highest)).toEqual({ top: ticks.at(-1), ticks });
});
