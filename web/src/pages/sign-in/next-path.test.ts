import { expect, test } from "vitest";
import { nextPath } from "./next-path.ts";

const HERE = "https://mailvet.example.com";

test("after signing in one is back on the page one came from, with its search and place", () => {
  expect(nextPath("/bulk/42?status=valid#row-7", HERE)).toBe("/bulk/42?status=valid#row-7");
});

test.each([
  "https://elsewhere.example/",
  "//elsewhere.example/",
  "/\\elsewhere.example/",
  "/\t/elsewhere.example/",
  "/.//elsewhere.example/",
  "javascript:alert(1)",
  "bulk",
  "",
  undefined,
])("a link to %j leads to the overview instead", (next) => {
  expect(nextPath(next, HERE)).toBe("/");
});

test("signing in does not lead to signing in again", () => {
  expect(nextPath("/sign-in?next=%2Fkeys", HERE)).toBe("/");
});
