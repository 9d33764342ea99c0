import { afterEach, expect, test, vi } from "vitest";
import { createLastUsed } from "./last-used.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("a key is written at most once a minute", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { lastUsed, written } = watch();
  lastUsed.note("k1");
  lastUsed.note("k1");
  await lastUsed.flush();
  vi.advanceTimersByTime(59_999);
  lastUsed.note("k1");
  await lastUsed.flush();
  expect(written).toEqual([["k1"]]);
  vi.advanceTimersByTime(1);
  lastUsed.note("k1");
  await lastUsed.close();
  expect(written).toEqual([["k1"], ["k1"]]);
});

test("keys used at about the same time share a statement", async () => {
  const { lastUsed, written } = watch();
  for (let key = 0; key < 700; key++) lastUsed.note(`k${key}`);
  await lastUsed.close();
  expect(written.map((keys) => keys.length)).toEqual([500, 200]);
});

test("what could not be written is written later, without an error", async () => {
  const { lastUsed, written, database } = watch();
  database.isDown = true;
  lastUsed.note("k1");
  await lastUsed.flush();
  expect(written).toEqual([]);
  database.isDown = false;
  await lastUsed.close();
  expect(written).toEqual([["k1"]]);
});

test("uses of a long outage are kept once per key, and written without a further request", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  const { lastUsed, written, database } = watch();
  database.isDown = true;
  for (let minute = 0; minute < 3; minute++) {
    for (let key = 0; key < 5_000; key++) lastUsed.note(`k${key}`);
    await lastUsed.flush();
    vi.advanceTimersByTime(60_000);
  }
  database.isDown = false;
  await vi.advanceTimersByTimeAsync(60_000);
  await expect.poll(() => new Set(written.flat()).size).toBe(5_000);
  expect(written.flat()).toHaveLength(5_000);
  await lastUsed.close();
});

test("a key noted during a write is not lost on close", async () => {
  const { lastUsed, written } = watch();
  lastUsed.note("k1");
  const flushing = lastUsed.flush();
  lastUsed.note("k2");
  await Promise.all([flushing, lastUsed.close()]);
  expect(written).toEqual([["k1"], ["k2"]]);
});

/** With a database that records the keys of each statement. */
function watch() {
  const written: string[][] = [];
  const database = { isDown: false };
  const query = async ({ values: [keyIds] }: { values: [string[]] }) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (database.isDown) throw new Error("the database is down");
    written.push(keyIds);
  };
  return { lastUsed: createLastUsed({ query: query as never }), written, database };
}
