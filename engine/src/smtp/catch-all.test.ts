import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import type { MailboxAnswer, MailboxFinding } from "../evidence.ts";
import { createCatchAllCache } from "./catch-all.ts";

/** A decoy probe that is answered by the test. */
function fakeProbe() {
  const answers: ((finding: MailboxFinding | undefined) => void)[] = [];
  let needed = 0;
  let dropped = 0;
  return {
    ask: () => ({
      finding: new Promise<MailboxFinding | undefined>((resolve) => void answers.push(resolve)),
      markNeeded: () => void needed++,
      raisePriority: () => {},
      dropUnneeded: () => {
        if (needed > 0) return false;
        answers.at(-1)!(undefined);
        return ++dropped > 0;
      },
    }),
    answer: (answer?: MailboxAnswer) => answers.at(-1)!(answer && { answer }),
    asked: () => answers.length,
    needed: () => needed,
    dropped: () => dropped,
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

test("one decoy per domain: shared while in flight, and cached", async () => {
  const cache = createCatchAllCache();
  const { ask, answer, asked } = fakeProbe();
  cache.prepare("shop.test", ask);
  const both = Promise.all([cache.finding("shop.test", ask), cache.finding("shop.test", ask)]);
  answer("not_found");
  expect(await both).toEqual(Array(2).fill({ answer: "not_found", confidence: 0.95 }));
  expect(await cache.finding("shop.test", ask)).toEqual({ answer: "not_found", confidence: 0.95 });
  expect(cache.known("shop.test", 1000)).toEqual({ answer: "not_found", confidence: 0.95 });
  expect(asked()).toBe(1);
});

test("a prepared decoy is needed only once its finding is requested", () => {
  const cache = createCatchAllCache();
  const { ask, needed } = fakeProbe();
  cache.prepare("shop.test", ask);
  expect(needed()).toBe(0);
  void cache.finding("shop.test", ask);
  expect(needed()).toBe(1);
});

test("a prepared decoy is dropped when the last mailbox of its domain has an answer and did not need it", async () => {
  const cache = createCatchAllCache();
  const { ask, answer, asked, dropped } = fakeProbe();
  const [release, releaseOther] = [cache.prepare("shop.test", ask), cache.prepare("shop.test", ask)];
  release();
  expect(dropped()).toBe(0);
  releaseOther();
  expect(dropped()).toBe(1);

  // The next one has a decoy of its own at once.
  const releaseNext = cache.prepare("shop.test", ask);
  const finding = cache.finding("shop.test", ask);
  releaseNext();
  answer("not_found");
  expect(await finding).toMatchObject({ answer: "not_found" });
  expect([asked(), dropped()]).toEqual([2, 1]);
});

test("a decoy refused as full or disabled still counts as refused", async () => {
  const cache = createCatchAllCache();
  const { ask, answer } = fakeProbe();
  const finding = cache.finding("shop.test", ask);
  answer("full");
  expect((await finding).answer).toBe("not_found");
});

test("a dropped decoy is undecided and not cached", async () => {
  const cache = createCatchAllCache();
  const { ask, answer, asked } = fakeProbe();
  const finding = cache.finding("shop.test", ask);
  answer(undefined);
  expect(await finding).toEqual({ answer: "temporary_error", confidence: 0 });
  expect(cache.known("shop.test", 1000)).toBeUndefined();
  void cache.finding("shop.test", ask);
  expect(asked()).toBe(2);
});

test("undecided results are cached for a minute, decided ones for a day", async () => {
  const cache = createCatchAllCache();
  const { ask, answer } = fakeProbe();
  const undecided = cache.finding("grey.test", ask);
  answer("greylisted");
  await undecided;
  const decided = cache.finding("open.test", ask);
  answer("accepted");
  await decided;

  const decidedAt = performance.now();
  const clock = vi.spyOn(performance, "now");
  const wait = async (afterMs: number) => {
    clock.mockReturnValue(decidedAt + afterMs);
    await delay(5); // timing: the cache reads the clock once a millisecond
  };
  await wait(30_000);
  expect(cache.known("grey.test", 1000)?.answer).toBe("greylisted");
  await wait(90_000);
  expect(cache.known("grey.test", 1000)).toBeUndefined();
  expect(cache.known("open.test", 1000)?.answer).toBe("accepted");
  await wait(25 * 3600 * 1000);
  expect(cache.known("open.test", 1000)).toBeUndefined();
});

test("a cached result expires after the given number of uses", async () => {
  const cache = createCatchAllCache();
  const { ask, answer } = fakeProbe();
  const finding = cache.finding("large.test", ask);
  answer("not_found");
  await finding;
  for (let i = 0; i < 25; i++) expect(cache.known("large.test", 25)).toBeDefined();
  expect(cache.known("large.test", 25)).toBeUndefined();
});

test("when the server names a retry time, the decoy is sent again at that time", async () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(1000);
  const cache = createCatchAllCache();
  let asked = 0;
  const ask = () => {
    asked++;
    const finding = Promise.resolve<MailboxFinding>({ answer: "greylisted", retryAfterSeconds: 2 });
    return { finding, markNeeded: () => {}, raisePriority: () => {}, dropUnneeded: () => false };
  };
  await cache.finding("shop.test", ask);
  await cache.finding("shop.test", ask);
  expect(asked).toBe(1);
  now.mockReturnValue(3000);
  await delay(5); // timing: the cache reads the clock once a millisecond
  await cache.finding("shop.test", ask);
  expect(asked).toBe(2);
});
