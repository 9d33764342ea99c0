import { expect, test } from "vitest";
import { acceptsJson } from "./accept.ts";

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
  expect(acceptsJson(accept)).toBe(expected);
});
