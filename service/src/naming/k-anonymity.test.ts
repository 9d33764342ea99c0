import { emptyTally, TEMPLATES, type Template, tallyOf } from "@mailvet/engine";
import { expect, test } from "vitest";
import { publishedTally } from "./k-anonymity.ts";

const tally = (counts: Partial<Record<Template, number>>) => ({
  mailboxes: Object.values(counts).reduce((sum, count) => sum + count, 0),
  shares: TEMPLATES.map((template) => counts[template] ?? 0),
});

test("nothing is published for a domain with fewer than three proven mailboxes", () => {
  expect(publishedTally(emptyTally())).toBeUndefined();
  expect(publishedTally(tally({ "first.last": 2 }))).toBeUndefined();
  expect(publishedTally(tally({ "first.last": 3 }))).toEqual(tally({ "first.last": 3 }));
});

test("numbers are rounded, so that one more mailbox is not visible", () => {
  expect(publishedTally(tally({ "first.last": 4 }))).toEqual(tally({ "first.last": 3 }));
  expect(publishedTally(tally({ "first.last": 14, flast: 2 }))).toEqual(
    tally({ "first.last": 13, flast: 2 }),
  );
  expect(publishedTally(tally({ "first.last": 15, flast: 2 }))).toEqual(
    tally({ "first.last": 13, flast: 2 }),
  );
});

test("published shares are whole mailboxes that add up", () => {
  for (let count = 3; count <= 60; count += 3) {
    const names = ["martin", "jsmith", "kim.lee", "leekim", "a.k", "thomas.martin", "zq"];
    const published = publishedTally(
      tallyOf(Array.from({ length: count }, (_, i) => `${names[i % names.length]}${i}`)),
    )!;
    expect(published.shares.every((share) => Number.isInteger(share) && share >= 0)).toBe(true);
    expect(published.shares.reduce((sum, share) => sum + share, 0)).toBe(published.mailboxes);
    expect(published.mailboxes).toBeLessThanOrEqual(count);
  }
});
