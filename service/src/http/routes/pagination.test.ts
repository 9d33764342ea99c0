import { expect, test } from "vitest";
import { linkHeader } from "./pagination.ts";

test("a page in the middle knows both its neighbours and keeps the other parameters", () => {
  expect(linkHeader("/api/v1/credits?skip=10&limit=10&x=a%20b", { skip: 10, limit: 10, total: 35 })).toBe(
    '</api/v1/credits?skip=20&limit=10&x=a+b>; rel="next", </api/v1/credits?skip=0&limit=10&x=a+b>; rel="prev"',
  );
});

test("a list that fits on one page has no neighbours", () => {
  expect(linkHeader("/api/v1/credits", { skip: 0, limit: 10, total: 10 })).toBeUndefined();
});

test("whoever looks far behind the end is shown the way back to the last page", () => {
  expect(linkHeader("/api/v1/credits?skip=500", { skip: 500, limit: 10, total: 35 })).toBe(
    '</api/v1/credits?skip=25&limit=10>; rel="prev"',
  );
});

test("a request address that looks like another server still links to this one", () => {
  expect(linkHeader("/api/v1/credits?x=//evil.example", { skip: 0, limit: 1, total: 2 })).toMatch(
    /^<\/api\/v1\/credits\?/,
  );
});
