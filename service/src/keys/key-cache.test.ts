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

test("is asked once for a key that many wait for", async () => {
  const { memory, table } = remember();
  const answers = await Promise.all(Array.from({ length: 50 }, () => memory.find(HASH)));
  expect(answers.every((key) => key?.keyId === "k1")).toBe(true);
  expect(table.questions).toBe(1);
});

/** What may happen while the database is asked for a key. */
const CHANGES: [string, (memory: ReturnType<typeof remember>) => void][] = [
  ["a revocation", ({ hear }) => hear(KEY_CHANGED, HASH)],
  ["a change of plan", ({ hear }) => hear(ACCOUNT_CHANGED, "a1")],
  ["a gap in the notices", ({ missSome }) => missSome()],
];

test.each(CHANGES)("does not remember an answer that %s has overtaken", async (_, happen) => {
  const remembered = remember();
  const { memory, table } = remembered;
  const release = table.hold();
  const asked = memory.find(HASH); // reads the row before the change, and hears of it afterwards
  happen(remembered);
  table.rows = [];
  release();
  expect(await asked).toMatchObject({ keyId: "k1" });
  expect(await memory.find(HASH)).toBeUndefined();
});

test.each(CHANGES)("does not let anybody wait for an answer that %s has overtaken", async (_, happen) => {
  const remembered = remember();
  const { memory, table } = remembered;
  const release = table.hold();
  const asked = memory.find(HASH);
  happen(remembered);
  table.rows = [];
  const askedAfterwards = memory.find(HASH);
  release();
  expect(await asked).toMatchObject({ keyId: "k1" });
  expect(await askedAfterwards).toBeUndefined();
  expect(table.questions).toBe(2);
});

test.each([
  ["a change of its account", ACCOUNT_CHANGED, "a1"],
  ["a change of the key", KEY_CHANGED, HASH],
])("asks again after %s, and not after another's", async (_, channel, payload) => {
  const { memory, table, hear } = remember();
  await memory.find(HASH);
  hear(channel, "another");
  await memory.find(HASH);
  expect(table.questions).toBe(1);
  hear(channel, payload);
  table.rows = [{ ...ROW, plan: "growth" }];
  expect(await memory.find(HASH)).toMatchObject({ plan: "growth" });
});

test("forgets everything when notices may have been missed", async () => {
  const { memory, table, missSome } = remember();
  await memory.find(HASH);
  table.rows = [];
  missSome();
  expect(await memory.find(HASH)).toBeUndefined();
});

test.each([
  ["a known key for half a minute", true, [ROW], 30_000],
  ["a known key for a second while changes are not heard of", false, [ROW], 1_000],
  ["an unknown key for five seconds", true, [], 5_000],
  ["an unknown key for a second while changes are not heard of", false, [], 1_000],
])("believes %s", async (_, isListening, rows, believedMs) => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { memory, table } = remember({ isListening, rows });
  await memory.find(HASH);
  vi.advanceTimersByTime(believedMs - 1);
  await memory.find(HASH);
  expect(table.questions).toBe(1);
  vi.advanceTimersByTime(1);
  await memory.find(HASH);
  expect(table.questions).toBe(2);
});

test("refuses a key from the moment it expires, without asking again", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-15T12:00:00.000Z") });
  const { memory, table } = remember({ rows: [{ ...ROW, expiresAt: new Date("2026-11-15T12:00:01.000Z") }] });
  expect(await memory.find(HASH)).toMatchObject({ keyId: "k1" });
  vi.setSystemTime(Date.parse("2026-11-15T12:00:01.000Z"));
  expect(await memory.find(HASH)).toBeUndefined();
  expect(table.questions).toBe(1);
});

test("asks again after the database could not be reached", async () => {
  const { memory, table } = remember();
  table.failure = new Error("no route to host");
  await expect(memory.find(HASH)).rejects.toThrow("no route to host");
  table.failure = undefined;
  expect(await memory.find(HASH)).toMatchObject({ keyId: "k1" });
});

test("is not filled up by guesses", async () => {
  const { memory, table } = remember();
  await memory.find(HASH);
  table.rows = [];
  for (let guess = 0; guess < 20_000; guess++) await memory.find(guess.toString(16).padStart(64, "0"));
  expect(await memory.find(HASH)).toMatchObject({ keyId: "k1" });
});

/** A memory over a table of one row or none, whose answers can be held up, and notices that the test sends. */
function remember({ isListening = true, rows = [ROW] } = {}) {
  const handlers = new Map<string, (payload: string) => void>();
  let missSome = () => {};
  let held: Promise<void> = Promise.resolve();
  const table = {
    rows,
    questions: 0,
    failure: undefined as Error | undefined,
    /** What is asked from now on reads the rows at once and answers when it is released. */
    hold() {
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };
  const query = async () => {
    table.questions++;
    const { rows } = table;
    if (table.failure) throw table.failure;
    await held;
    return { rows };
  };
  const memory = createKeyCache({
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
    memory,
    table,
    hear: (channel: string, payload: string) => handlers.get(channel)?.(payload),
    missSome: () => missSome(),
  };
}
