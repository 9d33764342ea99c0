import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import * as contract from "./index.ts";

const { ALL_SUB_STATUSES, BulkRequest, MAX_BULK_EMAILS, PROBLEMS, STATUS_OF, STATUSES, ValidationRequest } =
  contract;

test("every sub-status belongs to exactly one status", () => {
  expect(new Set(ALL_SUB_STATUSES).size).toBe(ALL_SUB_STATUSES.length);
  for (const subStatus of ALL_SUB_STATUSES) expect(STATUSES).toContain(STATUS_OF[subStatus]);
});

test("every schema compiles", () => {
  const schemas = Object.entries(contract).filter(
    ([, value]) => typeof value === "object" && value !== null && "~kind" in value,
  );
  expect(schemas.length).toBeGreaterThan(20);
  for (const [name, schema] of schemas) expect(() => Compile(schema as never), name).not.toThrow();
});

test("a validation request has exactly one email, as text", () => {
  const request = Compile(ValidationRequest);
  expect(request.Check({ email: "ann@example.com" })).toBe(true);
  expect(request.Check({ email: "not an address" })).toBe(true); // malformed input gets a verdict
  for (const bad of [{}, { email: 5 }, { email: null }, { email: "a", extra: 1 }, [], "ann@example.com"]) {
    expect(request.Check(bad)).toBe(false);
  }
});

test("a bulk request has 1 to 1,000 emails", () => {
  const request = Compile(BulkRequest);
  expect(request.Check({ emails: Array(MAX_BULK_EMAILS).fill("a@b.cd") })).toBe(true);
  expect(request.Check({ emails: Array(MAX_BULK_EMAILS + 1).fill("a@b.cd") })).toBe(false);
  expect(request.Check({ emails: [] })).toBe(false);
  expect(request.Check({ emails: ["a@b.cd", 5] })).toBe(false);
});

test("every problem has an HTTP error status and a title", () => {
  for (const [code, [status, title]] of Object.entries(PROBLEMS)) {
    expect(code).toMatch(/^[a-z_]+$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(title.length).toBeGreaterThan(5);
  }
});
