import { expect, test } from "vitest";
import { createAnswerCache } from "./answer-cache.ts";
import type { DnsAnswer } from "./dns-answer.ts";

const text = (record: string, ttlSeconds = 300): DnsAnswer<"TXT"> => ({
  status: "answer",
  records: [record],
  ttlSeconds,
});

/** A cache with a controllable clock, and a name server that counts its queries. */
function setUp(answer: DnsAnswer<"TXT">, options = {}) {
  let nowMs = 0;
  let queries = 0;
  const cache = createAnswerCache({ now: () => nowMs, ...options });
  const query = async () => {
    queries++;
    return answer;
  };
  return {
    cache,
    query: (name = "a.test") => cache.resolve(`TXT ${name}`, query),
    wait: (seconds: number) => {
      nowMs += seconds * 1000;
    },
    queries: () => queries,
  };
}

test.each<[string, DnsAnswer<"TXT">, number]>([
  ["an answer: its own", text("x", 300), 300],
  ["an answer with TTL 0: 30 s", text("x", 0), 30],
  ["an answer with TTL 1 week: 1 h", text("x", 604_800), 3600],
  ["NXDOMAIN: its own", { status: "nxdomain", ttlSeconds: 60 }, 60],
  ["NXDOMAIN with TTL 1 day: 5 min", { status: "nxdomain", ttlSeconds: 86_400 }, 300],
  ["NODATA with TTL 0: 30 s", { status: "nodata", ttlSeconds: 0 }, 30],
  ["SERVFAIL: 15 s", { status: "servfail" }, 15],
  ["a timeout: 15 s", { status: "timeout" }, 15],
])("TTL of %s", async (_, answer, ttlSeconds) => {
  const { query, wait, queries } = setUp(answer);
  await query();
  wait(ttlSeconds - 1);
  expect(await query()).toMatchObject({ status: answer.status });
  expect(queries()).toBe(1);
  wait(1);
  await query();
  expect(queries()).toBe(2);
});

test("a cached answer reports its remaining TTL", async () => {
  const { query, wait } = setUp(text("x", 300));
  expect(await query()).toMatchObject({ ttlSeconds: 300 });
  wait(100);
  expect(await query()).toMatchObject({ ttlSeconds: 200 });
});

test("concurrent callers share one query, and types and names are kept apart", async () => {
  const { cache, query, queries } = setUp(text("x"));
  await Promise.all(Array.from({ length: 100 }, () => query()));
  expect(queries()).toBe(1);
  await query("b.test");
  expect(queries()).toBe(2);
  const mx = await cache.resolve<"MX">("MX a.test", async () => ({ status: "nodata", ttlSeconds: 60 }));
  expect(mx.status).toBe("nodata");
});

test("the number of answers is limited, least recently used evicted first", async () => {
  const { cache, query, queries } = setUp(text("x"), { maxAnswers: 3 });
  for (const name of ["a.test", "b.test", "c.test", "a.test", "d.test"]) await query(name);
  expect(cache.size).toBe(3);
  await query("a.test");
  expect(queries()).toBe(4);
  await query("b.test");
  expect(queries()).toBe(5);
});

test("the total size is limited, however large the answers", async () => {
  const { cache, query } = setUp(text("x".repeat(60_000)), { maxSizeBytes: 200_000 });
  for (let i = 0; i < 20; i++) await query(`${i}.test`);
  expect(cache.size).toBe(3);
});

test("a query that threw is not cached", async () => {
  const cache = createAnswerCache();
  await expect(cache.resolve("TXT a.test", () => Promise.reject(new Error("bug")))).rejects.toThrow("bug");
  expect(await cache.resolve("TXT a.test", async () => text("x"))).toMatchObject({ status: "answer" });
});

test("the answer of a closing resolver is not cached", async () => {
  const { cache, query, queries } = setUp({ status: "closed" });
  expect([await query(), await query()]).toEqual([{ status: "closed" }, { status: "closed" }]);
  expect(queries()).toBe(2);
  expect(cache.size).toBe(0);
});
