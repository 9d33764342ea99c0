/**
 * Read-through cache by key, on lru-cache's fetchMethod: concurrent requests for a key share one lookup, and a lookup that
 * was invalidated while it ran answers its waiters but is not cached.
 */
import { entriesUpTo } from "@mailvet/engine";
import { LRUCache } from "lru-cache";

export type CachedLookup<Value> = {
  /** The cached value, at once; otherwise the lookup. With `maxAgeMs`, older values are looked up again. */
  find(key: string, maxAgeMs?: number): Promise<Value> | Value;
  set(key: string, value: Value): void;
  invalidate(key: string): void;
  /** Invalidates the cached values that match, and every lookup in progress. */
  invalidateWhere(matches: (value: Value) => boolean): void;
};

export type CachedLookupOptions<Value> = {
  load(key: string): Promise<Value>;
  max: number;
  ttlMs: number;
  /** Values for which this holds are cached apart, so that they cannot evict the others, and for `missTtlMs`. */
  isMiss?(value: Value): boolean;
  missTtlMs?: number;
};

/** Wrapped, because lru-cache does not cache undefined. */
type Cached<Value> = { value: Value; loadedAtMs: number };

export function createCachedLookup<Value>(options: CachedLookupOptions<Value>): CachedLookup<Value> {
  const { load, max, ttlMs, isMiss = () => false, missTtlMs = ttlMs } = options;
  const hits = new LRUCache<string, Cached<Value>>({ ...entriesUpTo(max) });
  /** Also runs the lookups. */
  const misses = new LRUCache<string, Cached<Value>>({
    ...entriesUpTo(max),
    ignoreFetchAbort: true,
    fetchMethod: async (key, _stale, { signal }) => {
      const loadedAtMs = performance.now(); // before loading: the value may be as old as this
      const cached = { value: await load(key), loadedAtMs };
      if (signal.aborted) return cached;
      if (isMiss(cached.value))
        hits.delete(key); // an expired hit must not hide the miss
      else hits.set(key, cached);
      return cached;
    },
  });
  const isFresh = ({ value, loadedAtMs }: Cached<Value>, maxAgeMs: number) =>
    performance.now() - loadedAtMs < Math.min(maxAgeMs, isMiss(value) ? missTtlMs : ttlMs);

  return {
    find(key, maxAgeMs = Number.POSITIVE_INFINITY) {
      const cached = hits.get(key) ?? misses.get(key);
      if (cached && isFresh(cached, maxAgeMs)) return cached.value;
      return misses.fetch(key, { forceRefresh: true }).then((found) => found!.value);
    },
    set(key, value) {
      misses.delete(key);
      hits.set(key, { value, loadedAtMs: performance.now() });
    },
    invalidate(key) {
      hits.delete(key);
      misses.delete(key);
    },
    invalidateWhere(matches) {
      for (const [key, { value }] of hits.entries()) if (matches(value)) hits.delete(key);
      misses.clear();
    },
  };
}
