/**
 * The processes that share this database, each with a lease that its heartbeat renews.
 *
 * The heartbeat has a connection of its own, so that a busy pool does not delay it. When a lease expires, any other
 * process removes the row and releases the host leases taken in its name. All times are the database's, because the clocks
 * of machines differ. Tasks have heartbeats of their own (expired-turns.ts).
 */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { asc } from "drizzle-orm";
import type pg from "pg";
import type { LogEvent } from "../base/log-events.ts";
import { type Database, inTransaction, isDatabaseUnavailable } from "../db/database.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { processes } from "./schema.ts";

export type ProcessRegistry = {
  /** Host leases are taken in this name. */
  readonly id: string;
  /** Registers this process and starts to watch the others. Before anything is claimed. */
  start(): Promise<void>;
  /** Releases at once what this process still has. */
  close(): Promise<void>;
  /** Registered processes, oldest first. */
  list(): Promise<ProcessInfo[]>;
};

export type ProcessInfo = typeof processes.$inferSelect;

export type ProcessRegistryDeps = {
  database: Database;
  role: ProcessInfo["role"];
  /** The embedded database has a single process: any other that is registered is dead. */
  isAlone: boolean;
  leases: ProcessLeases;
  log: LogEvent;
  timing?: ProcessTiming;
};

/** What processes hold. Implementation: pacing/lease-sql.ts. */
export type ProcessLeases = {
  releaseOf(client: pg.ClientBase, processId: string): Promise<void>;
  /** Of processes that are not registered. */
  releaseOfExpired(client: pg.ClientBase): Promise<void>;
};

export type ProcessTiming = {
  heartbeatMs: number;
  /** Without a heartbeat for this long, the lease has expired. */
  leaseMs: number;
};

const TIMING: ProcessTiming = { heartbeatMs: 3000, leaseMs: 15_000 };

export function createProcessRegistry({
  database,
  role,
  isAlone,
  leases,
  log,
  timing = TIMING,
}: ProcessRegistryDeps): ProcessRegistry {
  const { pool, orm, connection } = database;
  const { heartbeatMs, leaseMs } = timing;
  const maxGapMs = leaseMs / 2; // between two heartbeats of a process that may remove others
  const id = randomUUID();
  let steadySince: number | undefined;
  let lastBeatAt: number | undefined;
  let reaping: Promise<void> | undefined;
  let isRegistered = false;

  const heartbeat = createHeartbeat({
    connection,
    intervalMs: heartbeatMs,
    async send(client) {
      const values = [id, role, hostname(), process.pid];
      const { rows } = await client.query<Beat>({ name: "heartbeat", text: BEAT, values });
      const { at, is_new: isNew } = rows[0]!;
      if (isNew && isRegistered) log("own_lease_expired");
      isRegistered = true;
      // After an outage every heartbeat is old, so the others get a full lease time to renew theirs.
      const isSteady = lastBeatAt !== undefined && at >= lastBeatAt && at - lastBeatAt <= maxGapMs;
      if (!isSteady) steadySince = at;
      lastBeatAt = at;
      // Alone, there is no other process whose lease could expire: an idle service should not look for one.
      if (!isAlone && at - steadySince! >= leaseMs) reaping ??= reap().finally(() => (reaping = undefined));
    },
    log,
  });

  async function reap(): Promise<void> {
    try {
      await removeOthers(REMOVE_EXPIRED, [id, leaseMs, maxGapMs]);
    } catch (error) {
      if (isDatabaseUnavailable(error)) return; // the next heartbeat logs it
      log("process_cleanup_failed", { err: error });
    }
  }

  async function removeOthers(text: string, values: unknown[]): Promise<void> {
    const removed = await inTransaction(pool, async (client) => {
      const { rows } = await client.query<ProcessInfo>(text, values);
      await leases.releaseOfExpired(client);
      return rows;
    });
    for (const { role, host, pid } of removed) log("process_lease_expired", { role, host, pid });
  }

  return {
    id,

    async start() {
      await heartbeat.start();
      if (isAlone) await removeOthers(REMOVE_ALL_OTHERS, [id]);
    },

    async close() {
      await heartbeat.close();
      await reaping;
      try {
        await inTransaction(pool, async (client) => {
          await client.query("delete from processes where id = $1", [id]);
          await leases.releaseOf(client, id);
        });
      } catch (error) {
        log("process_unregister_failed", { err: error });
      }
    },

    list: () => orm.select().from(processes).orderBy(asc(processes.startedAt), asc(processes.id)),
  };
}

/** SQL condition: the process in this column is not registered. */
export const isUnregistered = (processId: string) =>
  `not exists (select from processes p where p.id = ${processId})`;

type Beat = { at: number; is_new: boolean };

/** xmax = 0: the row was inserted, not updated. */
const BEAT = `
insert into processes (id, role, host, pid, started_at, beat_at)
values ($1, $2, $3, $4, clock_timestamp(), clock_timestamp())
on conflict (id) do update set beat_at = clock_timestamp()
returning (extract(epoch from beat_at) * 1000)::float8 as at, xmax = 0 as is_new`;

/** Only by a process whose own heartbeat is recent: otherwise the database was unavailable. */
const REMOVE_EXPIRED = `
delete from processes
where id = any(array(
  select id from processes where beat_at < now() - $2::float8 * interval '1 millisecond' for update skip locked
))
and exists (
  select from processes where id = $1 and beat_at >= now() - $3::float8 * interval '1 millisecond'
)
returning role, host, pid`;

const REMOVE_ALL_OTHERS = "delete from processes where id <> $1 returning role, host, pid";
