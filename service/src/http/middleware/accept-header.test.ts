import { expect, test } from "vitest";
import { acceptsOneOf } from "./accept-header.ts";

test.each([
  [undefined, true],
  ["*/*", true],
  ["application/json", true],
  ["text/html, application/xhtml+xml, */*;q=0.8", true],
  ["Application/JSON; charset=utf-8", true],
  ["application/*", true],
  ["text/html", false],
  ["application/xml;q=0.9, text/*", false],
  ["*/*, application/json;q=0", false],
  ["application/json;q=0.0", false],
  ["application/json;q=0.01", true],
  ["", false],
])("a client that accepts %j gets JSON: %j", (accept, expected) => {
  expect(acceptsOneOf(accept, ["application/json"])).toBe(expected);
});

test.each([
  [undefined, true],
  ["text/csv", true],
  ["text/*", true],
  ["application/x-ndjson", true],
  ["application/json", false],
  ["text/csv;q=0", false],
  ["text/*;q=0, */*", true],
])("a client that accepts %j gets a CSV or NDJSON download: %j", (accept, expected) => {
  expect(acceptsOneOf(accept, ["text/csv", "application/x-ndjson"])).toBe(expected);
});
