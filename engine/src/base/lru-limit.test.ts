import { LRUCache } from "lru-cache";
import { expect, test } from "vitest";
import { entriesFor } from "./lru-limit.ts";

test("beyond the limit the least recently used entry is evicted", () => {
  const cache = new LRUCache<string, number>(entriesFor(60_000, 2));
  cache.set("a", 1).set("b", 2);
  expect(cache.get("a")).toBe(1);
  cache.set("c", 3).set("c", 4);
  expect([...cache.entries()].sort()).toEqual([
    ["a", 1],
    ["c", 4],
  ]);
});
