import fc from "fast-check";
import { expect, test } from "vitest";
import { domainListBytes, domainListFrom, isListableName } from "./domain-list.ts";

const listOf = (...names: string[]) => domainListFrom(domainListBytes(names));

test("a listed name is found in any position", () => {
  const names = ["a.com", "aa.com", "b-c.de", "b.de", "b.de.com", "zz.org"];
  const list = listOf(...names);

  for (const name of names) expect(list.has(name), name).toBe(true);
  for (const near of ["a.co", "a.comm", "aa.co", "b.d", "", ".", "zz.orgs", "zzz.org", "0.com"]) {
    expect(list.has(near), near).toBe(false);
  }
  expect(list.size).toBe(6);
  expect(list.names()).toEqual(names);
});

test("a domain covers its subdomains, never siblings or parents", () => {
  const list = listOf("mailinator.com", "tmp.example.co.uk");

  expect(list.covers("mailinator.com")).toBe(true);
  expect(list.covers("a.b.mailinator.com")).toBe(true);
  expect(list.covers("notmailinator.com")).toBe(false);
  expect(list.covers("mailinator.com.au")).toBe(false);
  expect(list.covers("com")).toBe(false);
  expect(list.covers("example.co.uk")).toBe(false);
  expect(list.covers("x.tmp.example.co.uk")).toBe(true);
});

test("an empty list covers nothing", () => {
  expect(listOf().covers("example.com")).toBe(false);
  expect(listOf().size).toBe(0);
  expect(listOf().names()).toEqual([]);
});

test("the search over bytes agrees with a Set of strings", () => {
  const name = fc.stringMatching(/^[a-c-]{1,4}\.[ab]{1,3}$/);
  fc.assert(
    fc.property(fc.array(name), fc.array(name), (listed, asked) => {
      const list = domainListFrom(domainListBytes(listed));
      const set = new Set(listed);
      for (const each of [...asked, ...listed]) expect(list.has(each)).toBe(set.has(each));
      expect(list.size).toBe(set.size);
    }),
  );
});

test("the filter that is built after the first searches changes no result", () => {
  const names = Array.from({ length: 300 }, (_, i) => `a${i * 2}.com`);
  const list = listOf(...names);
  for (let i = 0; i < 600; i++) expect(list.covers(`x.a${i}.com`), String(i)).toBe(i % 2 === 0);
});

test("input that is not a domain name is not found", () => {
  const list = listOf("example.com");
  for (const odd of ["example.com\n", "\nexample.com", "éxample.com", "example。com", "..", "a..com", "."]) {
    expect(list.covers(odd), JSON.stringify(odd)).toBe(false);
  }
});

test("only names of two labels or more in A-labels may be listed", () => {
  for (const good of ["a.bc", "x-y.example.com", "xn--bcher-kva.example", "online.xn--6frz82g"]) {
    expect(isListableName(good), good).toBe(true);
  }
  for (const bad of [
    "com",
    "-a.com",
    "a-.com",
    "a_b.com",
    "a..com",
    ".com",
    "1.2.3.4",
    "A.com",
    "bücher.de",
    `${"a".repeat(64)}.com`,
    `${"a.".repeat(127)}com`,
  ]) {
    expect(isListableName(bad), bad).toBe(false);
  }
});
