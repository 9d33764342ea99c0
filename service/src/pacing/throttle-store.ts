/**
 * Throttle state of all hosts: the table `throttle_states`, and a copy of it in memory.
 *
 * An event updates the copy at once and the table soon after, under a row lock, so that events of several processes add up.
 * A notification makes other processes read the row again.
 */
import {
  entriesUpTo,
  initialThrottleState,
  nextThrottleState,
  type ProviderProfile,
  type ThrottleEvent,
  type ThrottleState,
} from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { LogEvent } from "../base/log-events.ts";
import { type Database, inTransaction } from "../db/database.ts";
import { createRounds } from "./retried-rounds.ts";
import {
  READ_ALL,
  READ_FOR_UPDATE,
  READ_SOME,
  type ThrottleRow,
  throttleStateOf,
  WRITE,
} from "./throttle-sql.ts";

export type ThrottleStore = {
  /** In terms of performance.now(); undefined for hosts that are not throttled. */
  of(key: string): ThrottleState | undefined;
  record(key: string, profile: ProviderProfile, event: ThrottleEvent): void;
  /** The next session there has to wait this long. */
  rests(key: string, leftMs: number): void;
  /** The row has changed; without a key, any row may have. */
  refresh(key?: string): void;
  /** Writes what is not written yet, if the database answers. */
  close(): Promise<void>;
};

export type ThrottleStoreDeps = {
  database: Database;
  onChange(key: string): void;
  log: LogEvent;
};

type UnwrittenEvent = { key: string; profile: ProviderProfile; event: ThrottleEvent };

const MAX_HOSTS = 20_000;
const MAX_PER_ROUND = 200;
/** While the database is away the newest events are kept. */
const MAX_UNWRITTEN = 2000;

export function createThrottleStore({ database, onChange, log }: ThrottleStoreDeps): ThrottleStore {
  const copy = new LRUCache<string, ThrottleState>({ ...entriesUpTo(MAX_HOSTS) });
  let unwritten: UnwrittenEvent[] = [];
  const outdated = new Set<string>();
  let isAllOutdated = false;

  const round = async (): Promise<number | undefined> => {
    if (unwritten.length > 0) {
      const batch = unwritten.slice(0, MAX_PER_ROUND);
      await inTransaction(database.pool, (client) => writeAll(client, batch));
      const written = new Set(batch);
      unwritten = unwritten.filter((one) => !written.has(one));
    }
    if (isAllOutdated || outdated.size > 0) await read();
    return unwritten.length > 0 || outdated.size > 0 || isAllOutdated ? 0 : undefined;
  };

  const read = async () => {
    const isAll = isAllOutdated;
    const keys = isAll ? [...copy.keys()] : [...outdated].slice(0, MAX_PER_ROUND);
    // Before the query: a change notified while it runs may not be in its answer.
    isAllOutdated = false;
    for (const key of keys) outdated.delete(key);
    const { rows } = await database.pool
      .query<ThrottleRow>(isAll ? READ_ALL : { ...READ_SOME, values: [keys] })
      .catch((error: unknown) => {
        isAllOutdated ||= isAll;
        for (const key of keys) outdated.add(key);
        throw error;
      });
    const fresh = new Map(rows.map((row) => [row.key, throttleStateOf(row, performance.now() - row.now_ms)]));
    for (const key of keys) if (!fresh.has(key)) copy.delete(key);
    for (const [key, state] of fresh) copy.set(key, state);
    for (const key of new Set([...keys, ...fresh.keys()])) onChange(key);
  };

  const rounds = createRounds({ round, name: "throttle_state", log });
  return {
    of: (key) => copy.get(key),
    record(key, profile, event) {
      const was = copy.get(key) ?? initialThrottleState(profile);
      copy.set(key, nextThrottleState(was, event, profile, performance.now()));
      if (unwritten.length >= MAX_UNWRITTEN) unwritten.shift();
      unwritten.push({ key, profile, event });
      rounds.wake();
      onChange(key);
    },
    rests(key, leftMs) {
      const state = copy.get(key);
      if (state && leftMs > 0) state.nextStartAtMs = performance.now() + leftMs;
    },
    refresh(key) {
      if (key === undefined) isAllOutdated = true;
      else outdated.add(key);
      rounds.wake();
    },
    async close() {
      await rounds.close();
      if (unwritten.length > 0)
        await inTransaction(database.pool, (client) => writeAll(client, unwritten)).catch(() => {});
    },
  };
}

async function writeAll(client: pg.ClientBase, batch: readonly UnwrittenEvent[]): Promise<void> {
  const first = new Map(batch.map(({ key, profile }) => [key, initialThrottleState(profile)]));
  const { rows } = await client.query<ThrottleRow>({
    ...READ_FOR_UPDATE,
    values: [
      [...first.keys()],
      [...first.values()].map(({ limit }) => limit),
      [...first.values()].map(({ delayMs }) => delayMs),
    ],
  });
  const nowMs = Math.max(...rows.map((row) => row.now_ms));
  const throttles = new Map(rows.map((row) => [row.key, throttleStateOf(row, 0)]));
  for (const { key, profile, event } of batch) {
    throttles.set(key, nextThrottleState(throttles.get(key)!, event, profile, nowMs));
  }
  const each = <Value>(of: (state: ThrottleState) => Value) => [...throttles.values()].map(of);
  await client.query({
    ...WRITE,
    values: [
      [...throttles.keys()],
      each(({ limit }) => limit),
      each(({ delayMs }) => delayMs),
      each(({ nextStartAtMs }) => (Number.isFinite(nextStartAtMs) ? nextStartAtMs : null)),
      each(({ okSessions }) => okSessions),
      each(({ blocks }) => blocks),
      each(({ breaker }) => breaker?.sinceMs ?? null),
      each(({ breaker }) => breaker?.untilMs ?? null),
      each(({ breaker }) => (breaker ? JSON.stringify(breaker.reply) : null)),
    ],
  });
}
