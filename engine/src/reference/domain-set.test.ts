import { expect, test } from "vitest";
import { isAtOrBelow, readNameSet } from "./domain-set.ts";

test("a name is at or below a domain by whole labels only", () => {
  const domains = new Set(["example.com"]);
  expect(isAtOrBelow("example.com", domains)).toBe(true);
  expect(isAtOrBelow("a.b.example.com", domains)).toBe(true);
  expect(isAtOrBelow("anexample.com", domains)).toBe(false);
  expect(isAtOrBelow("com", domains)).toBe(false);
});

test("comments and line breaks in a file of names are ignored", () => {
  const hosts = readNameSet(new URL("../../data/disposable-mail-hosts.txt", import.meta.url));
  expect(hosts.has("in.mail.tm")).toBe(true);
  expect(hosts.has("erinn.biz")).toBe(true);
  expect([...hosts].filter((name) => !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name))).toEqual([]);
});
