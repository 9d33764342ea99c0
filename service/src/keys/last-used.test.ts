import { afterEach, expect, test, vi } from "vitest";
import { createLastUse } from "./last-used.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("a key is written at most once a minute", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { lastUse, written } = watch();
  lastUse.note("k1");
  lastUse.note("k1");
  await lastUse.flush();
  vi.advanceTimersByTime(59_999);
  lastUse.note("k1");
  await lastUse.flush();
  expect(written).toEqual([["k1"]]);
  vi.advanceTimersByTime(1);
  lastUse.note("k1");
  await lastUse.close();
  expect(written).toEqual([["k1"], ["k1"]]);
});

test("keys used at about the same time share a statement", async () => {
  const { lastUse, written } = watch();
  for (let key = 0; key < 700; key++) lastUse.note(`k${key}`);
  await lastUse.close();
  expect(written.map((keys) => keys.length)).toEqual([500, 200]);
});

test("what could not be written is written later, and nobody hears of the failure", async () => {
  const { lastUse, written, database } = watch();
  database.isDown = true;
  lastUse.note("k1");
  await lastUse.flush();
  expect(written).toEqual([]);
  database.isDown = false;
  await lastUse.close();
  expect(written).toEqual([["k1"]]);
});

test("a key noted while others are being written is not lost when the process stops", async () => {
  const { lastUse, written } = watch();
  lastUse.note("k1");
  const flushing = lastUse.flush();
  lastUse.note("k2");
  await Promise.all([flushing, lastUse.close()]);
  expect(written).toEqual([["k1"], ["k2"]]);
});

/** Notes into a database that only lists which keys each statement was about. */
function watch() {
  const written: string[][] = [];
  const database = { isDown: false };
  const query = async ({ values: [keyIds] }: { values: [string[]] }) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (database.isDown) throw new Error("the database is down");
    written.push(keyIds);
  };
  return { lastUse: createLastUse({ query: query as never }), written, database };
}
