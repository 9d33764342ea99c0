import { expect, test } from "vitest";
import { nextPath } from "./next-path.ts";

const ORIGIN = "https://mailvet.example.com";

test("sign-in returns to the previous page with its query and fragment", () => {
  expect(nextPath("/bulk/42?status=valid#row-7", ORIGIN)).toBe("/bulk/42?status=valid#row-7");
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
])("the target %j is replaced by the overview", (next) => {
  expect(nextPath(next, ORIGIN)).toBe("/");
});

test("sign-in never redirects to the sign-in page", () => {
  expect(nextPath("/sign-in?next=%2Fkeys", ORIGIN)).toBe("/");
});
