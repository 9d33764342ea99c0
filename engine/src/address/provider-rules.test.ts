import { expect, test } from "vitest";
import { PROVIDER_RULES, providerSyntaxError } from "./provider-rules.ts";

test.each([
  ["annle", "gmail.com"],
  ["a.n.n.l.e", "gmail.com"],
  ["annle+a-long-tag", "googlemail.com"],
  ["ann_lee_1", "gmail.com"],
  ["ann-lee-1", "gmail.com"],
  ["a".repeat(31), "gmail.com"],
  ['"ann lee"', "gmail.com"],
  ["+annlee", "gmail.com"],
  ["änne.lee", "outlook.com"],
  ["o'brien", "hotmail.co.uk"],
  ["ann/lee", "live.com"],
  ["ann=lee", "yahoo.com"],
  ["ann&lee", "aol.com"],
  ["안녕", "icloud.com"],
  ["ann!lee", "proton.me"],
])("%s@%s is never issued", (local, domain) => {
  expect(providerSyntaxError(local, domain)).toMatch(/names have/);
});

test.each([
  ["annlee", "gmail.com"],
  ["A.N.N.Lee", "gmail.com"],
  ["annlee+x_y-z", "gmail.com"],
  ['"ann.lee"', "gmail.com"],
  ["a".repeat(30), "gmail.com"],
  ["Abuse", "gmail.com"],
  ["a", "outlook.com"],
  ["1ann", "hotmail.com"],
  ["ann-shop", "yahoo.com"],
  ["_ann_", "ymail.com"],
  ["dpdcnf87nu_tapestry.0y", "icloud.com"],
  ["ann+tag!", "outlook.com"],
  ["o'brien", "firm.example"],
  ["ann", "fastmail.com"],
  ["a'b", "yahoo.co.jp"],
])("%s@%s may exist", (local, domain) => {
  expect(providerSyntaxError(local, domain)).toBeUndefined();
});

test("the rules do not apply to company domains hosted at Google", () => {
  expect(providerSyntaxError("hr", "google.com")).toBeUndefined();
});

test("each provider has one rule, and each rule names its source", () => {
  const providers = PROVIDER_RULES.map(({ provider }) => provider);
  expect(new Set(providers).size).toBe(providers.length);
  for (const { source } of PROVIDER_RULES) expect(source).toMatch(/\w{3}/);
});

test.each([
  ["ann_lee_1", "gmail.com", "Gmail names have only letters, digits and dots"],
  ["annle", "gmail.com", "Gmail names have 6 to 30 letters and digits, dots not counted"],
  [
    "o'brien",
    "outlook.com",
    "Outlook and Hotmail names have only letters, digits, dots, hyphens and underscores",
  ],
])("%s@%s: the error names the rule", (local, domain, message) => {
  expect(providerSyntaxError(local, domain)).toBe(message);
});
