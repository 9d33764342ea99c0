import { expect, test } from "vitest";
import { sessionLimit } from "./session-limit.ts";

test.each([
  [Number.POSITIVE_INFINITY, 600],
  [65_536, 600],
  [1024, 600],
  [700, 444],
  [300, 150],
  [1, 1],
])("with %d open files at most, there are up to %d sessions", (openFiles, sessions) => {
  expect(sessionLimit(openFiles)).toBe(sessions);
});
