/**
 * pg-boss on the service's own connections, and the queues that it has.
 *
 * Its schema is installed with the migrations (db/pg-boss-schema.ts). docs/decisions/0017-queue-on-pg-boss.md says which
 * parts of it are used, and why.
 */
import { sql } from "drizzle-orm";
import type pg from "pg";
import { type CommandResponse, type Db, fromDrizzle, PgBoss } from "pg-boss";
import type { Orm } from "../db/database.ts";

export type Boss = PgBoss;

/** Nothing runs in it before `start`, which only maintenance.ts needs, for cron. */
export function openBoss(pool: Pick<pg.Pool, "query">): Boss {
  return new PgBoss({
    db: onClient(pool),
    migrate: false, // db/pg-boss-schema.ts does it
    supervise: false, // expired-turns.ts finds expired heartbeats, upkeep.ts does the rest
    cronMonitorIntervalSeconds: 30,
    cronWorkerIntervalSeconds: 30,
    queueCacheIntervalSeconds: 3600,
  });
}

/** For the `db` option: part of a Drizzle transaction. */
export function inside(tx: Pick<Orm, "execute">): Db {
  return fromDrizzle(tx as Parameters<typeof fromDrizzle>[0], sql);
}

/** For the `db` option: on a connection. */
export function onClient(client: Pick<pg.Pool, "query"> | Pick<pg.ClientBase, "query">): Db {
  return { executeSql: (text, values) => client.query(text, values as unknown[]) };
}

/** How many jobs a command has changed. Its type is declared without members. */
export function affectedBy(response: CommandResponse): number {
  return (response as { affected: number }).affected;
}
