/** Number of waiting, due and running tasks per queue. */
import type { QueueLine } from "@mailvet/contract";
import type pg from "pg";
import type { QueueName } from "./task.ts";

export type QueueDepth = Record<QueueName, QueueLine>;

export async function queueDepth(pool: Pick<pg.Pool, "query">): Promise<QueueDepth> {
  const { rows } = await pool.query<Row>(COUNT);
  const depth: QueueDepth = { jobs: EMPTY, rechecks: EMPTY, webhooks: EMPTY };
  for (const { line, waiting, due, in_hand, oldest } of rows) {
    depth[line] = { waiting, due, in_hand, oldest_due_at: oldest?.toISOString() ?? null };
  }
  return depth;
}

type Row = { line: QueueName; waiting: number; due: number; in_hand: number; oldest: Date | null };

const EMPTY: QueueLine = { waiting: 0, due: 0, in_hand: 0, oldest_due_at: null };

const IS_DUE = "process_id is null and due_at <= now() and not is_held";
const COUNT = `
select line,
  count(*) filter (where process_id is null) as waiting,
  count(*) filter (where ${IS_DUE}) as due,
  count(*) filter (where process_id is not null) as in_hand,
  min(due_at) filter (where ${IS_DUE}) as oldest
from tasks join lanes on lanes.id = lane_id
group by line`;
