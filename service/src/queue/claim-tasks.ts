/**
 * Claims tasks, shared fairly between accounts.
 *
 * The account with the fewest running tasks comes first, then the one served longest ago. Within the account the same
 * order applies to its groups, within the group the task due first. A claim never blocks: locked rows are skipped.
 */
import type pg from "pg";
import type { QueueName, Task, TaskKind } from "./task.ts";
import { withIndexPlans } from "./with-index-plans.ts";

export type ClaimOptions = {
  queue: QueueName;
  processId: string;
  /** Maximum. */
  count: number;
  /** Undefined: any. */
  kinds: readonly TaskKind[] | undefined;
};

/** One statement per task, so that each claim counts as running when the next is chosen. */
export function claimTasks(pool: pg.Pool, { queue, processId, count, kinds }: ClaimOptions): Promise<Task[]> {
  return withIndexPlans(pool, async (client) => {
    const claimed: Task[] = [];
    while (claimed.length < count) {
      const { rows } = await client.query<Task>({
        name: "claim-task",
        text: CLAIM_TASK,
        values: [queue, processId, kinds],
      });
      if (!rows[0]) break;
      claimed.push(rows[0]);
    }
    return claimed;
  });
}

/**
 * `chosen` walks down the ranking and stops at the first group with a task that is due and unclaimed. Only that task is
 * locked: the lateral join forces a lookup per group, whatever the plan.
 *
 * Rows of `lanes` and `turns` that are locked keep their `served_at`: another process serves or pauses them now.
 */
const CLAIM_TASK = `
with
claimed as materialized (select lane_id from tasks where process_id is not null),
running as materialized (select lane_id, count(*) as tasks from claimed group by lane_id),
lane as materialized (
  select l.id, l.account_id, l.is_held, l.served_at, coalesce(r.tasks, 0) as tasks,
    sum(coalesce(r.tasks, 0)) over (partition by l.account_id) as account_tasks
  from lanes l left join running r on r.lane_id = l.id
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
returning id, lane_id as "groupId", (select account_id from chosen) as "accountId", kind, subject, failures, losses,
  taken_at::text as "takenAt", (extract(epoch from taken_at - due_at) * 1000)::float8 as "overdueMs"`;
