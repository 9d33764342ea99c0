/** Deletes groups without tasks. A claim looks into every group of its queue, so idle webhook endpoints would slow it down. */
import type pg from "pg";
import type { QueueName } from "./task.ts";
import { withIndexPlans } from "./with-index-plans.ts";

/** Returns how many. */
export function closeIdleGroups(pool: pg.Pool, queue: QueueName): Promise<number> {
  return withIndexPlans(pool, async (client) => {
    const { rows } = await client.query<{ id: string }>({
      name: "lock-idle-groups",
      text: LOCK_IDLE_GROUPS,
      values: [queue, MAX_AT_ONCE],
    });
    if (rows.length === 0) return 0;
    // Checked again under the lock: a task added in between is committed by now.
    const { rowCount } = await client.query({
      name: "close-idle-groups",
      text: CLOSE_IDLE_GROUPS,
      values: [rows.map(({ id }) => id)],
    });
    return rowCount ?? 0;
  });
}

const MAX_AT_ONCE = 1000;

const IS_IDLE = "(select t.id from tasks t where t.lane_id = l.id limit 1) is null";

const LOCK_IDLE_GROUPS = `
select l.id from lanes l where l.line = $1 and ${IS_IDLE} limit $2 for update skip locked`;

const CLOSE_IDLE_GROUPS = `
delete from lanes l where l.id = any($1::uuid[]) and ${IS_IDLE}`;
