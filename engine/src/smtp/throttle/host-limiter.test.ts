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

/** Acquires a slot, and shows whether it was granted by now. */
function acquire(limiter: HostLimiter, signal?: AbortSignal, isInteractive = () => false) {
  const waiter: { isGranted: boolean | undefined } = { isGranted: undefined };
  limiter.acquire(signal, isInteractive).then((isGranted) => {
    waiter.isGranted = isGranted;
  });
  return waiter;
}
const settled = () => vi.advanceTimersByTimeAsync(0);

test("the profile's number of sessions run concurrently, the others wait in order", async () => {
  const limiter = new LocalHostLimiter(profileOf("", 2));
  const waiters = [acquire(limiter), acquire(limiter), acquire(limiter), acquire(limiter)];
  await settled();
  expect(waiters.map(({ isGranted }) => isGranted)).toEqual([true, true, undefined, undefined]);
  expect(limiter.hasWaiters).toBe(true);
  limiter.release();
  await settled();
  expect(waiters.map(({ isGranted }) => isGranted)).toEqual([true, true, true, undefined]);
});

test("a rate-limit reply halves the limit and doubles the delay", async () => {
  const limiter = new LocalHostLimiter(profileOf("", 8));
  limiter.record({ kind: "rate_limited" });
  expect(limiter.limit).toBe(4);
  const first = acquire(limiter);
  await vi.advanceTimersByTimeAsync(900);
  expect(first.isGranted).toBeUndefined();
  await vi.advanceTimersByTimeAsync(200);
  expect(first.isGranted).toBe(true);

  limiter.record({ kind: "rate_limited" });
  expect(limiter.limit).toBe(2);
  const second = acquire(limiter);
  await vi.advanceTimersByTimeAsync(1900);
  expect(second.isGranted).toBeUndefined();
  await vi.advanceTimersByTimeAsync(200);
  expect(second.isGranted).toBe(true);
  for (let i = 0; i < 20; i++) limiter.record({ kind: "rate_limited" });
  expect(limiter.limit).toBe(1);
});

test("sessions without a rate-limit reply restore the limit step by step, up to the profile", () => {
  const limiter = new LocalHostLimiter(profileOf("", 4));
  limiter.record({ kind: "rate_limited" });
  expect(limiter.limit).toBe(2);
  for (let i = 0; i < 5; i++) limiter.record({ kind: "ok" });
  expect(limiter.limit).toBe(3);
  for (let i = 0; i < 50; i++) limiter.record({ kind: "ok" });
  expect(limiter.limit).toBe(4);
});

test("a refusal of one connection too many is a limit without a delay, tested again after many sessions", () => {
  const limiter = new LocalHostLimiter(profileOf("", 24));
  limiter.record({ kind: "too_many_connections", open: 4 });
  expect([limiter.limit, limiter.delayLeftMs]).toEqual([4, 0]);
  limiter.record({ kind: "too_many_connections", open: 6 });
  expect(limiter.limit).toBe(4);
  limiter.record({ kind: "too_many_connections", open: 3 });
  expect(limiter.limit).toBe(3);
  for (let i = 0; i < 204; i++) limiter.record({ kind: "ok" });
  expect(limiter.limit).toBe(3);
  limiter.record({ kind: "ok" });
  expect(limiter.limit).toBe(4);
  limiter.record({ kind: "too_many_connections", open: 0 });
  expect(limiter.limit).toBe(1);
});

test("while a cap is respected, the delay of an earlier rate limit still wears off", async () => {
  const limiter = new LocalHostLimiter(profileOf("", 4));
  limiter.record({ kind: "rate_limited" });
  limiter.record({ kind: "too_many_connections", open: 1 });
  for (let i = 0; i < 5; i++) limiter.record({ kind: "ok" });
  await vi.advanceTimersByTimeAsync(1001);
  const waiters = [acquire(limiter)];
  await settled();
  limiter.release();
  waiters.push(acquire(limiter));
  await settled();
  expect(waiters.map(({ isGranted }) => isGranted)).toEqual([true, true]);
});

test("three blocks open the breaker for fifteen minutes, and each one after that for twice as long, up to a day", async () => {
  const limiter = new LocalHostLimiter(profileOf(""));
  limiter.record({ kind: "blocked", reply });
  limiter.record({ kind: "blocked", reply });
  expect(limiter.openBreaker).toBeUndefined();
  limiter.record({ kind: "blocked", reply });
  const minutes: number[] = [];
  for (let time = 0; time < 9; time++) {
    const { leftMs } = limiter.openBreaker!;
    minutes.push(Math.round(leftMs / 60_000));
    limiter.record({ kind: "blocked", reply }); // by a session that was open already
    expect(limiter.openBreaker).toMatchObject({ reply, leftMs });
    await vi.advanceTimersByTimeAsync(leftMs + 1);
    expect(limiter.openBreaker).toBeUndefined();
    limiter.record({ kind: "blocked", reply });
  }
  expect(minutes).toEqual([15, 30, 60, 120, 240, 480, 960, 1440, 1440]);
  const openForMinutes = Math.round(limiter.openBreaker!.openForMs / 60_000);
  expect(openForMinutes).toBe(minutes.reduce((sum, one) => sum + one, 0));

  limiter.record({ kind: "ok" });
  expect(limiter.openBreaker).toBeUndefined();
  for (let time = 0; time < 3; time++) limiter.record({ kind: "blocked", reply });
  expect(limiter.openBreaker).toEqual({ reply, openForMs: 0, leftMs: 15 * 60_000 });
});

test("an ok session resets the count of blocks", () => {
  const limiter = new LocalHostLimiter(profileOf(""));
  limiter.record({ kind: "blocked", reply });
  limiter.record({ kind: "blocked", reply });
  limiter.record({ kind: "ok" });
  limiter.record({ kind: "blocked", reply });
  expect(limiter.openBreaker).toBeUndefined();
});

test("an aborted waiter gets no slot, and a delay without waiters keeps no timer", async () => {
  const limiter = new LocalHostLimiter(profileOf("", 1));
  const controller = new AbortController();
  const inside = acquire(limiter);
  const aborted = acquire(limiter, controller.signal);
  const other = acquire(limiter);
  controller.abort();
  await settled();
  expect([inside.isGranted, aborted.isGranted, other.isGranted]).toEqual([true, false, undefined]);
  limiter.release();
  await settled();
  expect(other.isGranted).toBe(true);

  limiter.release();
  limiter.record({ kind: "rate_limited" });
  const delayed = new AbortController();
  const late = acquire(limiter, delayed.signal);
  expect(vi.getTimerCount()).toBe(1);
  delayed.abort();
  await settled();
  expect(late.isGranted).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
  expect(await limiter.acquire(delayed.signal)).toBe(false); // already aborted
});

test("large providers have a delay between sessions from the start", async () => {
  const limiter = new LocalHostLimiter(profileOf("google"));
  const [one, two] = [acquire(limiter), acquire(limiter)];
  await settled();
  expect([one.isGranted, two.isGranted]).toEqual([true, undefined]);
  await vi.advanceTimersByTimeAsync(250);
  expect(two.isGranted).toBe(true);
});

test("behind an open breaker slots are granted without delay", async () => {
  const limiter = new LocalHostLimiter(profileOf("google"));
  for (let i = 0; i < 3; i++) limiter.record({ kind: "blocked", reply });
  const waiters = Array.from({ length: 5 }, () => acquire(limiter));
  for (let i = 0; i < 3; i++) limiter.release();
  await settled();
  expect(waiters.map(({ isGranted }) => isGranted)).toEqual(Array(5).fill(true));
});

test("a waiter that is interactive when a slot becomes free comes first", async () => {
  const limiter = new LocalHostLimiter(profileOf("", 1));
  let isInteractive = false;
  const [inside, early] = [acquire(limiter), acquire(limiter)];
  const late = acquire(limiter, undefined, () => isInteractive);
  isInteractive = true;
  limiter.release();
  await settled();
  expect([inside.isGranted, early.isGranted, late.isGranted]).toEqual([true, undefined, true]);
  limiter.release();
  await settled();
  expect(early.isGranted).toBe(true);
});

test("every fourth slot goes to a batch waiter, in order of arrival", async () => {
  const limiter = new LocalHostLimiter(profileOf("", 1));
  await limiter.acquire();
  const granted: string[] = [];
  const arrive = (name: string, isInteractive: boolean) =>
    limiter.acquire(undefined, () => isInteractive).then(() => granted.push(name));
  for (let i = 1; i <= 7; i++) arrive(`interactive ${i}`, true);
  for (let i = 1; i <= 3; i++) arrive(`batch ${i}`, false);
  for (let i = 0; i < 10; i++) {
    limiter.release();
    await settled();
  }
  expect(granted).toEqual([
    ...["interactive 1", "interactive 2", "interactive 3", "batch 1"],
    ...["interactive 4", "interactive 5", "interactive 6", "batch 2"],
    ...["interactive 7", "batch 3"],
  ]);
});

test("hasInteractiveWaiter reflects the current priority of the waiters", async () => {
  const limiter = new LocalHostLimiter(profileOf("", 1));
  let isInteractive = false;
  await limiter.acquire();
  expect([limiter.hasWaiters, limiter.hasInteractiveWaiter]).toEqual([false, false]);
  acquire(limiter, undefined, () => isInteractive);
  expect([limiter.hasWaiters, limiter.hasInteractiveWaiter]).toEqual([true, false]);
  isInteractive = true;
  expect(limiter.hasInteractiveWaiter).toBe(true);
});
