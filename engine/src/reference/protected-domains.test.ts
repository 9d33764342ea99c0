import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isListableName } from "./domain-list.ts";
import { readNameSet } from "./domain-set.ts";
import { isProtectedDomain } from "./protected-domains.ts";

const DATA = new URL("../../data/", import.meta.url);

test("a protected name protects its subdomains, not similar names", () => {
  for (const name of ["siemens.de", "mail.siemens.de", "gmail.com", "x.gmail.com", "joe.anonaddy.com"]) {
    expect(isProtectedDomain(name), name).toBe(true);
  }
  for (const name of ["notsiemens.de", "siemens.de.example", "de", "mailinator.com", ""]) {
    expect(isProtectedDomain(name), name).toBe(false);
  }
});

test("suffixes whose registry verifies applicants are protected; open ones are not", () => {
  for (const name of [
    "irs.gov",
    "army.mil",
    "mit.edu",
    "who.int",
    "gov.gov.uk",
    "x.gob.mx",
    "ox.ac.uk",
    "nus.edu.sg",
  ]) {
    expect(isProtectedDomain(name), name).toBe(true);
  }
  for (const name of ["edumail.edu.pl", "education.ac.id", "gov.example", "edu.unlisted.net"]) {
    expect(isProtectedDomain(name), name).toBe(false);
  }
});

test("the hand-maintained file has well-formed names, each once", () => {
  const text = readFileSync(new URL("protected-domains.txt", DATA), "utf8");
  const names = text
    .split("\n")
    .flatMap((line) => line.replace(/#.*$/, "").trim().split(/\s+/))
    .filter(Boolean);
  expect(names.filter((name) => !isListableName(name))).toEqual([]);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("no mail host of a disposable service belongs to a provider, a relay or a protected company", () => {
  const hosts = [...readNameSet(new URL("disposable-mail-hosts.txt", DATA))];
  expect(hosts.length).toBeGreaterThan(80);
  expect(hosts.filter(isProtectedDomain)).toEqual([]);
});
