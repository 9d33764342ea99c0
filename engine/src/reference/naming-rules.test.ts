import { expect, test } from "vitest";
import { namingRuleProviderOf } from "./naming-rules.ts";

test.each([
  ["googlemail.com", "google"],
  ["hotmail.co.uk", "microsoft"],
  ["msn.com", "microsoft"],
  ["yahoo.fr", "yahoo"],
  ["rocketmail.com", "yahoo"],
  ["aol.de", "aol"],
  ["mac.com", "apple"],
  ["pm.me", "proton"],
  ["fastmail.fm", "fastmail"],
  ["ya.ru", "yandex"],
  ["zoho.eu", "zoho"],
] as const)("mailboxes at %s are given out by %s", (domain, house) => {
  expect(namingRuleProviderOf(domain)).toBe(house);
});

test("a company at a house, another company of the same brand and a stranger are nobody's", () => {
  for (const domain of ["google.com", "microsoft.com", "yahoo.co.jp", "firm.example", ""]) {
    expect(namingRuleProviderOf(domain)).toBeUndefined();
  }
});
