/**
 * Memories of mail hosts in the table `host_memories`: read once at the start, and written some seconds after a change. Each
 * process remembers for itself; of two that ask the same host, the one that wrote last is read after a restart.
 */
import { HostMemories, type HostMemoryEntry, hostMemoryKey, MAX_HOST_MEMORIES } from "@mailvet/engine";
import type pg from "pg";
import type { LogEvent } from "../base/log-events.ts";
import { createRounds } from "./retried-rounds.ts";

export type HostMemoryStore = {
  hostMemories: HostMemories;
  /** Deletes what is no longer read; returns how many rows. */
  deleteOld(): Promise<number>;
  /** Writes what is not written yet, if the database answers. Call after the sessions have ended. */
  close(): Promise<void>;
};

export type HostMemoryStoreDeps = { pool: Pick<pg.Pool, "query">; log: LogEvent };

const WRITE_AFTER_MS = 3000;
const MAX_PER_STATEMENT = 1000;

export async function openHostMemoryStore({ pool, log }: HostMemoryStoreDeps): Promise<HostMemoryStore> {
  const unwritten = new Map<string, HostMemoryEntry>();

  const write = async (): Promise<void> => {
    const batch = [...unwritten].slice(0, MAX_PER_STATEMENT);
    await pool.query({ ...WRITE, values: [JSON.stringify(batch.map(([, entry]) => entry))] });
    for (const [key, entry] of batch) if (unwritten.get(key) === entry) unwritten.delete(key);
  };
  const round = async () => {
    while (unwritten.size > 0) await write();
    return undefined;
  };

  const rounds = createRounds({ round, name: "host_memories", log });
  const { rows } = await pool.query<HostMemoryEntry>(READ_ALL);
  const hostMemories = new HostMemories(rows, (entry) => {
    unwritten.set(hostMemoryKey(entry), entry);
    rounds.wake(WRITE_AFTER_MS);
  });
  return {
    hostMemories,
    deleteOld: async () => (await pool.query(DELETE_OLD)).rowCount ?? 0,
    async close() {
      await rounds.close();
      await round().catch(() => {});
    },
  };
}

const READ_ALL = `
select identity, host, memory as stored from host_memories
 where memory is not null and changed_at > now() - interval '1 day'
 order by changed_at desc limit ${MAX_HOST_MEMORIES}`;

/** Rows in one order, so that processes cannot deadlock. */
const WRITE = {
  name: "write_host_memories",
  text: `
insert into host_memories (identity, host, memory)
select identity, host, stored
  from jsonb_to_recordset($1::jsonb) as changed (identity text, host text, stored jsonb) order by identity, host
on conflict (identity, host) do update set memory = excluded.memory, changed_at = now()`,
};

const DELETE_OLD = "delete from host_memories where changed_at < now() - interval '1 day'";
