/** Closes lanes without tasks: a claim looks into every lane of its line, so those of quiet endpoints would slow it down. */
import type pg from "pg";
import type { QueueName } from "./tasks.ts";
import { withIndexPlans } from "./with-index-plans.ts";

/** Returns how many. */
export function closeIdleLanes(pool: pg.Pool, line: QueueName): Promise<number> {
  return withIndexPlans(pool, async (client) => {
    const { rows } = await client.query<{ id: string }>({
      name: "lock-idle-lanes",
      text: LOCK_IDLE_LANES,
      values: [line, MAX_AT_ONCE],
    });
    if (rows.length === 0) return 0;
    // Looked at again now that they are locked: whoever added to one in between has committed.
    const { rowCount } = await client.query({
      name: "close-idle-lanes",
      text: CLOSE_IDLE_LANES,
      values: [rows.map(({ id }) => id)],
    });
    return rowCount ?? 0;
  });
}

const MAX_AT_ONCE = 1000;

const IS_IDLE = "(select t.id from tasks t where t.lane_id = l.id limit 1) is null";

const LOCK_IDLE_LANES = `
select l.id from lanes l where l.line = $1 and ${IS_IDLE} limit $2 for update skip locked`;

const CLOSE_IDLE_LANES = `
delete from lanes l where l.id = any($1::uuid[]) and ${IS_IDLE}`;
