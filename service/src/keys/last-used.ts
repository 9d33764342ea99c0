/**
 * Writes when each key was last used, to the minute, many keys in one statement. Requests neither wait for it nor fail with
 * it.
 */
import { entriesUpTo } from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { createBatcher } from "../base/batcher.ts";

export type LastUsed = {
  note(keyId: string): void;
  /** Writes what is noted. Never throws: what could not be written is tried again later. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

const RESOLUTION_MS = 60_000;
const DELAY_MS = 5_000;
const MAX_KEYS = 10_000;
const KEYS_PER_STATEMENT = 500;

export function createLastUsed(pool: Pick<pg.Pool, "query">): LastUsed {
  const notedAtMs = new LRUCache<string, number>({ ...entriesUpTo(MAX_KEYS) });
  /** Uses that wait for a batch, and uses of batches that failed: the newest of each key. */
  const waiting = new Map<string, Date>();
  const failed = new Map<string, Date>();
  let retryTimer: NodeJS.Timeout | undefined;

  const batches = createBatcher<string, void>({
    async run(keyIds) {
      const usedAt = keyIds.map((keyId) => waiting.get(keyId)!);
      for (const keyId of keyIds) waiting.delete(keyId);
      try {
        await pool.query({ name: "keys_used", text: KEYS_USED, values: [keyIds, usedAt] });
      } catch {
        for (const [index, keyId] of keyIds.entries()) failed.set(keyId, usedAt[index]!);
        retryTimer ??= setTimeout(retry, DELAY_MS).unref();
      }
      return [];
    },
    maxItems: KEYS_PER_STATEMENT,
    delayMs: DELAY_MS,
  });

  function add(keyId: string, usedAt: Date): void {
    const isQueued = waiting.has(keyId);
    waiting.set(keyId, usedAt);
    if (!isQueued) void batches.submit(keyId);
  }

  function retry(): void {
    clearTimeout(retryTimer);
    retryTimer = undefined;
    const again = [...failed];
    failed.clear();
    for (const [keyId, usedAt] of again) if (!waiting.has(keyId)) add(keyId, usedAt);
  }

  const flush = async () => {
    retry();
    await batches.flush();
  };

  return {
    note(keyId) {
      const nowMs = performance.now();
      if (nowMs - (notedAtMs.get(keyId) ?? Number.NEGATIVE_INFINITY) < RESOLUTION_MS) return;
      const isKnown = waiting.has(keyId) || failed.has(keyId);
      if (!isKnown && waiting.size + failed.size >= MAX_KEYS) return;
      notedAtMs.set(keyId, nowMs);
      failed.delete(keyId);
      add(keyId, new Date());
    },
    flush,
    async close() {
      await flush();
      clearTimeout(retryTimer);
    },
  };
}

// A locked row is being written by another process for the same minute. It is skipped, so that processes cannot deadlock.
const KEYS_USED = `
  with used as (
    select k.id, u.used_at
    from api_keys k join unnest($1::uuid[], $2::timestamptz[]) as u (id, used_at) on u.id = k.id
    where k.last_used_at is null or k.last_used_at < u.used_at
    for no key update of k skip locked)
  update api_keys k set last_used_at = used.used_at from used where k.id = used.id`;
