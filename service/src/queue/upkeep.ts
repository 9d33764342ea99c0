/** Repairs what only a fault or an import can leave behind, and pg-boss's own upkeep. For hourly maintenance. */
import { sql } from "drizzle-orm";
import type pg from "pg";
import type { Orm } from "../db/database.ts";
import type { Boss } from "./boss.ts";
import type { Feed } from "./feed.ts";
import { QUEUE_NAMES } from "./schema.ts";

export async function keepUpQueues(deps: {
  pool: Pick<pg.Pool, "query">;
  boss: Boss;
  feed: Feed;
}): Promise<void> {
  const { pool, boss, feed } = deps;
  for (const queue of QUEUE_NAMES) await pool.query(RELEASE_WITHOUT_TURN, [queue]);
  await pool.query(DELETE_WITHOUT_GROUP);
  for (const queue of QUEUE_NAMES) await feed.rebase(queue);
  await boss.supervise(); // deletes old dead letters and turns, and rebuilds bloated indexes
  for (const queue of QUEUE_NAMES) await feed.recount(queue);
}

/** For jobs that have ended, under the lock of the job's row: only then no task is added to the group meanwhile. */
export async function closeIdleGroup(tx: Orm, groupId: string): Promise<void> {
  const hasTasks = sql`exists (select from tasks where group_id = ${groupId})`;
  await tx.execute(sql`delete from queue_groups where id = ${groupId} and not ${hasTasks}`);
}

/** Of a job whose results are erased. Tasks that are left are deleted with the next upkeep. */
export const DELETE_GROUP = "delete from queue_groups where id = $1";

/** After an import, which does not include pg-boss's tables: every task becomes due again. */
export const RESET_CLAIMS = [
  "update tasks set state = 'waiting', turn_id = null where state <> 'waiting'",
  "update queue_shares set turns = 0",
];

const DELETE_WITHOUT_GROUP = `
delete from tasks t where state <> 'taken' and not exists (select from queue_groups g where g.id = t.group_id)`;

const RELEASE_WITHOUT_TURN = `
update tasks t set state = 'waiting', turn_id = null
where t.queue = $1 and t.state = 'taken' and not exists (select from pgboss.job j where j.name = $1 and j.id = t.turn_id)`;
