import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import type { MailboxAnswer, MailboxFinding } from "../evidence.ts";
import { createCatchAllCache } from "./catch-all.ts";

/** Somebody who can be asked, and answers when told to. */
function oracle() {
  const answers: ((finding: MailboxFinding | undefined) => void)[] = [];
  let wanted = 0;
  return {
    ask: () => ({
      finding: new Promise<MailboxFinding | undefined>((resolve) => void answers.push(resolve)),
      want: () => void wanted++,
      hurry: () => {},
    }),
    answer: (answer?: MailboxAnswer) => answers.at(-1)!(answer && { answer }),
    asked: () => answers.length,
    wanted: () => wanted,
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

test("asked once, told to all who ask meanwhile, and remembered", async () => {
  const memory = createCatchAllCache();
  const { ask, answer, asked } = oracle();
  memory.prepare("shop.test", ask);
  const both = Promise.all([memory.finding("shop.test", ask), memory.finding("shop.test", ask)]);
  answer("not_found");
  expect(await both).toEqual(Array(2).fill({ answer: "not_found", confidence: 0.95 }));
  expect(await memory.finding("shop.test", ask)).toEqual({ answer: "not_found", confidence: 0.95 });
  expect(memory.known("shop.test", 1000)).toEqual({ answer: "not_found", confidence: 0.95 });
  expect(asked()).toBe(1);
});

test("putting the question does not insist on an answer, asking for it does", () => {
  const memory = createCatchAllCache();
  const { ask, wanted } = oracle();
  memory.prepare("shop.test", ask);
  expect(wanted()).toBe(0);
  void memory.finding("shop.test", ask);
  expect(wanted()).toBe(1);
});

test("a made-up name that is full or closed was still refused", async () => {
  const memory = createCatchAllCache();
  const { ask, answer } = oracle();
  const finding = memory.finding("shop.test", ask);
  answer("full");
  expect((await finding).answer).toBe("not_found");
});

test("a question that was dropped is undecided and may be put again at once", async () => {
  const memory = createCatchAllCache();
  const { ask, answer, asked } = oracle();
  const finding = memory.finding("shop.test", ask);
  answer(undefined);
  expect(await finding).toEqual({ answer: "temporary_error", confidence: 0 });
  expect(memory.known("shop.test", 1000)).toBeUndefined();
  void memory.finding("shop.test", ask);
  expect(asked()).toBe(2);
});

test("undecided is remembered for a minute, decided for a day", async () => {
  const memory = createCatchAllCache();
  const { ask, answer } = oracle();
  const undecided = memory.finding("grey.test", ask);
  answer("greylisted");
  await undecided;
  const decided = memory.finding("open.test", ask);
  answer("accepted");
  await decided;

  const decidedAt = performance.now();
  const clock = vi.spyOn(performance, "now");
  const wait = async (afterMs: number) => {
    clock.mockReturnValue(decidedAt + afterMs);
    await delay(5); // timing: the cache looks at the clock once a millisecond
  };
  await wait(30_000);
  expect(memory.known("grey.test", 1000)?.answer).toBe("greylisted");
  await wait(90_000);
  expect(memory.known("grey.test", 1000)).toBeUndefined();
  expect(memory.known("open.test", 1000)?.answer).toBe("accepted");
  await wait(25 * 3600 * 1000);
  expect(memory.known("open.test", 1000)).toBeUndefined();
});

test("after so many uses it is time to look again", async () => {
  const memory = createCatchAllCache();
  const { ask, answer } = oracle();
  const finding = memory.finding("giant.test", ask);
  answer("not_found");
  await finding;
  for (let i = 0; i < 25; i++) expect(memory.known("giant.test", 25)).toBeDefined();
  expect(memory.known("giant.test", 25)).toBeUndefined();
});

test("who is told to come back in two seconds finds the made-up name asked for anew then", async () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(1000);
  const memory = createCatchAllCache();
  let asked = 0;
  const ask = () => {
    asked++;
    const finding = Promise.resolve<MailboxFinding>({ answer: "greylisted", retryAfterSeconds: 2 });
    return { finding, want: () => {}, hurry: () => {} };
  };
  await memory.finding("shop.test", ask);
  await memory.finding("shop.test", ask);
  expect(asked).toBe(1);
  now.mockReturnValue(3000);
  await delay(5); // timing: the cache looks at the clock once a millisecond
  await memory.finding("shop.test", ask);
  expect(asked).toBe(2);
});
