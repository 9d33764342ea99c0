import { afterEach, expect, test, vi } from "vitest";
import { createCachedLookup } from "./cached-lookup.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** A table that counts its lookups; a row that is missing is a miss. */
function open(rows: Map<string, string>) {
  const counts = { lookups: 0 };
  const lookup = createCachedLookup<string | undefined>({
    async load(key) {
      counts.lookups++;
      return rows.get(key);
    },
    max: 10,
    ttlMs: 60_000,
    isMiss: (value) => value === undefined,
    missTtlMs: 5_000,
  });
  return { lookup, counts };
}

test("a miss is cached, also after a hit that has expired", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const rows = new Map([["a", "row"]]);
  const { lookup, counts } = open(rows);
  expect(await lookup.find("a")).toBe("row");
  rows.clear();
  vi.advanceTimersByTime(60_001);
  for (let request = 0; request < 10; request++) expect(await lookup.find("a")).toBeUndefined();
  expect(counts.lookups).toBe(2);
});

test("concurrent requests share one lookup", async () => {
  const { lookup, counts } = open(new Map([["a", "row"]]));
  expect(await Promise.all([lookup.find("a"), lookup.find("a"), lookup.find("a")])).toEqual([
    "row",
    "row",
    "row",
  ]);
  expect(counts.lookups).toBe(1);
});

test("a value that was invalidated while it was looked up is not cached", async () => {
  const rows = new Map([["a", "old"]]);
  const { lookup, counts } = open(rows);
  const early = lookup.find("a");
  lookup.invalidate("a");
  rows.set("a", "new");
  await early;
  expect(await lookup.find("a")).toBe("new");
  expect(counts.lookups).toBe(2);
});
