/**
 * Releases claims whose process no longer sends heartbeats for them.
 *
 * The heartbeat is pg-boss's, on each claimed job. After an outage of the database every heartbeat is old, so a process
 * releases claims of others only when its own statements have succeeded for a full lease time.
 */
import type pg from "pg";
import type { LogEvent } from "../base/log-events.ts";
import { affectedBy, type Boss } from "./boss.ts";
import { QUEUE_NAMES } from "./schema.ts";
import type { QueueName } from "./task.ts";

/** "maintenance": periodic work (maintenance.ts). */
export type BossQueue = QueueName | "maintenance";

export type TurnTiming = {
  /** Between heartbeats of the tasks that run here. */
  heartbeatMs: number;
  /** Without a heartbeat for this long, the claim has expired. */
  leaseMs: number;
};

export const TURN_TIMING: TurnTiming = { heartbeatMs: 3000, leaseMs: 15_000 };

/** Returns how many were released. The next attempt counts as a retry in pg-boss. */
export async function releaseExpired(
  { pool, boss }: { pool: Pick<pg.Pool, "query">; boss: Boss },
  queue: BossQueue,
  leaseMs: number,
): Promise<number> {
  const { rows } = await pool.query<{ id: string; retryCount: number }>(EXPIRED, [queue, leaseMs]);
  if (rows.length === 0) return 0;
  return affectedBy(await boss.fail(queue, rows, { message: "heartbeat expired" }));
}

/** For the only process of an embedded database, before it claims anything: all claims are those of a dead one. */
export async function releaseAll(
  deps: { pool: Pick<pg.Pool, "query">; boss: Boss },
  log: LogEvent,
): Promise<void> {
  for (const queue of [...QUEUE_NAMES, "maintenance"] as const) {
    for (let count = 1; count > 0; ) {
      count = await releaseExpired(deps, queue, 0);
      if (count > 0) log("expired_tasks_released", { queue, count });
    }
  }
}

/** By pg-boss's index of active jobs with a group. */
const IS_EXPIRED = `state = 'active' and group_id is not null
  and heartbeat_on <= clock_timestamp() - $2::float8 * interval '1 millisecond'`;
const EXPIRED = `select id, retry_count as "retryCount" from pgboss.job where name = $1 and ${IS_EXPIRED} limit 1000`;
