import { expect, test } from "vitest";
import { ProbeRequest } from "../probe-request.ts";
import { createHostLimits } from "../throttle/learned-limits.ts";
import { inSendingOrder, riskAmong, roomForBatch } from "./batch-room.ts";

function refusalsAtHost() {
  const { refusals } = createHostLimits().of("mx.shop.test");
  for (let i = 0; i < 30; i++) {
    const domain = `shop${i}.test`;
    refusals.record(Array.from({ length: 5 }, (_, j) => ({ domain, isDecoy: false, isRefused: j === 0 })));
  }
  return refusals;
}

const LIMITS = {
  maxRecipients: 40,
  maxRefusals: 9,
  maxUnconfirmed: Number.POSITIVE_INFINITY,
  oneDomainPerTransaction: false,
  risk: riskAmong(1),
};

/** Recipients that fit, five of each domain. */
function sizeOf(limits: Partial<typeof LIMITS>): number {
  const room = roomForBatch(refusalsAtHost(), { ...LIMITS, ...limits });
  for (let size = 0; ; size++) {
    const domain = `new${Math.floor(size / 5)}.test`;
    if (!room.fits(domain, 1, 0)) return size;
    room.add(domain, 1, 0);
  }
}

test("a batch is smaller where few refusals are left, and never larger than its limit", () => {
  const size = sizeOf({});
  expect(size).toBeGreaterThan(9);
  expect(sizeOf({ maxRefusals: 8 })).toBeLessThan(size);
  expect(sizeOf({ maxRecipients: 7 })).toBe(7);
});

test("the more hosts are at work, the fewer recipients a batch has, down to a limit", () => {
  const [one = 0, four = 0, forty = 0, thousand = 0] = [1, 4, 40, 1000].map((hosts) =>
    sizeOf({ risk: riskAmong(hosts) }),
  );
  expect(one).toBeGreaterThan(four);
  expect(four).toBeGreaterThan(forty);
  expect(forty).toBeGreaterThan(9);
  expect(thousand).toBe(forty);
});

test("a batch begins with a few addresses of a new domain, unless each domain needs a transaction", () => {
  const room = roomForBatch(refusalsAtHost(), LIMITS);
  expect([room.firstTargets("new.test"), room.firstTargets("shop0.test")]).toEqual([
    5,
    Number.POSITIVE_INFINITY,
  ]);
  const alone = roomForBatch(refusalsAtHost(), { ...LIMITS, oneDomainPerTransaction: true });
  expect(alone.firstTargets("new.test")).toBe(Number.POSITIVE_INFINITY);
});

test("domains with many refusals are last in a batch", () => {
  const refusals = refusalsAtHost();
  const answers = (domain: string, refused: number) =>
    Array.from({ length: 10 }, (_, i) => ({ domain, isDecoy: false, isRefused: i < refused }));
  for (const [domain, refused] of [
    ["dead.test", 9],
    ["alive.test", 0],
  ] as const)
    refusals.record(answers(domain, refused));
  const groups = ["dead.test", "new.test", "alive.test"].map((domain) => [
    new ProbeRequest(
      { recipient: `ann@${domain}`, domain, smtpUtf8: false, isDecoy: false, isInteractive: false },
      () => {},
    ),
  ]);
  expect(inSendingOrder(groups, refusals).map(([first]) => first!.domain)).toEqual([
    "alive.test",
    "new.test",
    "dead.test",
  ]);
});

test("without a known mailbox, the decoy of the only domain leaves room for as many addresses as without it", () => {
  const room = roomForBatch(createHostLimits().of("mx.shop.test").refusals, { ...LIMITS, maxUnconfirmed: 3 });
  expect(room.fits("shop.test", 1, 1)).toBe(true);
  room.add("shop.test", 3, 1);
  expect(room.fits("shop.test", 1, 0)).toBe(false);

  const shared = roomForBatch(createHostLimits().of("mx.shop.test").refusals, {
    ...LIMITS,
    maxUnconfirmed: 3,
  });
  shared.add("shop.test", 1, 1);
  expect(shared.fits("other.test", 1, 0)).toBe(true);
  shared.add("other.test", 1, 0);
  expect([shared.fits("other.test", 1, 0), shared.fits("shop.test", 1, 0)]).toEqual([false, false]);
});

test("the decoy counts towards the refusals after which a host delays its replies", () => {
  const limits = { ...LIMITS, maxRefusals: 3, maxUnconfirmed: 3 };
  const room = roomForBatch(createHostLimits().of("mx.shop.test").refusals, limits);
  room.add("shop.test", 2, 1);
  expect(room.fits("shop.test", 1, 0)).toBe(false);
});
