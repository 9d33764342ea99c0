import { expect, test } from "vitest";
import { linkHeader } from "./pagination.ts";

test("a page in the middle links to both neighbours and keeps the other parameters", () => {
  expect(linkHeader("/api/v1/credits?skip=10&limit=10&x=a%20b", { skip: 10, limit: 10, total: 35 })).toBe(
    '</api/v1/credits?skip=20&limit=10&x=a+b>; rel="next", </api/v1/credits?skip=0&limit=10&x=a+b>; rel="prev"',
  );
});

test("a list that fits on one page has no links", () => {
  expect(linkHeader("/api/v1/credits", { skip: 0, limit: 10, total: 10 })).toBeUndefined();
});

test("a page past the end links back to the last page", () => {
  expect(linkHeader("/api/v1/credits?skip=500", { skip: 500, limit: 10, total: 35 })).toBe(
    '</api/v1/credits?skip=25&limit=10>; rel="prev"',
  );
});

test("a request URL that resembles another origin still links to this server", () => {
  expect(linkHeader("/api/v1/credits?x=//evil.example", { skip: 0, limit: 1, total: 2 })).toMatch(
    /^<\/api\/v1\/credits\?/,
  );
});
