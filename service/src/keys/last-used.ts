/**
 * When each key was last used, to the minute. Written behind the requests' backs, many keys in one statement: a
 * request never waits for it, and never hears of its failure.
 */
import { LRUCache } from "lru-cache";
import type pg from "pg";

export type LastUse = {
  note(keyId: string): void;
  /** Writes what is noted. Never throws: what could not be written is tried again later. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

const EVERY_MS = 60_000;
const FLUSH_MS = 5_000;
const MAX_KEYS = 10_000;
const KEYS_PER_STATEMENT = 500;

export function createLastUse(pool: Pick<pg.Pool, "query">): LastUse {
  const notedAtMs = new LRUCache<string, number>({ max: MAX_KEYS });
  const unwritten = new Map<string, Date>();
  let writing: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    const due = [...unwritten];
    for (let from = 0; from < due.length; from += KEYS_PER_STATEMENT) {
      const batch = due.slice(from, from + KEYS_PER_STATEMENT);
      await pool.query({
        name: "keys_used",
        text: KEYS_USED,
        values: [batch.map(([keyId]) => keyId), batch.map(([, usedAt]) => usedAt)],
      });
      for (const [keyId] of batch) unwritten.delete(keyId);
    }
  };
  const flush = async (): Promise<void> => {
    if (unwritten.size === 0) return;
    writing ??= write()
      .catch(() => {})
      .finally(() => {
        writing = undefined;
      });
    await writing;
  };
  const timer = setInterval(flush, FLUSH_MS).unref();

  return {
    note(keyId) {
      const nowMs = performance.now();
      if (nowMs - (notedAtMs.get(keyId) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
      if (unwritten.size >= MAX_KEYS) return;
      notedAtMs.set(keyId, nowMs);
      unwritten.set(keyId, new Date());
    },
    flush,
    async close() {
      clearInterval(timer);
      await writing; // what was noted during it is written by the next one
      await flush();
    },
  };
}

// A row that is locked is being written by another process for the same minute: skipped, so nobody waits in a circle.
const KEYS_USED = `
  with used as (
    select k.id, u.used_at
    from api_keys k join unnest($1::uuid[], $2::timestamptz[]) as u (id, used_at) on u.id = k.id
    where k.last_used_at is null or k.last_used_at < u.used_at
    for no key update of k skip locked)
  update api_keys k set last_used_at = used.used_at from used where k.id = used.id`;
