import { expect, test } from "vitest";
import { createAnswerCache } from "./answer-cache.ts";
import type { DnsAnswer } from "./dns-answer.ts";

const text = (record: string, ttlSeconds = 300): DnsAnswer<"TXT"> => ({
  status: "answer",
  records: [record],
  ttlSeconds,
});

/** A cache on a clock of our own, and a name server that counts. */
function setUp(answer: DnsAnswer<"TXT">, options = {}) {
  let nowMs = 0;
  let asked = 0;
  const cache = createAnswerCache({ now: () => nowMs, ...options });
  const ask = async () => {
    asked++;
    return answer;
  };
  return {
    cache,
    ask: (name = "a.test") => cache.through(name, "TXT", ask),
    wait: (seconds: number) => {
      nowMs += seconds * 1000;
    },
    asked: () => asked,
  };
}

test.each<[string, DnsAnswer<"TXT">, number]>([
  ["an answer by its lifetime", text("x", 300), 300],
  ["an answer that lives for a moment 30 s", text("x", 0), 30],
  ["an answer that lives for a week 1 h", text("x", 604_800), 3600],
  ["no such name by its lifetime", { status: "nxdomain", ttlSeconds: 60 }, 60],
  ["no such name for a day 5 min", { status: "nxdomain", ttlSeconds: 86_400 }, 300],
  ["no such record for a moment 30 s", { status: "nodata", ttlSeconds: 0 }, 30],
  ["servfail 15 s", { status: "servfail" }, 15],
  ["silence 15 s", { status: "timeout" }, 15],
])("it keeps %s", async (_, answer, keptSeconds) => {
  const { ask, wait, asked } = setUp(answer);
  await ask();
  wait(keptSeconds - 1);
  expect(await ask()).toMatchObject({ status: answer.status });
  expect(asked()).toBe(1);
  wait(1);
  await ask();
  expect(asked()).toBe(2);
});

test("a remembered answer tells how much of its lifetime is left", async () => {
  const { ask, wait } = setUp(text("x", 300));
  expect(await ask()).toMatchObject({ ttlSeconds: 300 });
  wait(100);
  expect(await ask()).toMatchObject({ ttlSeconds: 200 });
});

test("all who ask at once share one question, and types and names are kept apart", async () => {
  const { cache, ask, asked } = setUp(text("x"));
  await Promise.all(Array.from({ length: 100 }, () => ask()));
  expect(asked()).toBe(1);
  await ask("b.test");
  expect(asked()).toBe(2);
  const mx = await cache.through("a.test", "MX", async () => ({ status: "nodata", ttlSeconds: 60 }));
  expect(mx.status).toBe("nodata");
});

test("it holds no more answers than allowed, and lets the least used go first", async () => {
  const { cache, ask, asked } = setUp(text("x"), { maxAnswers: 3 });
  for (const name of ["a.test", "b.test", "c.test", "a.test", "d.test"]) await ask(name);
  expect(cache.size).toBe(3);
  await ask("a.test");
  expect(asked()).toBe(4);
  await ask("b.test");
  expect(asked()).toBe(5);
});

test("it holds no more bytes than allowed, however large the answers", async () => {
  const { cache, ask } = setUp(text("x".repeat(60_000)), { maxSizeBytes: 200_000 });
  for (let i = 0; i < 20; i++) await ask(`${i}.test`);
  expect(cache.size).toBe(3);
});

test("a question that broke on our side is not remembered", async () => {
  const cache = createAnswerCache();
  await expect(cache.through("a.test", "TXT", () => Promise.reject(new Error("bug")))).rejects.toThrow("bug");
  expect(await cache.through("a.test", "TXT", async () => text("x"))).toMatchObject({ status: "answer" });
});

test("what a resolver says that is being closed is not remembered", async () => {
  const { cache, ask, asked } = setUp({ status: "closed" });
  expect([await ask(), await ask()]).toEqual([{ status: "closed" }, { status: "closed" }]);
  expect(asked()).toBe(2);
  expect(cache.size).toBe(0);
});
