/**
 * Whose turn it is.
 *
 * The account with the fewest tasks in hand comes first, of several the one whose last turn is longest ago; of its lanes
 * the one with the fewest in hand, of several the one served longest ago; of its tasks the one due first. A claim waits
 * for nobody: what others are about to take is passed over.
 */
import type pg from "pg";
import type { QueueName, Task, TaskKind } from "./tasks.ts";
import { withIndexPlans } from "./with-index-plans.ts";

export type ClaimOptions = {
  line: QueueName;
  processId: string;
  /** At the most. */
  count: number;
  /** Undefined: any. */
  kinds: readonly TaskKind[] | undefined;
};

/** One after the other: each counts as in hand when the next is chosen. */
export function claimTasks(pool: pg.Pool, { line, processId, count, kinds }: ClaimOptions): Promise<Task[]> {
  return withIndexPlans(pool, async (client) => {
    const claimed: Task[] = [];
    while (claimed.length < count) {
      const { rows } = await client.query<Task>({
        name: "claim-task",
        text: CLAIM_TASK,
        values: [line, processId, kinds],
      });
      if (!rows[0]) break;
      claimed.push(rows[0]);
    }
    return claimed;
  });
}

/**
 * `chosen` walks down the ranking and stops at the first lane with a task that is due and free. Only that one is locked:
 * the walk is a loop of lookups, whatever the plan, as each depends on its lane.
 *
 * Lanes and turns that somebody else has locked are not marked: they are being served, or held, at this very moment.
 */
const CLAIM_TASK = `
with
held as materialized (select lane_id from tasks where process_id is not null),
in_hand as materialized (select lane_id, count(*) as tasks from held group by lane_id),
lane as materialized (
  select l.id, l.account_id, l.is_held, l.served_at, coalesce(h.tasks, 0) as tasks,
    sum(coalesce(h.tasks, 0)) over (partition by l.account_id) as account_tasks
  from lanes l left join in_hand h on h.lane_id = l.id
  where l.line = $1
),
ranked as materialized (
  select id, account_id from lane where not is_held
  order by account_tasks, (select served_at from turns t where t.account_id = lane.account_id and t.line = $1) nulls first,
    account_id, tasks, served_at, id
),
chosen as materialized (
  select task.id, ranked.id as lane_id, ranked.account_id
  from ranked cross join lateral (
    select t.id from tasks t
    where t.lane_id = ranked.id and t.process_id is null and t.due_at <= statement_timestamp()
      and ($3::text[] is null or t.kind = any($3))
    order by t.due_at limit 1
    for update skip locked
  ) task
  limit 1
),
turn_served as (
  update turns set served_at = clock_timestamp() where line = $1 and account_id = (
    select account_id from turns where account_id = (select account_id from chosen) and line = $1
    for no key update skip locked
  )
),
lane_served as (
  update lanes set served_at = clock_timestamp() where id = (
    select id from lanes where id = (select lane_id from chosen) for no key update skip locked
  )
)
update tasks set process_id = $2, taken_at = clock_timestamp() where id = (select id from chosen)
returning id, lane_id as "laneId", (select account_id from chosen) as "accountId", kind, subject, failures, losses,
  taken_at::text as "takenAt", (extract(epoch from taken_at - due_at) * 1000)::float8 as "overdueMs"`;
