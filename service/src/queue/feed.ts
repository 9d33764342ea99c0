/**
 * Fair shares between accounts by start-time fair queueing, on pg-boss.
 *
 * A turn is a job of pg-boss that entitles its account to one task of a queue. It has a tag: the virtual time at which it
 * starts. pg-boss serves the lowest tag first, because the priority is the negative tag. Each turn advances its account's
 * virtual time by what a task of the account usually costs; when the task has run, the difference to the slot time that it
 * took is charged. An account that was idle starts at the virtual time of the queue, so it neither waits for others nor
 * profits from the past. A task may keep its slot for long because no other account waits; therefore an account is never more
 * than MAX_DEBT behind what its turns that wait cost, and MAX_COST is the most that a turn costs. Which task a turn serves is
 * decided when it is claimed: of the account's groups, that with the fewest running tasks.
 *
 * At most MAX_TURNS turns of an account wait, so a claim costs the same with any number of accounts and tasks.
 *
 * Lock order: the feed, shared by all but `rebase`; turns without waiting (skip locked), then shares in the order of
 * accounts, then tasks. Tasks become ready and taken only under the lock of their account's share.
 */
import type pg from "pg";
import { inTransaction } from "../db/database.ts";
import { type Boss, onClient } from "./boss.ts";
import type { QueueName, Task, Turn } from "./task.ts";

export type Feed = {
  /** Up to `count` tasks in fair order. `charges` have run in this process since the last call. */
  claim(queue: QueueName, count: number, charges?: readonly Charge[]): Promise<Claim>;
  /** Makes tasks ready that are due, and gives their accounts turns. Returns whether more may be due. */
  feedDue(queue: QueueName): Promise<boolean>;
  /** Keeps tags within the range of pg-boss's priority. For maintenance. */
  rebase(queue: QueueName): Promise<void>;
  /** Counts the turns of accounts whose count is wrong, and gives turns to those that have none for their tasks. */
  recount(queue: QueueName): Promise<void>;
};

export type Claim = {
  tasks: Task[];
  /** Whether no turn was left. */
  isDrained: boolean;
};

/** The difference between the slot time that a task took and what its turn was charged. */
export type Charge = { accountId: string; cost: number; actual: number };

/** Per account and queue. */
export const MAX_TURNS = 32;
/** Virtual time is counted in tenths of a second of slot time. */
const UNITS_PER_MS = 0.01;
/** Of an account without history: a second. */
export const FIRST_COST = 10;
const LEAST_COST = 1;
/** Ten seconds. */
const MAX_COST = 100;
/** Half a minute of one slot. */
const MAX_DEBT = 300;
/** Weight of the last task in the mean. */
const LEARNING_RATE = 0.2;
const MAX_DUE_AT_ONCE = 2000;
/** Advisory lock: claims and feeding share it, `rebase` excludes them. */
const FEED_LOCK = 5_406_117;
/** pg-boss's priority is a 32-bit integer. */
const REBASE_ABOVE = 1_000_000_000;

export const unitsOf = (elapsedMs: number) => Math.max(LEAST_COST, elapsedMs * UNITS_PER_MS);

export function createFeed({ pool, boss }: { pool: pg.Pool; boss: Boss }): Feed {
  return {
    claim: (queue, count, charges = []) =>
      withIndexPlans(pool, async (client) => {
        const fetched = await boss.fetch<TurnData>(queue, {
          batchSize: count,
          includeMetadata: true,
          db: onClient(client),
        });
        const turns = fetched.map(({ id, retryCount, priority, groupId, data }) => ({
          accountId: groupId!,
          turn: { id, retryCount, tag: -priority, cost: data.cost },
        }));
        const accountIds = [...new Set([...turns, ...charges].map(({ accountId }) => accountId))].sort();
        const tasks = accountIds.length > 0 ? await serve(client, queue, accountIds, turns, charges) : [];
        return { tasks, isDrained: turns.length < count };
      }),

    feedDue: async (queue) => {
      const { rowCount: due } = await pool.query({ name: "any-task-due", text: ANY_DUE, values: [queue] });
      if (due === 0) return false;
      return withIndexPlans(pool, async (client) => {
        const { rows } = await client.query<DueAccount>(DUE_ACCOUNTS, [queue, MAX_DUE_AT_ONCE]);
        const accountIds = rows.flatMap(({ account_id: id }) => id ?? []);
        if (accountIds.length > 0) {
          await client.query(ADD_SHARES, [accountIds, queue, FIRST_COST]);
          await client.query(lockShares(queue), [accountIds, queue]);
        }
        const { rowCount } = await client.query(MAKE_READY, [queue, MAX_DUE_AT_ONCE, accountIds]);
        if (accountIds.length > 0) await serve(client, queue, accountIds, [], []);
        return rowCount === MAX_DUE_AT_ONCE;
      });
    },

    rebase: async (queue) => {
      const head = async (client: Pick<pg.ClientBase, "query">) => {
        const { rows } = await client.query<{ at: number }>(`select ${headOf(queue)} as at`);
        return Math.floor(rows[0]!.at);
      };
      if ((await head(pool)) < REBASE_ABOVE) return;
      await inTransaction(
        pool,
        async (client) => {
          const at = await head(client);
          if (at < REBASE_ABOVE) return; // another process has done it
          await client.query("update pgboss.job set priority = priority + $2 where name = $1", [queue, at]);
          await client.query(
            "update queue_shares set virtual_time = greatest(0, virtual_time - $2) where queue = $1",
            [queue, at],
          );
        },
        `select pg_advisory_xact_lock(${FEED_LOCK})`,
      );
    },

    recount: async (queue) => {
      const { rows } = await pool.query<{ account_id: string }>(MISCOUNTED, [queue]);
      if (rows.length === 0) return;
      const accountIds = rows.map(({ account_id: id }) => id);
      await withIndexPlans(pool, async (client) => {
        await client.query(ADD_SHARES, [accountIds, queue, FIRST_COST]);
        await client.query(lockShares(queue), [accountIds, queue]);
        await client.query(COUNT_TURNS, [accountIds, queue]);
        await serve(client, queue, accountIds, [], []);
      });
    },
  };

  /** Assigns tasks to claimed turns, charges, and adds turns, all under the lock of the accounts' shares. */
  async function serve(
    client: pg.ClientBase,
    queue: QueueName,
    accountIds: readonly string[],
    claimed: readonly ClaimedTurn[],
    charges: readonly Charge[],
  ): Promise<Task[]> {
    const { rows: shares } = await client.query<Share>({
      name: `lock-shares-${queue}`,
      text: lockShares(queue),
      values: [accountIds, queue],
    });
    const fresh = claimed.filter(({ turn }) => turn.retryCount === 0);
    const values = [
      accountIds,
      queue,
      fresh.map(({ turn }) => turn.id),
      fresh.map(({ accountId }) => accountId),
      claimed.flatMap(({ turn }) => (turn.retryCount > 0 ? turn.id : [])),
    ];
    const { rows } = await client.query<Assignment>({ name: "assign-tasks", text: ASSIGN, values });
    const tasks = rows.flatMap(({ task }) => task ?? []);
    const byTurn = new Map(tasks.map((task) => [task.turnId, task]));
    const served = claimed.flatMap(({ accountId, turn }) => {
      const task = byTurn.get(turn.id);
      return task ? { ...task, queue, accountId, turn } : [];
    });
    const unused = claimed.filter(({ turn }) => !byTurn.has(turn.id));
    if (unused.length > 0) {
      const ids = unused.map(({ turn }) => turn.id);
      await boss.deleteJob(queue, ids, { db: onClient(client) });
    }
    const added: NewTurn[] = [];
    for (const share of shares) {
      const isOwn = ({ accountId }: { accountId: string }) => accountId === share.accountId;
      for (const { cost, actual } of charges.filter(isOwn)) {
        share.virtualTime += actual - cost;
        share.meanCost += (Math.min(actual, MAX_COST) - share.meanCost) * LEARNING_RATE;
      }
      for (const { turn } of unused.filter(isOwn)) share.virtualTime -= turn.cost;
      share.turns -= fresh.filter(isOwn).length;
      const ready = rows.find(({ accountId }) => accountId === share.accountId)?.ready ?? 0;
      const cost = Math.min(Math.max(LEAST_COST, share.meanCost), MAX_COST);
      share.virtualTime = Math.min(share.virtualTime, share.head + share.turns * cost + MAX_DEBT);
      if (share.turns < Math.min(ready, MAX_TURNS))
        share.virtualTime = Math.max(share.virtualTime, share.head);
      for (; share.turns < Math.min(ready, MAX_TURNS); share.turns++) {
        const priority = -Math.round(share.virtualTime);
        added.push({ priority, data: { cost }, group: { id: share.accountId } });
        share.virtualTime += cost;
      }
    }
    if (added.length > 0) await boss.insert(queue, added, { db: onClient(client) });
    const updated = [
      queue,
      shares.map(({ accountId }) => accountId),
      shares.map(({ virtualTime }) => Math.max(0, virtualTime)),
      shares.map(({ meanCost }) => meanCost),
      shares.map(({ turns }) => Math.max(0, turns)),
    ];
    await client.query({ name: "update-shares", text: UPDATE_SHARES, values: updated });
    return served;
  }
}

/**
 * Statements use index scans, whatever the table statistics say, and are planned once per connection: the tables grow from
 * empty to many thousand rows within a minute, and a plan made while they were empty would scan them.
 */
function withIndexPlans<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return inTransaction(pool, work, INDEX_PLANS);
}

const INDEX_PLANS = `set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_hashjoin = off;
  set local enable_mergejoin = off; set local plan_cache_mode = force_generic_plan; set local jit = off;
  select pg_advisory_xact_lock_shared(${FEED_LOCK})`;

type TurnData = { cost: number };
type NewTurn = { priority: number; data: TurnData; group: { id: string } };
type ClaimedTurn = { accountId: string; turn: Turn };
type Share = {
  accountId: string;
  virtualTime: number;
  meanCost: number;
  turns: number;
  /** Virtual time of the queue. */
  head: number;
};
type AssignedTask = Pick<Task, "id" | "groupId" | "subject" | "failures" | "overdueMs" | "trace"> & {
  turnId: string;
};
/** One row per account with the number of its tasks that are still ready, capped; one row per assigned task. */
type Assignment = { accountId: string | null; ready: number | null; task: AssignedTask | null };

/** The tag of the next turn; when no turn waits, the end of the service given so far. Turns of dead processes are old. */
const headOf = (queue: QueueName) => `coalesce(
  (select -j.priority from pgboss.job j
   where j.name = '${queue}' and j.state < 'active' and not j.blocked and j.state = 'created'
   order by j.priority desc, j.created_on limit 1),
  (select s.virtual_time from queue_shares s where s.queue = '${queue}' order by s.virtual_time desc limit 1),
  0)::float8`;

/** A statement of its own: the next one sees what others committed before the lock was granted. */
const lockShares = (queue: QueueName) => `
select account_id as "accountId", virtual_time as "virtualTime", mean_cost as "meanCost", turns, ${headOf(queue)} as head
from queue_shares where account_id = any($1::uuid[]) and queue = $2
order by account_id for no key update`;

const ASSIGN = `
with
fresh as (
  select turn_id, account_id, row_number() over (partition by account_id order by position) as place
  from unnest($3::uuid[], $4::uuid[]) with ordinality as t (turn_id, account_id, position)
),
account as (
  select a.id, (select count(*) from fresh f where f.account_id = a.id) as turns from unnest($1::uuid[]) as a (id)
),
ready as materialized (
  select account.id as account_id, t.id,
    row_number() over (partition by account.id order by t.rank, t.due_at, t.id) as place
  from account
  join queue_groups g on g.account_id = account.id and not g.is_paused
  cross join lateral (
    select id, due_at, running.tasks + row_number() over (order by due_at, id) as rank
    from (
      select id, due_at from tasks where group_id = g.id and queue = $2 and state = 'ready'
      order by due_at, id limit account.turns + ${MAX_TURNS}
    ) first, (
      select count(*) as tasks from tasks where group_id = g.id and queue = $2 and state = 'taken'
    ) running
  ) t
),
assigned as (
  update tasks t set state = 'taken', turn_id = fresh.turn_id
  from ready join fresh using (account_id, place)
  where t.id = ready.id and t.state = 'ready'
  returning t.*
),
earlier as (select t.* from tasks t where t.turn_id = any($5::uuid[]))
select account.id as "accountId", greatest(0, count(ready.id) - account.turns)::int as ready, null::json as task
from account left join ready on ready.account_id = account.id group by account.id, account.turns
union all
select null, null, json_build_object(
  'id', id, 'groupId', group_id, 'subject', subject, 'failures', failures, 'turnId', turn_id, 'trace', trace,
  'overdueMs', extract(epoch from clock_timestamp() - due_at) * 1000)
from (select * from assigned union all select * from earlier) task`;

const UPDATE_SHARES = `
update queue_shares s set virtual_time = new.virtual_time, mean_cost = new.mean_cost, turns = new.turns
from unnest($2::uuid[], $3::float8[], $4::float8[], $5::int[]) as new (account_id, virtual_time, mean_cost, turns)
where s.account_id = new.account_id and s.queue = $1`;

const ANY_DUE = `
select from tasks where queue = $1 and state = 'waiting' and due_at <= clock_timestamp() limit 1`;

/** Null for tasks whose group is gone. */
type DueAccount = { account_id: string | null };

const DUE_ACCOUNTS = `
select distinct g.account_id from (
  select group_id from tasks where queue = $1 and state = 'waiting' and due_at <= clock_timestamp()
  order by due_at limit $2
) due left join queue_groups g on g.id = due.group_id
order by g.account_id`;

/** Of the accounts whose shares are locked. */
const MAKE_READY = `
update tasks set state = 'ready' where id = any(array(
  select t.id from tasks t left join queue_groups g on g.id = t.group_id
  where t.queue = $1 and t.state = 'waiting' and t.due_at <= clock_timestamp()
    and (g.id is null or g.account_id = any($3::uuid[]))
  order by t.due_at limit $2 for update of t skip locked
))`;

/** Seen without locks; counted under the lock of the shares. */
const MISCOUNTED = `
select s.account_id from queue_shares s
left join (
  select group_id, count(*) as turns from pgboss.job where name = $1 and state = 'created' group by group_id
) j on j.group_id = s.account_id::text
where s.queue = $1 and s.turns <> coalesce(j.turns, 0)
union
select g.account_id from queue_groups g
where not g.is_paused
  and exists (select from tasks t where t.group_id = g.id and t.queue = $1 and t.state = 'ready')
  and not exists (select from queue_shares s where s.account_id = g.account_id and s.queue = $1 and s.turns > 0)
order by account_id limit ${MAX_DUE_AT_ONCE}`;

/** Released turns were counted when they were claimed. */
const COUNT_TURNS = `
with counted as materialized (
  select group_id, count(*) as turns from pgboss.job
  where name = $2 and state < 'active' and not blocked and state = 'created' and group_id = any($1::text[])
  group by group_id
)
update queue_shares s set turns = coalesce((select turns from counted where group_id = s.account_id::text), 0)
where s.account_id = any($1::text[]::uuid[]) and s.queue = $2`;

const ADD_SHARES = `
insert into queue_shares (account_id, queue, mean_cost) select account_id, $2, $3 from unnest($1::uuid[]) as a (account_id)
on conflict do nothing`;
