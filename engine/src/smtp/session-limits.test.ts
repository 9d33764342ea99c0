import { expect, test } from "vitest";
import { sessionLimits } from "./session-limits.ts";

test.each([
  [Number.POSITIVE_INFINITY, 600, 6000],
  [65_536, 600, 6000],
  [4096, 600, 2048],
  [1024, 512, 512],
  [300, 150, 150],
  [1, 1, 1],
])("with %d open files at most, up to %d sessions work, and %d are open", (openFiles, working, open) => {
  expect(sessionLimits(openFiles)).toEqual({ working, open });
});
