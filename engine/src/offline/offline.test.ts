/** The file without Node gives the answers of the engine. */
import { readFileSync } from "node:fs";
import { isIPv4, isIPv6 } from "node:net";
import { expect, test } from "vitest";
import { createInspector } from "./index.ts";
import * as net from "./node-net.ts";

const list = readFileSync(new URL("../../data/disposable-domains.txt", import.meta.url));

test("an address is inspected by its text", () => {
  const inspect = createInspector({ disposableDomains: list });
  expect(inspect("Ann.Example+news@Gmail.com")).toMatchObject({
    is_syntax_valid: true,
    canonical_email: "annexample@gmail.com",
    is_free: true,
    is_subaddressed: true,
    is_disposable: false,
  });
  expect(inspect("info@gmial.com")).toMatchObject({ suggestion: "info@gmail.com", is_role_based: true });
  expect(inspect("ann@mailinator.com")).toMatchObject({ is_disposable: true });
  expect(inspect("ann@bücher.de")).toMatchObject({ domain: "xn--bcher-kva.de" });
  expect(inspect("ann@@example.com")).toMatchObject({
    is_syntax_valid: false,
    syntax_error: expect.stringContaining("second @"),
  });
});

test("without the list no domain is disposable", () => {
  expect(createInspector()("ann@mailinator.com").is_disposable).toBe(false);
});

test.each([
  "192.0.2.1",
  "256.0.0.1",
  "01.2.3.4",
  "1.2.3",
  "::1",
  "2001:db8::1",
  "2001:db8::g",
  "1:2:3:4:5:6:7:8:9",
  "::ffff:192.0.2.1",
  "]",
  "",
])("the text %s is an IP address as in Node, or not", (text) => {
  expect([net.isIPv4(text), net.isIPv6(text)]).toEqual([isIPv4(text), isIPv6(text)]);
});
