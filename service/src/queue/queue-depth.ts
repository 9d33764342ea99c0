/** Number of waiting, due and running tasks and of dead letters per queue, for the operator's report and the metrics. */
import type { QueueLine } from "@mailvet/contract";
import type pg from "pg";
import type { QueueName } from "./task.ts";

export type QueueDepth = Record<ReportedQueue, QueueLine>;
type ReportedQueue = "jobs" | "rechecks" | "webhooks";

/** As the operator's report groups them. */
export async function queueDepth(pool: Pick<pg.Pool, "query">): Promise<QueueDepth> {
  const depth: QueueDepth = { jobs: { ...EMPTY }, rechecks: { ...EMPTY }, webhooks: { ...EMPTY } };
  for (const { queue, waiting, due, running, oldestDueAt } of await countTasks(pool)) {
    const line = depth[REPORTED[queue]];
    line.waiting += waiting;
    line.due += due;
    line.in_hand += running;
    const oldest = oldestDueAt?.toISOString() ?? null;
    if (oldest !== null && (line.oldest_due_at === null || oldest < line.oldest_due_at))
      line.oldest_due_at = oldest;
  }
  return depth;
}

export type QueueCounts = {
  queue: QueueName;
  /** Not running: delayed, due or paused. */
  waiting: number;
  due: number;
  /** Of a paused group. */
  paused: number;
  running: number;
  oldestDueAt: Date | null;
  /** By the database's clock; 0 if none is due. */
  oldestDueSeconds: number;
  deadLetters: number;
};

/** A row for every queue. Takes about as long with a million tasks as with 20,000. */
export async function countTasks(pool: Pick<pg.Pool, "query">): Promise<QueueCounts[]> {
  const { rows } = await pool.query<QueueCounts>(COUNT);
  return rows;
}

const EMPTY: QueueLine = { waiting: 0, due: 0, in_hand: 0, oldest_due_at: null };

const REPORTED: Readonly<Record<QueueName, ReportedQueue>> = {
  plan: "jobs",
  slice: "jobs",
  action: "jobs",
  recheck: "rechecks",
  delivery: "webhooks",
};

/** A table of more pages is sampled: exact up to about 20,000 tasks, an estimate above (mostly within 10 %). */
const SAMPLED_BYTES = 256 * 8192;
/** Share of the pages that are read, in per cent. */
const SHARE = `least(100, 100.0 * ${SAMPLED_BYTES} / greatest(pg_relation_size('tasks'), 1))`;
const estimated = (count: string) => `round(coalesce(${count}, 0) * 100 / ${SHARE})::int`;

const IS_DUE = "state <> 'taken' and due_at <= now() and not is_paused";
/** Running tasks are few, and have an index. */
const COUNT = `
with task as (
  select queue, count(*) filter (where state <> 'taken') as waiting, count(*) filter (where ${IS_DUE}) as due,
    count(*) filter (where state <> 'taken' and is_paused) as paused, min(due_at) filter (where ${IS_DUE}) as oldest
  from tasks tablesample system (${SHARE}) join queue_groups on queue_groups.id = group_id
  group by queue
),
taken as (
  select queue, count(*) as running from tasks where turn_id is not null group by queue
),
letter as (
  select data->>'queue' as queue, count(*) as letters from pgboss.job where name = 'dead_letter' group by 1
)
select q.queue, ${estimated("waiting")} as waiting, ${estimated("due")} as due, ${estimated("paused")} as paused,
  coalesce(running, 0) as running, oldest as "oldestDueAt",
  coalesce(extract(epoch from now() - oldest), 0)::float8 as "oldestDueSeconds", coalesce(letters, 0) as "deadLetters"
from unnest(array['${Object.keys(REPORTED).join("','")}']) as q (queue)
left join task using (queue) left join taken using (queue) left join letter using (queue)`;
