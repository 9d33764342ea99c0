/**
 * Installs the schema of pg-boss and its queues, under the lock of our own migrations and before them.
 *
 * A release that comes with another schema version of pg-boss also has a migration of its own, so that older releases
 * refuse the database (migrate.ts).
 */

import type pg from "pg";
import type { Queue } from "pg-boss";

/** Of the pinned version of pg-boss; a test compares it with the package. */
export const PG_BOSS_SCHEMA_VERSION = 43;

const HOURS = 3600;
const DAYS = 24 * HOURS;

/** Heartbeats replace the time limit of an attempt: a slice may take twenty minutes. */
const TURNS = {
  expireInSeconds: 23 * HOURS,
  heartbeatSeconds: 15,
  retryLimit: 1000,
  retentionSeconds: 365 * DAYS,
};

export const PG_BOSS_QUEUES: readonly Queue[] = [
  { name: "plan", ...TURNS },
  { name: "slice", ...TURNS, partition: true },
  { name: "action", ...TURNS },
  { name: "recheck", ...TURNS },
  { name: "delivery", ...TURNS },
  { name: "dead_letter", retentionSeconds: 30 * DAYS, retryLimit: 0 },
  {
    name: "maintenance",
    policy: "singleton",
    heartbeatSeconds: 10,
    retryLimit: 0,
    deleteAfterSeconds: HOURS,
  },
];

/** Does nothing if schema and queues are there. What an interrupted start has left out is completed by the next. */
export async function installPgBoss(client: pg.Client): Promise<void> {
  const version = await installedVersion(client);
  const existing = version === PG_BOSS_SCHEMA_VERSION ? await installedQueues(client) : new Set<string>();
  if (PG_BOSS_QUEUES.every(({ name }) => existing.has(name))) return;
  const boss = await import("pg-boss"); // only here: it takes a tenth of a second to load
  if (version === undefined) await client.query(boss.getConstructionPlans("pgboss"));
  else if (version !== PG_BOSS_SCHEMA_VERSION) await client.query(boss.getMigrationPlans("pgboss", version));
  const queues = new boss.PgBoss({
    db: { executeSql: (text, values) => client.query(text, values as unknown[]) },
  });
  for (const { name, ...options } of PG_BOSS_QUEUES) {
    if (!existing.has(name)) await queues.createQueue(name, options);
  }
}

async function installedQueues(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>("select name from pgboss.queue");
  return new Set(rows.map(({ name }) => name));
}

/** Undefined: not installed. */
async function installedVersion(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ installed: string | null }>(
    "select to_regclass('pgboss.version')::text as installed",
  );
  if (rows[0]?.installed == null) return undefined;
  return (await client.query<{ version: number }>("select version from pgboss.version")).rows[0]?.version;
}
