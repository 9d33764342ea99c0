import {
  AccountListQuery,
  BulkRequest,
  CreateKeyRequest,
  UsageQuery,
  ValidationRequest,
} from "@mailvet/contract";
import type { TSchema } from "typebox";
import { expect, test } from "vitest";
import type { Refusal } from "../refusal.ts";
import { compileValidator } from "./request-validator.ts";

function check(schema: TSchema, httpPart: string, value: unknown) {
  const answer = compileValidator({ schema, method: "POST", url: "/", httpPart })(value) as {
    value?: unknown;
    error?: Refusal;
  };
  return { value: answer.value, complaints: answer.error?.extras.errors, detail: answer.error?.message };
}

test("a body that fits is left exactly as it came", () => {
  const body = { email: " Ann@Example.com " };
  expect(check(ValidationRequest, "body", body).value).toBe(body);
});

test("what is wrong with a body is named by place and in words", () => {
  expect(check(ValidationRequest, "body", { mail: "x", "a/b": 1 }).complaints).toEqual([
    { pointer: "/email", message: "is missing" },
    { pointer: "/mail", message: "is not expected here" },
    { pointer: "/a~1b", message: "is not expected here" },
  ]);
  expect(check(BulkRequest, "body", { emails: ["a", 5, null] })).toMatchObject({
    complaints: [
      { pointer: "/emails/1", message: "must be text" },
      { pointer: "/emails/2", message: "must be text" },
    ],
    detail: "The body does not have the expected shape: /emails/1 must be text.",
  });
  expect(
    check(CreateKeyRequest, "body", { name: "", mode: "x", scopes: ["read", "read"], expires_at: "soon" })
      .complaints,
  ).toEqual([
    { pointer: "/name", message: "must have at least 1 character" },
    { pointer: "/mode", message: "must be one of live, test" },
    { pointer: "/scopes", message: "must not repeat an item" },
    { pointer: "/expires_at", message: "must be a moment such as 2026-01-31T12:00:00Z" },
  ]);
});

test.each([[[]], ["text"], [null], [undefined], [5], [true]])("a body that is %j is no object", (body) => {
  expect(check(ValidationRequest, "body", body).complaints).toEqual([
    { pointer: "", message: "must be an object" },
  ]);
});

test("text is not taken for a number in a body", () => {
  expect(check(AccountListQuery, "body", { skip: "1", limit: "2" }).complaints).toHaveLength(2);
});

test("in a query string numbers are read from text, and defaults are filled in", () => {
  expect(check(AccountListQuery, "querystring", { skip: "20" }).value).toEqual({ skip: 20, limit: 10 });
});

test.each(["", "1.5", "1e2", "0x10", " 1", "true", "99999999999999999999", "NaN"])(
  "%j is no whole number in a query string",
  (skip) => {
    expect(check(AccountListQuery, "querystring", { skip }).complaints?.[0]?.pointer).toBe("/skip");
  },
);

test("a parameter that is repeated or unknown is refused", () => {
  expect(check(AccountListQuery, "querystring", { search: ["a", "b"] }).complaints).toEqual([
    { pointer: "/search", message: "must be text" },
  ]);
  expect(check(AccountListQuery, "querystring", { serach: "a" }).complaints).toEqual([
    { pointer: "/serach", message: "is not expected here" },
  ]);
});

test("days and ids are really checked", () => {
  expect(check(UsageQuery, "querystring", { from: "2026-02-28" }).complaints).toBeUndefined();
  expect(check(UsageQuery, "querystring", { from: "2026-02-29", key_id: "12" }).complaints).toEqual([
    { pointer: "/from", message: "must be a date such as 2026-01-31" },
    { pointer: "/key_id", message: "must be a UUID" },
  ]);
});

test("a body full of mistakes gets a short answer", () => {
  const body = {
    ["x".repeat(1e5)]: 1,
    ...Object.fromEntries(Array.from({ length: 50 }, (_, n) => [n, n])),
  };
  const { complaints } = check(ValidationRequest, "body", body);
  expect(complaints?.length).toBeLessThanOrEqual(10);
  expect(JSON.stringify(complaints).length).toBeLessThan(2000);
});

test("a body of a hundred thousand unknown members is refused without looking at each of them", () => {
  const body = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`m${n}`, n]));
  expect(check(ValidationRequest, "body", body).complaints).toEqual([
    { pointer: "", message: "has far more members than are known here" },
  ]);
});

test("a list that is too long is refused before its items are compared", () => {
  expect(
    check(CreateKeyRequest, "body", { name: "a", scopes: Array(100_000).fill("read") }).complaints,
  ).toEqual([{ pointer: "/scopes", message: "must have at most 3 items" }]);
});
