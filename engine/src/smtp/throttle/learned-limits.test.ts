import { expect, test } from "vitest";
import { createHostLimits, likelyRefusals, recordAnswer } from "./learned-limits.ts";

const EVERY_FIFTH = (index: number) => index % 5 === 0;

function limitsAfter(answers: number, isRefused: (index: number) => boolean) {
  const limits = createHostLimits().of("mx.shop.test");
  for (let i = 0; i < answers; i++) recordAnswer(limits, { isDecoy: false, isRefused: isRefused(i) });
  return limits;
}

/** The largest batch that is likely to have at most nine refusals. */
function largestBatch(limits: ReturnType<typeof limitsAfter>): number {
  let size = 1;
  while (likelyRefusals(limits, size + 1, 0) <= 9) size++;
  return size;
}

test("a batch is smaller than the expected refusals allow, because mailboxes of a domain are often deleted together", () => {
  const limits = limitsAfter(100, EVERY_FIFTH);
  expect(largestBatch(limits)).toBe(14); // of 45 that would have nine refusals on average
});

test("at a host with few answers so far, a batch is smaller", () => {
  expect(largestBatch(limitsAfter(10, EVERY_FIFTH))).toBeLessThan(15);
  expect(likelyRefusals(limitsAfter(0, EVERY_FIFTH), 9, 0)).toBe(9); // it may refuse every recipient
});

test("where no recipient is refused, a batch may be large", () => {
  expect(largestBatch(limitsAfter(150, () => false))).toBeGreaterThan(100);
});
