/**
 * How the deployment stands with hosts that made themselves felt: the table `paces`, and a copy of it in memory.
 *
 * A lesson changes the copy at once and the table soon after, under the lock of its row, so that lessons of several
 * processes add up. A notice has everybody else read the row again.
 */
import {
  initialThrottleState,
  nextThrottleState,
  type ProviderProfile,
  type ThrottleEvent,
  type ThrottleState,
} from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { type Database, inTransaction } from "../db/database.ts";
import type { LogEvent } from "../log-events.ts";
import { createRounds } from "./batch-rounds.ts";
import {
  READ_ALL,
  READ_FOR_UPDATE,
  READ_SOME,
  type ThrottleRow,
  throttleStateOf,
  WRITE,
} from "./throttle-sql.ts";

export type ThrottleStore = {
  /** In terms of performance.now(); undefined where nobody ever complained, or it is forgotten. */
  of(key: string): ThrottleState | undefined;
  learn(key: string, profile: ProviderProfile, lesson: ThrottleEvent): void;
  /** The next session there has to wait so long. */
  rests(key: string, leftMs: number): void;
  /** The row has changed; without a key, any of them may have. */
  refresh(key?: string): void;
  /** Writes down what is not written yet, if that can be done soon. */
  close(): Promise<void>;
};

export type ThrottleStoreDeps = {
  database: Database;
  onChange(key: string): void;
  log: LogEvent;
};

type Learning = { key: string; profile: ProviderProfile; lesson: ThrottleEvent };

const MOST_REMEMBERED = 20_000;
const MOST_PER_ROUND = 200;
/** While the database is away lessons are kept, the newest ones. */
const MOST_UNWRITTEN = 2000;

export function createThrottleStore({ database, onChange, log }: ThrottleStoreDeps): ThrottleStore {
  const copy = new LRUCache<string, ThrottleState>({ max: MOST_REMEMBERED });
  let unwritten: Learning[] = [];
  const outdated = new Set<string>();
  let isAllOutdated = false;

  const round = async (): Promise<number | undefined> => {
    if (unwritten.length > 0) {
      const learning = unwritten.slice(0, MOST_PER_ROUND);
      await inTransaction(database.pool, (client) => writeAll(client, learning));
      const written = new Set(learning);
      unwritten = unwritten.filter((one) => !written.has(one));
    }
    if (isAllOutdated || outdated.size > 0) await read();
    return unwritten.length > 0 || outdated.size > 0 ? 0 : undefined;
  };

  const read = async () => {
    const keys = isAllOutdated ? [...copy.keys()] : [...outdated].slice(0, MOST_PER_ROUND);
    const { rows } = await database.pool.query<ThrottleRow>(
      isAllOutdated ? READ_ALL : { ...READ_SOME, values: [keys] },
    );
    isAllOutdated = false;
    for (const key of keys) outdated.delete(key);
    const fresh = new Map(rows.map((row) => [row.key, throttleStateOf(row, performance.now() - row.now_ms)]));
    for (const key of keys) if (!fresh.has(key)) copy.delete(key);
    for (const [key, standing] of fresh) copy.set(key, standing);
    for (const key of new Set([...keys, ...fresh.keys()])) onChange(key);
  };

  const rounds = createRounds({ round, name: "throttle_state", log });
  return {
    of: (key) => copy.get(key),
    learn(key, profile, lesson) {
      const was = copy.get(key) ?? initialThrottleState(profile);
      copy.set(key, nextThrottleState(was, lesson, profile, performance.now()));
      if (unwritten.length >= MOST_UNWRITTEN) unwritten.shift();
      unwritten.push({ key, profile, lesson });
      rounds.wake();
      onChange(key);
    },
    rests(key, leftMs) {
      const standing = copy.get(key);
      if (standing && leftMs > 0) standing.nextStartAtMs = performance.now() + leftMs;
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

async function writeAll(client: pg.ClientBase, learning: readonly Learning[]): Promise<void> {
  const first = new Map(learning.map(({ key, profile }) => [key, initialThrottleState(profile)]));
  const { rows } = await client.query<ThrottleRow>({
    ...READ_FOR_UPDATE,
    values: [
      [...first.keys()],
      [...first.values()].map(({ limit }) => limit),
      [...first.values()].map(({ restMs }) => restMs),
    ],
  });
  const nowMs = Math.max(...rows.map((row) => row.now_ms));
  const standings = new Map(rows.map((row) => [row.key, throttleStateOf(row, 0)]));
  for (const { key, profile, lesson } of learning) {
    standings.set(key, nextThrottleState(standings.get(key)!, lesson, profile, nowMs));
  }
  const each = <Value>(of: (standing: ThrottleState) => Value) => [...standings.values()].map(of);
  await client.query({
    ...WRITE,
    values: [
      [...standings.keys()],
      each(({ limit }) => limit),
      each(({ restMs }) => restMs),
      each(({ nextStartAtMs }) => (Number.isFinite(nextStartAtMs) ? nextStartAtMs : null)),
      each(({ quiet }) => quiet),
      each(({ refusals }) => refusals),
      each(({ tripped }) => tripped?.untilMs ?? null),
      each(({ tripped }) => (tripped ? JSON.stringify(tripped.reply) : null)),
    ],
  });
}
