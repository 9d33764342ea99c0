import { expect, test } from "vitest";
import { suggestKnownDomain } from "./domain-typo.ts";

const known = new Map([
  ["acmecorp.com", 40],
  ["northwind.co.uk", 5],
  ["fewrows.com", 4],
  ["shop2.com", 50],
  ["abc.com", 50],
  ["granite.de", 9],
  ["granits.de", 9],
]);
const suggest = (failed: string) => suggestKnownDomain(failed, (domain) => known.get(domain));

test.each([
  ["acmecrop.com", "acmecorp.com"],
  ["acmecorp.co", "acmecorp.com"],
  ["acmecorpcom", "acmecorp.com"],
  ["acmec0rp.com", "acmecorp.com"],
  ["acmecoorp.com", "acmecorp.com"],
  ["cmecorp.com", undefined],
  ["orthwind.co.uk", "northwind.co.uk"],
  ["northwindco.uk", "northwind.co.uk"],
])("%s gives %s", (failed, meant) => expect(suggest(failed)).toBe(meant));

test.each([
  ["fewrowss.com", "four mailboxes may be typos themselves"],
  ["shop1.com", "another number is another shop"],
  ["ab.com", "short names are all taken"],
  ["granit.de", "two domains may have been meant"],
  ["acmeccrp.org", "two typos"],
  ["", "nothing"],
])("%s gives nothing: %s", (failed) => expect(suggest(failed)).toBeUndefined());

test("overlong input is not processed", () => {
  expect(suggest(`${"x".repeat(100_000)}.com`)).toBeUndefined();
});
