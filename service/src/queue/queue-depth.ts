/** Number of waiting, due and running tasks per queue, as the operator's report groups them. */
import type { QueueLine } from "@mailvet/contract";
import type pg from "pg";

export type QueueDepth = Record<ReportedQueue, QueueLine>;
type ReportedQueue = "jobs" | "rechecks" | "webhooks";

export async function queueDepth(pool: Pick<pg.Pool, "query">): Promise<QueueDepth> {
  const { rows } = await pool.query<Row>(COUNT);
  const depth: QueueDepth = { jobs: EMPTY, rechecks: EMPTY, webhooks: EMPTY };
  for (const { reported, waiting, due, in_hand, oldest } of rows) {
    depth[reported] = { waiting, due, in_hand, oldest_due_at: oldest?.toISOString() ?? null };
  }
  return depth;
}

type Row = { reported: ReportedQueue; waiting: number; due: number; in_hand: number; oldest: Date | null };

const EMPTY: QueueLine = { waiting: 0, due: 0, in_hand: 0, oldest_due_at: null };

const IS_DUE = "state <> 'taken' and due_at <= now() and not is_paused";
const COUNT = `
select case queue when 'recheck' then 'rechecks' when 'delivery' then 'webhooks' else 'jobs' end as reported,
  count(*) filter (where state <> 'taken') as waiting,
  count(*) filter (where ${IS_DUE}) as due,
  count(*) filter (where state = 'taken') as in_hand,
  min(due_at) filter (where ${IS_DUE}) as oldest
from tasks join queue_groups on queue_groups.id = group_id
group by reported`;
