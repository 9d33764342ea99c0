import { LocalHostLimiter, type ProviderProfile } from "@mailvet/engine";
import { expect, test } from "vitest";
import { createThrottleReport } from "./throttle-report.ts";

const PROFILE = { connections: 4, gapMs: 0 } as ProviderProfile;
const REFUSAL = { code: 554, enhanced: "5.7.1", lines: ["Your address is on a list."] };

const openBook = () => createThrottleReport((_key, profile) => new LocalHostLimiter(profile));

test("a host that never complained is not in the book", () => {
  const book = openBook();
  book.limiterFor("mx.one.example", PROFILE).record({ kind: "ok" });
  expect(book.list()).toEqual([]);
});

test("a complaint stands in the book as the pace takes it, until enough sessions went well", () => {
  const book = openBook();
  const pace = book.limiterFor("mx.one.example", PROFILE);
  pace.record({ kind: "rate_limited" });
  expect(book.list()).toEqual([
    { key: "mx.one.example", limit: 2, rest_ms: 1000, breaker_open_until: null, last_reply: null },
  ]);
  expect(pace.limit).toBe(2);
  expect(pace.delayLeftMs).toBeGreaterThan(0);
  for (let session = 0; session < 10; session++) pace.record({ kind: "ok" });
  expect([pace.limit, book.list()]).toEqual([4, []]);
});

test("whoever refused us again and again stands first, with the breaker's end and their words", () => {
  const book = openBook();
  book.limiterFor("mx.slow.example", PROFILE).record({ kind: "rate_limited" });
  const closed = book.limiterFor("mx.closed.example", PROFILE);
  for (let time = 0; time < 3; time++) closed.record({ kind: "blocked", reply: REFUSAL });
  const [first, second] = book.list();
  expect(first).toMatchObject({
    key: "mx.closed.example",
    last_reply: "554 5.7.1 Your address is on a list.",
  });
  expect(Date.parse(first!.breaker_open_until!)).toBeGreaterThan(Date.now()); // timing: for a quarter of an hour
  expect(closed.openBreaker).toEqual(REFUSAL);
  expect(second?.key).toBe("mx.slow.example");
});

test("the book shows the worst fifty", () => {
  const book = openBook();
  for (let host = 0; host < 80; host++) {
    const pace = book.limiterFor(`mx${host}.example`, PROFILE);
    for (let complaint = 0; complaint <= host % 5; complaint++) pace.record({ kind: "rate_limited" });
  }
  const listed = book.list();
  expect(listed).toHaveLength(50);
  expect(listed[0]!.rest_ms).toBe(16_000);
  expect(Math.min(...listed.map(({ rest_ms }) => rest_ms))).toBeGreaterThan(1000);
});
