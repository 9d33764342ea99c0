import { expect, test } from "vitest";
import { TokenBuckets } from "./token-buckets.ts";

test("a burst of one minute's worth is granted, then one token at a time as it refills", () => {
  const buckets = new TokenBuckets(10);
  for (let n = 0; n < 60; n++) expect(buckets.take("ann", 60, 0).isGranted).toBe(true);
  expect(buckets.take("ann", 60, 0)).toEqual({
    isGranted: false,
    remaining: 0,
    fullInSeconds: 60,
    nextInSeconds: 1,
  });
  expect(buckets.take("ann", 60, 1000)).toMatchObject({ isGranted: true, remaining: 0 });
  expect(buckets.take("ann", 60, 1000).isGranted).toBe(false);
});

test("subjects have separate buckets", () => {
  const buckets = new TokenBuckets(10);
  buckets.take("ann", 1, 0);
  expect(buckets.take("ann", 1, 0).isGranted).toBe(false);
  expect(buckets.take("bob", 1, 0).isGranted).toBe(true);
});

test("an idle bucket holds one minute's worth at most", () => {
  const buckets = new TokenBuckets(10);
  buckets.take("ann", 600, 0);
  expect(buckets.take("ann", 600, 3_600_000)).toMatchObject({ remaining: 599, fullInSeconds: 1 });
});

test("a lower rate applies from the next request on", () => {
  const buckets = new TokenBuckets(10);
  buckets.take("ann", 6000, 0);
  expect(buckets.take("ann", 60, 1).remaining).toBe(59);
});
