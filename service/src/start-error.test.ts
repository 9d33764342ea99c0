import { DrizzleQueryError } from "drizzle-orm";
import { expect, test } from "vitest";
import { startErrorMessage } from "./start-error.ts";

test("a statement that fails at the start is shown without its parameters", () => {
  const failed = new DrizzleQueryError(
    "insert into accounts values ($1)",
    ["a-hash"],
    new Error("disk full"),
  );
  const message = startErrorMessage(new Error("no account was opened", { cause: failed }));
  expect(message).toMatch(/^Error: no account was opened\n.*\ncaused by: Error: disk full\n/s);
  expect(startErrorMessage(failed)).toMatch(/^Error: disk full\n/);
  expect(startErrorMessage(new DrizzleQueryError("select $1", ["a-hash"]))).toBe("select $1");
});
