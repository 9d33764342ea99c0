import { expect, test } from "vitest";
import { startTimeSlice } from "../event-loop-yield.ts";
import { cutSlices, MAX_SLICE_EMAILS, type SliceEmail } from "./slice-cutter.ts";

/** Emails of these domains, the given number of each, in mixed order. */
function emailsOf(counts: Record<string, number>): SliceEmail[] {
  const emails: SliceEmail[] = [];
  const left = new Map(Object.entries(counts));
  while (left.size > 0) {
    for (const [domain, count] of left) {
      emails.push([emails.length + 1, `user${count}@${domain}`]);
      if (count === 1) left.delete(domain);
      else left.set(domain, count - 1);
    }
  }
  return emails;
}

const domainsIn = (slice: readonly SliceEmail[]) => new Set(slice.map(([, email]) => email.split("@")[1]));

test("every email is in exactly one slice, and no slice exceeds the limit", async () => {
  const emails = emailsOf({ "big.test": 1001, "mid.test": 130, "small.test": 40, "tiny.test": 1 });
  const slices = await cutSlices(emails, startTimeSlice());
  expect(slices.flat().sort(([a], [b]) => a - b)).toEqual(emails);
  expect(Math.max(...slices.map((slice) => slice.length))).toBeLessThanOrEqual(MAX_SLICE_EMAILS);
});

test("a large domain has slices of its own, interleaved with the others", async () => {
  const small = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`small${n}.test`, 10]));
  const slices = await cutSlices(emailsOf({ "big.test": 1000, ...small }), startTimeSlice());
  const isBig = slices.map((slice) => domainsIn(slice).has("big.test"));
  expect(slices).toHaveLength(8);
  expect(slices.filter((_, n) => isBig[n]).every((slice) => domainsIn(slice).size === 1)).toBe(true);
  expect(isBig.some((big, n) => big && isBig[n + 1])).toBe(false); // never two in a row
});

test("small domains are packed together, and none is split", async () => {
  const counts = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`d${n}.test`, 5 + n]));
  const slices = await cutSlices(emailsOf(counts), startTimeSlice());
  expect(Math.max(...slices.map((slice) => slice.length))).toBeLessThanOrEqual(MAX_SLICE_EMAILS);
  const domains = slices.flatMap((slice) => [...domainsIn(slice)]);
  expect(domains).toHaveLength(60);
  expect(new Set(domains).size).toBe(60);
  expect(slices.length).toBeLessThan(13); // 2,070 emails would fill 9
});

test("a likely typo of a frequent domain is in the slice of that domain", async () => {
  const counts = {
    "lonely-shop.test": 200,
    "acmecrop.test": 1,
    "mid.test": 130,
    "acmecorp.test": 60,
    "b.test": 4,
  };
  const slices = await cutSlices(emailsOf(counts), startTimeSlice());
  const slice = slices.find((candidate) => domainsIn(candidate).has("acmecrop.test"))!;
  expect(domainsIn(slice)).toContain("acmecorp.test");
  expect(slices.flat()).toHaveLength(395);
});

test("domains are compared case-insensitively, and text without a domain has a slice too", async () => {
  const emails: SliceEmail[] = [
    ...emailsOf({ "big.test": 130 }),
    [200, "Ann@BIG.test"],
    [201, "no address"],
    [202, "also none"],
  ];
  const slices = await cutSlices(emails, startTimeSlice());
  expect(slices.map((slice) => slice.length).sort()).toEqual([131, 2]);
});

test("no emails give no slices", async () => {
  expect(await cutSlices([], startTimeSlice())).toEqual([]);
});
