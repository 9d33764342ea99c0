import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type HostLimiter, LocalHostLimiter } from "./host-limiter.ts";
import { profileOf } from "./provider-profile.ts";

const reply = { code: 554, lines: ["blocked"] };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Enters, and tells whether that has worked by now. */
function enter(pace: HostLimiter, givingUp?: AbortSignal, isUrgent = () => false) {
  const visitor: { isIn: boolean | undefined } = { isIn: undefined };
  pace.acquire(givingUp, isUrgent).then((isIn) => {
    visitor.isIn = isIn;
  });
  return visitor;
}
const settled = () => vi.advanceTimersByTimeAsync(0);

test("as many as the profile allows are in at once, the rest wait their turn", async () => {
  const pace = new LocalHostLimiter(profileOf("", 2));
  const visitors = [enter(pace), enter(pace), enter(pace), enter(pace)];
  await settled();
  expect(visitors.map(({ isIn }) => isIn)).toEqual([true, true, undefined, undefined]);
  expect(pace.hasWaiters).toBe(true);
  pace.release();
  await settled();
  expect(visitors.map(({ isIn }) => isIn)).toEqual([true, true, true, undefined]);
});

test("a complaint halves what is allowed and calls for a rest that doubles", async () => {
  const pace = new LocalHostLimiter(profileOf("", 8));
  pace.record({ kind: "rate_limited" });
  expect(pace.limit).toBe(4);
  const first = enter(pace);
  await vi.advanceTimersByTimeAsync(900);
  expect(first.isIn).toBeUndefined();
  await vi.advanceTimersByTimeAsync(200);
  expect(first.isIn).toBe(true);

  pace.record({ kind: "rate_limited" });
  expect(pace.limit).toBe(2);
  const second = enter(pace);
  await vi.advanceTimersByTimeAsync(1900);
  expect(second.isIn).toBeUndefined();
  await vi.advanceTimersByTimeAsync(200);
  expect(second.isIn).toBe(true);
  for (let i = 0; i < 20; i++) pace.record({ kind: "rate_limited" });
  expect(pace.limit).toBe(1);
});

test("quiet sessions give back what a complaint has taken, one at a time, up to the profile", () => {
  const pace = new LocalHostLimiter(profileOf("", 4));
  pace.record({ kind: "rate_limited" });
  expect(pace.limit).toBe(2);
  for (let i = 0; i < 5; i++) pace.record({ kind: "ok" });
  expect(pace.limit).toBe(3);
  for (let i = 0; i < 50; i++) pace.record({ kind: "ok" });
  expect(pace.limit).toBe(4);
});

test("three refusals of us open the breaker, a quarter of an hour later one may try again", async () => {
  const pace = new LocalHostLimiter(profileOf(""));
  pace.record({ kind: "blocked", reply });
  pace.record({ kind: "blocked", reply });
  expect(pace.openBreaker).toBeUndefined();
  pace.record({ kind: "blocked", reply });
  expect(pace.openBreaker).toEqual(reply);
  await vi.advanceTimersByTimeAsync(15 * 60_000 + 1);
  expect(pace.openBreaker).toBeUndefined();
  pace.record({ kind: "blocked", reply }); // still the same
  expect(pace.openBreaker).toEqual(reply);
});

test("a session that goes well in between starts the count of refusals anew", () => {
  const pace = new LocalHostLimiter(profileOf(""));
  pace.record({ kind: "blocked", reply });
  pace.record({ kind: "blocked", reply });
  pace.record({ kind: "ok" });
  pace.record({ kind: "blocked", reply });
  expect(pace.openBreaker).toBeUndefined();
});

test("who gives up steps aside without a place, and a rest that nobody waits for keeps no timer", async () => {
  const pace = new LocalHostLimiter(profileOf("", 1));
  const leaving = new AbortController();
  const inside = enter(pace);
  const impatient = enter(pace, leaving.signal);
  const patient = enter(pace);
  leaving.abort();
  await settled();
  expect([inside.isIn, impatient.isIn, patient.isIn]).toEqual([true, false, undefined]);
  pace.release();
  await settled();
  expect(patient.isIn).toBe(true);

  pace.release();
  pace.record({ kind: "rate_limited" });
  const resting = new AbortController();
  const late = enter(pace, resting.signal);
  expect(vi.getTimerCount()).toBe(1);
  resting.abort();
  await settled();
  expect(late.isIn).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
  expect(await pace.acquire(resting.signal)).toBe(false); // too late to even stand in line
});

test("giants want a rest between sessions even when all is well", async () => {
  const pace = new LocalHostLimiter(profileOf("google"));
  const [one, two] = [enter(pace), enter(pace)];
  await settled();
  expect([one.isIn, two.isIn]).toEqual([true, undefined]);
  await vi.advanceTimersByTimeAsync(250);
  expect(two.isIn).toBe(true);
});

test("behind an open breaker nobody rests, since nobody gets to the host", async () => {
  const pace = new LocalHostLimiter(profileOf("google"));
  for (let i = 0; i < 3; i++) pace.record({ kind: "blocked", reply });
  const visitors = Array.from({ length: 5 }, () => enter(pace));
  for (let i = 0; i < 3; i++) pace.release();
  await settled();
  expect(visitors.map(({ isIn }) => isIn)).toEqual(Array(5).fill(true));
});

test("whoever is urgent by the time a place is free goes in first, whenever it came", async () => {
  const pace = new LocalHostLimiter(profileOf("", 1));
  let isUrgent = false;
  const [inside, early] = [enter(pace), enter(pace)];
  const late = enter(pace, undefined, () => isUrgent);
  isUrgent = true;
  pace.release();
  await settled();
  expect([inside.isIn, early.isIn, late.isIn]).toEqual([true, undefined, true]);
  pace.release();
  await settled();
  expect(early.isIn).toBe(true);
});

test("every fourth place is for those who are in no hurry, in the order in which they came", async () => {
  const pace = new LocalHostLimiter(profileOf("", 1));
  await pace.acquire();
  const entered: string[] = [];
  const arrive = (name: string, isUrgent: boolean) =>
    pace.acquire(undefined, () => isUrgent).then(() => entered.push(name));
  for (let i = 1; i <= 7; i++) arrive(`urgent ${i}`, true);
  for (let i = 1; i <= 3; i++) arrive(`other ${i}`, false);
  for (let i = 0; i < 10; i++) {
    pace.release();
    await settled();
  }
  expect(entered).toEqual([
    ...["urgent 1", "urgent 2", "urgent 3", "other 1"],
    ...["urgent 4", "urgent 5", "urgent 6", "other 2"],
    ...["urgent 7", "other 3"],
  ]);
});

test("whether somebody waits in person can be told from outside, also when that came to be so later", async () => {
  const pace = new LocalHostLimiter(profileOf("", 1));
  let isUrgent = false;
  await pace.acquire();
  expect([pace.hasWaiters, pace.hasInteractiveWaiter]).toEqual([false, false]);
  enter(pace, undefined, () => isUrgent);
  expect([pace.hasWaiters, pace.hasInteractiveWaiter]).toEqual([true, false]);
  isUrgent = true;
  expect(pace.hasInteractiveWaiter).toBe(true);
});
