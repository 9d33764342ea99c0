/**
 * Writes when each key was last used, to the minute, many keys in one statement. Requests neither wait for it nor fail with
 * it.
 */
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { createBatcher } from "../batcher.ts";

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

type KeyUse = { keyId: string; usedAt: Date };

export function createLastUsed(pool: Pick<pg.Pool, "query">): LastUsed {
  const notedAtMs = new LRUCache<string, number>({ max: MAX_KEYS });
  let failed: KeyUse[] = [];
  const uses = createBatcher<KeyUse, void>({
    async run(batch) {
      const values = [batch.map(({ keyId }) => keyId), batch.map(({ usedAt }) => usedAt)];
      await pool.query({ name: "keys_used", text: KEYS_USED, values }).catch(() => failed.push(...batch));
      return [];
    },
    maxItems: KEYS_PER_STATEMENT,
    delayMs: DELAY_MS,
    keysOf: ({ keyId }) => [keyId],
  });
  const submit = (batch: readonly KeyUse[]) => {
    for (const use of batch) void uses.submit(use);
  };
  const flush = async () => {
    submit(failed.splice(0));
    await uses.flush();
  };

  return {
    note(keyId) {
      const nowMs = performance.now();
      if (nowMs - (notedAtMs.get(keyId) ?? Number.NEGATIVE_INFINITY) < RESOLUTION_MS) return;
      if (uses.size + failed.length >= MAX_KEYS) return;
      notedAtMs.set(keyId, nowMs);
      submit([...failed, { keyId, usedAt: new Date() }]);
      failed = [];
    },
    flush,
    close: flush,
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
