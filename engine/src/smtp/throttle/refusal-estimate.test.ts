import { expect, test } from "vitest";
import { createHostLimits } from "./learned-limits.ts";
import type { RefusalEstimate } from "./refusal-estimate.ts";

const LIMIT = { max: 9, risk: 0.001 };

/** After batches of ten, each at another domain, with so many refusals each. */
function estimateAfter(...refusals: number[]): RefusalEstimate {
  const estimate = createHostLimits().of("mx.shop.test").refusals;
  for (const [i, refused] of refusals.entries()) recordBatch(estimate, `shop${i}.test`, refused);
  return estimate;
}

function recordBatch(estimate: RefusalEstimate, domain: string, refused: number): void {
  estimate.record(Array.from({ length: 10 }, (_, i) => ({ domain, isDecoy: false, isRefused: i < refused })));
}

const times = (count: number, ...refusals: number[]) => Array.from({ length: count }, () => refusals).flat();

/** The largest batch at a domain that is likely to have at most nine refusals. */
function largestBatch(estimate: RefusalEstimate, domain = "new.test"): number {
  let size = 1;
  while (size < 200 && estimate.batch().isWithin(LIMIT, { domain, targets: size + 1 })) size++;
  return size;
}

test("a batch is smaller than the expected refusals allow, because mailboxes of a domain are often deleted together", () => {
  expect(largestBatch(estimateAfter(...times(10, 2)))).toBe(11); // of 45 that would have nine refusals on average
});

test("at a host with few answers so far, a batch is smaller", () => {
  expect(largestBatch(estimateAfter(2))).toBeLessThan(13);
  expect(largestBatch(estimateAfter())).toBe(9); // it may refuse every recipient
  const batch = estimateAfter().batch();
  for (let i = 0; i < 3; i++) batch.add(`shop${i}.test`, 3, 0);
  expect(batch.isWithin(LIMIT, { domain: "shop0.test", targets: 1 })).toBe(false);
  expect(batch.isWithin(LIMIT, { domain: "new.test", targets: 1 })).toBe(false);
});

test("where no recipient is refused, a batch may be large", () => {
  expect(largestBatch(estimateAfter(...times(15, 0)))).toBeGreaterThan(20);
});

test("recipients of several domains are less likely to be refused together", () => {
  const estimate = estimateAfter(...times(10, 2));
  const alone = largestBatch(estimate);
  const batch = estimate.batch();
  for (let i = 0; i < alone; i++) batch.add(`other${i}.test`, 1, 0);
  expect(batch.isWithin(LIMIT, { domain: "new.test", targets: 1 })).toBe(true);
});

test("recipients of other domains count, in whatever order they are added", () => {
  const batch = estimateAfter(...times(10, 2)).batch();
  batch.add("shop.test", 10, 0);
  expect(batch.isWithin(LIMIT, { domain: "shop.test", targets: 1 })).toBe(true);
  batch.add("other.test", 12, 0);
  expect(batch.isWithin(LIMIT, { domain: "shop.test", targets: 1 })).toBe(false);
});

test("a batch at a domain follows the answers for that domain", () => {
  const estimate = estimateAfter(...times(10, 2));
  for (const _ of times(2, 0)) recordBatch(estimate, "alive.test", 1);
  for (const _ of times(2, 0)) recordBatch(estimate, "dead.test", 9);
  expect(largestBatch(estimate, "alive.test")).toBeGreaterThan(13);
  expect(largestBatch(estimate, "dead.test")).toBeLessThan(10);
});

test("whether the mailboxes of a domain are deleted together is learned at other hosts too", () => {
  const largestAfter = (...refusalsElsewhere: number[]) => {
    const hosts = createHostLimits();
    for (const [i, refused] of refusalsElsewhere.entries())
      recordBatch(hosts.of("mx.other.test").refusals, `other${i}.test`, refused);
    const estimate = hosts.of("mx.shop.test").refusals;
    for (const i of times(3, 0).keys()) recordBatch(estimate, `shop${i}.test`, 2);
    return largestBatch(estimate);
  };
  expect(largestAfter(...times(4, 0, 0, 0, 0, 10))).toBeLessThan(largestAfter(...times(20, 2)));
});

test("a temporary refusal counts at the host, and not against the domain", () => {
  const estimate = estimateAfter();
  const greylisted = { domain: "shop.test", isDecoy: false, isRefused: true, isTemporary: true };
  estimate.record(Array.from({ length: 9 }, () => greylisted));
  expect(estimate.share).toBe(1);
  expect(estimate.hasAnswersFor("shop.test")).toBe(false);
});

test("domains with one address each say nothing about how alike the mailboxes of a domain are", () => {
  const estimate = estimateAfter(...times(10, 2));
  const before = largestBatch(estimate);
  for (let i = 0; i < 400; i++)
    estimate.record([{ domain: `single${i}.test`, isDecoy: false, isRefused: i % 5 === 0 }]);
  expect(largestBatch(estimate)).toBeGreaterThanOrEqual(before);
});

test("a decoy counts by the decoys before it, whatever its domain", () => {
  const estimate = estimateAfter(...times(10, 0));
  const decoys = Array.from({ length: 50 }, (_, i) => ({
    domain: `shop${i}.test`,
    isDecoy: true,
    isRefused: true,
  }));
  estimate.record(decoys);
  const batch = estimate.batch();
  batch.add("new.test", 0, 3);
  expect(batch.expectedRefusals).toBeCloseTo(3);
  expect(estimate.hasAnswersFor("shop49.test")).toBe(false);
});

test("at a host that refuses the mailboxes of a domain together, the same share of refusals makes a batch smaller", () => {
  const together = estimateAfter(...times(2, 10, 0, 0, 0, 0));
  expect(largestBatch(together)).toBeLessThanOrEqual(9);
  const onceTogether = estimateAfter(...times(9, 2), 10, 0, 0, 0, 0, ...times(60, 2));
  expect(largestBatch(onceTogether)).toBeGreaterThanOrEqual(11);
});
