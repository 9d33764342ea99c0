/**
 * The tasks of the queue: add, pause, complete, postpone.
 *
 * Tasks are grouped by job, webhook endpoint or account. They are claimed by turns of their account (feed.ts). A claim holds
 * until the task is completed or postponed in the transaction that saves the work, and only for the attempt that pg-boss
 * has given out, so each task is done exactly once.
 *
 * Lock order: a job's row is locked after the task of the same transaction. closeGroup, whose caller has the job's row,
 * therefore skips claimed tasks that are locked: their transaction finds the job ended. It holds the account's shares, so
 * that none of the others is claimed at the same time.
 */
import { and, eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import { PgTransaction } from "drizzle-orm/pg-core";
import type { Orm } from "../db/database.ts";
import { notify } from "../db/pubsub.ts";
import { affectedBy, type Boss, inside } from "./boss.ts";
import { FIRST_COST, unitsOf } from "./feed.ts";
import { QUEUE_NAMES, queueGroups, queueShares, tasks } from "./schema.ts";
import type { NewTask, QueueName, Task, TaskUpdate } from "./task.ts";

export type Tasks = {
  /** No effect if it is open. Called in the transaction that adds to it, unless it is known to be open. */
  openGroup(tx: Orm, group: { id: string; accountId: string }): Promise<void>;
  /** Workers are notified at commit. */
  add(tx: Orm, added: readonly NewTask[]): Promise<void>;
  /** No more claims from this group; claimed tasks continue. */
  pause(tx: Orm, groupId: string): Promise<void>;
  resume(tx: Orm, groupId: string): Promise<void>;
  /** Accounts whose rechecks are paused. */
  pausedAccounts(orm: Orm): Promise<string[]>;
  /** Makes a waiting task due now. False: there is none, or it is claimed. */
  expedite(tx: Orm, groupId: string, subject: string): Promise<boolean>;
  /** Deletes the group's tasks of a queue. A worker finds out as below. */
  clear(tx: Orm, groupId: string, queue: QueueName): Promise<void>;
  /** Deletes the group and its tasks. A worker that has claimed one finds out at complete, keep or postpone. */
  closeGroup(tx: Orm, groupId: string): Promise<void>;
  groupsOf(orm: Orm, accountId: string): Promise<string[]>;
  /** Whether any group of the account has a task with this subject. */
  has(orm: Orm, accountId: string, subject: string): Promise<boolean>;
  /**
   * After these groups of an account have been closed: deletes its turns and dead letters, and the tasks that were being
   * saved when their group was closed. Waits for transactions that still save one.
   */
  deleteRest(tx: Orm, accountId: string, groupIds: readonly string[]): Promise<void>;
  /** False: the claim is lost (heartbeat expired, group closed), so the caller's transaction must not commit. */
  complete(orm: Orm, task: Task): Promise<boolean>;
  /** Returns the task to the queue. False: the claim is lost, as above. */
  postpone(orm: Orm, task: Task, later: TaskUpdate): Promise<boolean>;
  /** Locks a claimed task until the transaction ends. False: the claim is lost, as above. */
  keep(tx: Orm, task: Task): Promise<boolean>;
  /** Whether another account, or another group of this one, should have the slot that a task has occupied for so long. */
  shouldYield(tx: Orm, task: Task, elapsedMs: number): Promise<boolean>;
  /** Calls back when this process adds or postpones a task to a later time, whether or not its transaction commits. */
  onDelayed(listener: (queue: QueueName, dueInMs: number) => void): void;
};

/** Notifies that a task may be due; the payload is the queue's name. */
export const TASKS_CHANNEL = "tasks";

export type TasksDeps = {
  boss: Boss;
  /** W3C traceparent of the current span (base/tracing.ts). */
  currentTrace?: (() => string | undefined) | undefined;
};

export function createTasks({ boss, currentTrace }: TasksDeps): Tasks {
  const listeners: ((queue: QueueName, dueInMs: number) => void)[] = [];
  const announce = (queue: QueueName, dueInMs: number) => {
    if (dueInMs > 0) for (const listener of listeners) listener(queue, dueInMs);
  };
  /** One waiting task that is due is enough: its account then gets turns for all that are ready. */
  const isFirst = sql`position = min(position) filter (where delay_ms <= 0) over (partition by group_id, queue)`;

  const endTurn = async (tx: Orm, { queue, turn }: Task) =>
    affectedBy(await boss.deleteJob(queue, turn, { db: inside(tx) })) === 1;

  return {
    async openGroup(tx, { id, accountId }) {
      await tx.insert(queueGroups).values({ id, accountId }).onConflictDoNothing();
    },

    async add(tx, added) {
      if (added.length === 0) return;
      const groupIds = sql.param(added.map((task) => task.groupId));
      const queues = sql.param(added.map((task) => task.queue));
      const subjects = sql.param(added.map((task) => task.subject));
      const delays = sql.param(added.map((task) => task.dueInMs ?? 0));
      await tx.execute(sql`
        insert into tasks (group_id, queue, subject, state, due_at, trace)
        select group_id, queue, subject, case when delay_ms <= 0 and not ${isFirst} then 'ready' else 'waiting' end,
          now() + delay_ms * interval '1 millisecond', ${currentTrace?.() ?? null}::text
        from unnest(${groupIds}::uuid[], ${queues}::text[], ${subjects}::text[], ${delays}::float8[])
          with ordinality as t (group_id, queue, subject, delay_ms, position)
        order by position`);
      for (const queue of new Set(added.map((task) => task.queue))) {
        const soonestMs = Math.min(
          ...added.flatMap((task) => (task.queue === queue ? (task.dueInMs ?? 0) : [])),
        );
        announce(queue, soonestMs);
        if (soonestMs <= 0) await notify(tx, TASKS_CHANNEL, queue);
      }
    },

    async pause(tx, groupId) {
      await tx.update(queueGroups).set({ isPaused: true }).where(eq(queueGroups.id, groupId));
    },

    async resume(tx, groupId) {
      await lockShares(tx, groupId); // feeding sees the change, or is over before tasks are made due here
      await tx.update(queueGroups).set({ isPaused: false }).where(eq(queueGroups.id, groupId));
      const { rows } = await tx.execute<{ queue: QueueName }>(sql`
        update tasks set state = 'waiting' where id in (
          select min(id) from tasks where group_id = ${groupId} and state = 'ready' group by queue
        ) returning queue`);
      for (const { queue } of rows) await notify(tx, TASKS_CHANNEL, queue);
    },

    async pausedAccounts(orm) {
      const isPausedAccount = and(eq(queueGroups.id, queueGroups.accountId), eq(queueGroups.isPaused, true));
      const rows = await orm.select({ id: queueGroups.id }).from(queueGroups).where(isPausedAccount);
      return rows.map(({ id }) => id);
    },

    async expedite(tx, groupId, subject) {
      const expedited = await tx
        .update(tasks)
        .set({ dueAt: sql`now()` })
        .where(and(eq(tasks.groupId, groupId), eq(tasks.subject, subject), ne(tasks.state, "taken")))
        .returning({ queue: tasks.queue });
      for (const { queue } of expedited) await notify(tx, TASKS_CHANNEL, queue);
      return expedited.length > 0;
    },

    async clear(tx, groupId, queue) {
      await lockShares(tx, groupId);
      await deleteUnlocked(tx, and(eq(tasks.groupId, groupId), eq(tasks.queue, queue))!);
    },

    async closeGroup(tx, groupId) {
      await lockShares(tx, groupId);
      await deleteUnlocked(tx, eq(tasks.groupId, groupId));
      await tx.delete(queueGroups).where(eq(queueGroups.id, groupId));
    },

    async groupsOf(orm, accountId) {
      const isOfAccount = eq(queueGroups.accountId, accountId);
      const rows = await orm.select({ id: queueGroups.id }).from(queueGroups).where(isOfAccount);
      return rows.map(({ id }) => id);
    },

    async has(orm, accountId, subject) {
      const found = await orm
        .select({ id: tasks.id })
        .from(tasks)
        .innerJoin(queueGroups, eq(queueGroups.id, tasks.groupId))
        .where(and(eq(queueGroups.accountId, accountId), eq(tasks.subject, subject)))
        .limit(1);
      return found.length > 0;
    },

    async deleteRest(tx, accountId, groupIds) {
      await tx.execute(sql`
        delete from pgboss.job where group_id = ${accountId}
          or (name = 'dead_letter' and data->>'accountId' = ${accountId})`);
      await tx.delete(tasks).where(inArray(tasks.groupId, groupIds));
    },

    complete: (orm, task) =>
      atomically(orm, async (tx) => {
        if (!(await endTurn(tx, task))) return false;
        const deleted = await tx.delete(tasks).where(isClaimed(task)).returning({ id: tasks.id });
        return deleted.length === 1;
      }),

    postpone: (orm, task, { dueInMs = 0, hasFailed = false }) =>
      atomically(orm, async (tx) => {
        if (!(await endTurn(tx, task))) return false;
        const postponed = await tx
          .update(tasks)
          .set({
            state: "waiting",
            turnId: null,
            dueAt: sql`now() + ${dueInMs}::float8 * interval '1 millisecond'`,
            failures: sql`${tasks.failures} + ${hasFailed ? 1 : 0}`,
          })
          .where(isClaimed(task))
          .returning({ id: tasks.id });
        announce(task.queue, dueInMs);
        return postponed.length === 1;
      }),

    async keep(tx, task) {
      if (affectedBy(await boss.touch(task.queue, task.turn, { db: inside(tx) })) !== 1) return false;
      const locked = await tx
        .select({ id: tasks.id })
        .from(tasks)
        .where(isClaimed(task))
        .for("no key update");
      return locked.length === 1;
    },

    async shouldYield(tx, { queue, groupId, accountId, turn }, elapsedMs) {
      const priority = -Math.round(turn.tag + unitsOf(elapsedMs));
      const { rows } = await tx.execute<{ is_waiting: boolean }>(sql`
        select exists (
          select from pgboss.job where name = ${queue} and state < 'active' and not blocked and state = 'created'
            and group_id <> ${accountId} and priority > ${priority}::int
        ) or exists (
          select from queue_groups g
          where g.account_id = ${accountId}::uuid and g.id <> ${groupId}::uuid and not g.is_paused
            and exists (select from tasks t where t.group_id = g.id and t.queue = ${queue} and t.state = 'ready')
            and not exists (select from tasks t where t.group_id = g.id and t.queue = ${queue} and t.state = 'taken')
        ) as is_waiting`);
      return rows[0]!.is_waiting;
    },

    onDelayed(listener) {
      listeners.push(listener);
    },
  };
}

/** Excludes claims and feeding for the group's account until the transaction ends. */
async function lockShares(tx: Orm, groupId: string): Promise<void> {
  await tx.execute(sql`
    insert into queue_shares (account_id, queue, mean_cost)
    select g.account_id, q.name, ${FIRST_COST}::float8
    from queue_groups g cross join unnest(${sql.param(QUEUE_NAMES)}::text[]) as q (name)
    where g.id = ${groupId} and exists (select from tasks t where t.group_id = g.id and t.queue = q.name)
    order by q.name on conflict do nothing`);
  await tx
    .select({ queue: queueShares.queue })
    .from(queueShares)
    .where(sql`${queueShares.accountId} = (select account_id from queue_groups where id = ${groupId})`)
    .orderBy(queueShares.queue)
    .for("no key update");
}

/** The caller has the account's shares. Claimed tasks are skipped while a transaction saves them. */
async function deleteUnlocked(tx: Orm, which: SQL): Promise<void> {
  await tx.delete(tasks).where(and(which, ne(tasks.state, "taken")));
  await tx.execute(sql`
    delete from tasks where id = any(array(select id from tasks where ${which} for update skip locked))`);
}

const isClaimed = ({ id, turn }: Task) => and(eq(tasks.id, id), eq(tasks.turnId, turn.id));

/** In the transaction that is given, otherwise in one of its own: a task never stays claimed without its turn. */
const atomically = <T>(orm: Orm, work: (tx: Orm) => Promise<T>): Promise<T> =>
  orm instanceof PgTransaction ? work(orm) : orm.transaction(work);
