import { expect, test } from "vitest";
import { namingRuleProviderOf } from "./naming-rule-provider.ts";

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
] as const)("the naming rules at %s are those of %s", (domain, provider) => {
  expect(namingRuleProviderOf(domain)).toBe(provider);
});

test("hosted companies, other companies of the same brand and unknown domains have no rules", () => {
  for (const domain of ["google.com", "microsoft.com", "yahoo.co.jp", "firm.example", ""]) {
    expect(namingRuleProviderOf(domain)).toBeUndefined();
  }
});
