import {
  AccountListQuery,
  BulkRequest,
  CreateKeyRequest,
  CreditsQuery,
  UsageQuery,
  ValidationRequest,
} from "@mailvet/contract";
import { type TSchema, Type } from "typebox";
import { expect, test } from "vitest";
import type { Refusal } from "../base/refusal.ts";
import { compileValidator } from "./request-validator.ts";

function check(schema: TSchema, httpPart: string, value: unknown) {
  const answer = compileValidator({ schema, method: "POST", url: "/", httpPart })(value) as {
    value?: unknown;
    error?: Refusal;
  };
  return { value: answer.value, errors: answer.error?.extras.errors, detail: answer.error?.message };
}

test("a valid body is not changed", () => {
  const body = { email: " Ann@Example.com " };
  expect(check(ValidationRequest, "body", body).value).toBe(body);
});

test("errors of a body have a pointer and a message", () => {
  expect(check(ValidationRequest, "body", { mail: "x", "a/b": 1 }).errors).toEqual([
    { pointer: "/email", message: "is required" },
    { pointer: "/mail", message: "is unknown" },
    { pointer: "/a~1b", message: "is unknown" },
  ]);
  expect(check(BulkRequest, "body", { emails: ["a", 5, null] })).toMatchObject({
    errors: [
      { pointer: "/emails/1", message: "must be a string" },
      { pointer: "/emails/2", message: "must be a string" },
    ],
    detail: "Invalid body: /emails/1 must be a string.",
  });
  expect(
    check(CreateKeyRequest, "body", { name: "", mode: "x", scopes: ["read", "read"], expires_at: "soon" })
      .errors,
  ).toEqual([
    { pointer: "/name", message: "must have at least 1 character" },
    { pointer: "/mode", message: "must be one of live, test" },
    { pointer: "/scopes", message: "must not have duplicate items" },
    { pointer: "/expires_at", message: "must be a timestamp such as 2026-01-31T12:00:00Z" },
  ]);
});

test.each([[[]], ["text"], [null], [undefined], [5], [true]])("the body %j is not an object", (body) => {
  expect(check(ValidationRequest, "body", body).errors).toEqual([
    { pointer: "", message: "must be an object" },
  ]);
});

test("an ID that is no UUID is read as one that does not exist, in a path and in a body", () => {
  const Ids = Type.Object({ job_id: Type.String({ format: "uuid" }) });
  const nil = { job_id: "00000000-0000-0000-0000-000000000000" };
  for (const part of ["params", "body"]) {
    expect(check(Ids, part, { job_id: "7" }).value).toEqual(nil);
    expect(check(Ids, part, {}).errors).toEqual([{ pointer: "/job_id", message: "is required" }]);
  }
  expect(check(Ids, "querystring", { job_id: "7" }).errors).toEqual([
    { pointer: "/job_id", message: "must be a UUID" },
  ]);
});

test("every number that the schema allows is accepted in a query string", () => {
  const options = { email: "a", fresh: "999999999999999", timeout_seconds: "1.00000000000000022" };
  expect(check(ValidationRequest, "querystring", options).errors).toBeUndefined();
  expect(check(ValidationRequest, "querystring", { ...options, fresh: "1000000000000000" }).errors).toEqual([
    { pointer: "/fresh", message: "must be an integer" },
  ]);
});

test("a body is not coerced", () => {
  expect(check(CreditsQuery, "body", { skip: "1", limit: "2" }).errors).toHaveLength(2);
});

test("numbers of a query string are parsed and defaults applied", () => {
  expect(check(CreditsQuery, "querystring", { skip: "20" }).value).toEqual({ skip: 20, limit: 10 });
});

test.each(["", "1.5", "1e2", "0x10", " 1", "true", "99999999999999999999", "NaN"])(
  "%j is not an integer in a query string",
  (skip) => {
    expect(check(AccountListQuery, "querystring", { skip }).errors?.[0]?.pointer).toBe("/skip");
  },
);

test("a repeated or unknown parameter is rejected", () => {
  expect(check(AccountListQuery, "querystring", { search: ["a", "b"] }).errors).toEqual([
    { pointer: "/search", message: "must be a string" },
  ]);
  expect(check(AccountListQuery, "querystring", { serach: "a" }).errors).toEqual([
    { pointer: "/serach", message: "is unknown" },
  ]);
});

test("dates and UUIDs are validated", () => {
  expect(check(UsageQuery, "querystring", { from: "2026-02-28" }).errors).toBeUndefined();
  expect(check(UsageQuery, "querystring", { from: "2026-02-29", key_id: "12" }).errors).toEqual([
    { pointer: "/from", message: "must be a date such as 2026-01-31" },
    { pointer: "/key_id", message: "must be a UUID" },
  ]);
});

test("an invalid body gets a short response, however many errors it has", () => {
  const body = {
    ["x".repeat(1e5)]: 1,
    ...Object.fromEntries(Array.from({ length: 50 }, (_, n) => [n, n])),
  };
  const { errors } = check(ValidationRequest, "body", body);
  expect(errors?.length).toBeLessThanOrEqual(10);
  expect(JSON.stringify(errors).length).toBeLessThan(2000);
});

test("a body with a hundred thousand unknown properties is rejected without visiting each", () => {
  const body = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`m${n}`, n]));
  expect(check(ValidationRequest, "body", body).errors).toEqual([
    { pointer: "", message: "has too many properties" },
  ]);
});

test("an array that is too long is rejected before its items are compared", () => {
  expect(check(CreateKeyRequest, "body", { name: "a", scopes: Array(100_000).fill("read") }).errors).toEqual([
    { pointer: "/scopes", message: "must have at most 3 items" },
  ]);
});
