import { afterEach, expect, test, vi } from "vitest";
import { ACCOUNT_CHANGED } from "../db/pubsub.ts";
import { createKeyCache, KEY_CHANGED } from "./key-cache.ts";

const HASH = "ab".repeat(32);
const ROW = {
  keyId: "k1",
  accountId: "a1",
  mode: "live",
  scopes: ["read"],
  expiresAt: null as Date | null,
  plan: "payg",
  isOperator: false,
};

afterEach(() => {
  vi.useRealTimers();
});

test("concurrent requests for a key share one query", async () => {
  const { cache, table } = openCache();
  const answers = await Promise.all(Array.from({ length: 50 }, () => cache.find(HASH)));
  expect(answers.every((key) => key?.keyId === "k1")).toBe(true);
  expect(table.queries).toBe(1);
});

/** What may happen during a lookup. */
const CHANGES: [string, (cache: ReturnType<typeof openCache>) => void][] = [
  ["a revocation", ({ notify }) => notify(KEY_CHANGED, HASH)],
  ["a change of plan", ({ notify }) => notify(ACCOUNT_CHANGED, "a1")],
  ["a gap in the notifications", ({ missSome }) => missSome()],
];

test.each(CHANGES)("does not cache a lookup that %s has overtaken", async (_, happen) => {
  const opened = openCache();
  const { cache, table } = opened;
  const release = table.hold();
  const asked = cache.find(HASH); // reads the row before the change
  happen(opened);
  table.rows = [];
  release();
  expect(await asked).toMatchObject({ keyId: "k1" });
  expect(await cache.find(HASH)).toBeUndefined();
});

test.each(CHANGES)("does not join a lookup that %s has overtaken", async (_, happen) => {
  const opened = openCache();
  const { cache, table } = opened;
  const release = table.hold();
  const asked = cache.find(HASH);
  happen(opened);
  table.rows = [];
  const askedAfterwards = cache.find(HASH);
  release();
  expect(await asked).toMatchObject({ keyId: "k1" });
  expect(await askedAfterwards).toBeUndefined();
  expect(table.queries).toBe(2);
});

test.each([
  ["a change of its account", ACCOUNT_CHANGED, "a1"],
  ["a change of the key", KEY_CHANGED, HASH],
])("looks up again after %s, and not after another's", async (_, channel, payload) => {
  const { cache, table, notify } = openCache();
  await cache.find(HASH);
  notify(channel, "another");
  await cache.find(HASH);
  expect(table.queries).toBe(1);
  notify(channel, payload);
  table.rows = [{ ...ROW, plan: "growth" }];
  expect(await cache.find(HASH)).toMatchObject({ plan: "growth" });
});

test("is emptied when notifications may have been missed", async () => {
  const { cache, table, missSome } = openCache();
  await cache.find(HASH);
  table.rows = [];
  missSome();
  expect(await cache.find(HASH)).toBeUndefined();
});

test.each([
  ["a known key for half a minute", true, [ROW], 30_000],
  ["a known key for a second without notifications", false, [ROW], 1_000],
  ["an unknown key for five seconds", true, [], 5_000],
  ["an unknown key for a second without notifications", false, [], 1_000],
])("caches %s", async (_, isListening, rows, ttlMs) => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { cache, table } = openCache({ isListening, rows });
  await cache.find(HASH);
  vi.advanceTimersByTime(ttlMs - 1);
  await cache.find(HASH);
  expect(table.queries).toBe(1);
  vi.advanceTimersByTime(1);
  await cache.find(HASH);
  expect(table.queries).toBe(2);
});

test("refuses a key from the moment it expires, without another query", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-15T12:00:00.000Z") });
  const { cache, table } = openCache({ rows: [{ ...ROW, expiresAt: new Date("2026-11-15T12:00:01.000Z") }] });
  expect(await cache.find(HASH)).toMatchObject({ keyId: "k1" });
  vi.setSystemTime(Date.parse("2026-11-15T12:00:01.000Z"));
  expect(await cache.find(HASH)).toBeUndefined();
  expect(table.queries).toBe(1);
});

test("looks up again after a failed query", async () => {
  const { cache, table } = openCache();
  table.failure = new Error("no route to host");
  await expect(cache.find(HASH)).rejects.toThrow("no route to host");
  table.failure = undefined;
  expect(await cache.find(HASH)).toMatchObject({ keyId: "k1" });
});

test("unknown keys do not evict known ones", async () => {
  vi.useFakeTimers({ toFake: ["performance"] }); // nothing expires meanwhile
  const { cache, table } = openCache();
  await cache.find(HASH);
  table.rows = [];
  for (let guess = 0; guess < 20_000; guess++) await cache.find(guess.toString(16).padStart(64, "0"));
  expect(await cache.find(HASH)).toMatchObject({ keyId: "k1" });
});

/** A cache over a table of one row or none whose answers can be delayed, with notifications sent by the test. */
function openCache({ isListening = true, rows = [ROW] } = {}) {
  const handlers = new Map<string, (payload: string) => void>();
  let missSome = () => {};
  let held: Promise<void> = Promise.resolve();
  const table = {
    rows,
    queries: 0,
    failure: undefined as Error | undefined,
    /** Queries from now on read the rows at once and answer when released. */
    hold() {
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };
  const query = async () => {
    table.queries++;
    const { rows } = table;
    if (table.failure) throw table.failure;
    await held;
    return { rows };
  };
  const cache = createKeyCache({
    pool: { query: query as never },
    notices: {
      isListening,
      on: (channel, handler) => handlers.set(channel, handler),
      onGap: (handler) => {
        missSome = handler;
      },
    },
  });
  return {
    cache,
    table,
    notify: (channel: string, payload: string) => handlers.get(channel)?.(payload),
    missSome: () => missSome(),
  };
}
