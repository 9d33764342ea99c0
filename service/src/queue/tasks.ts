/**
 * The task queue on PostgreSQL: add, claim, complete, postpone.
 *
 * Tasks are grouped by job, webhook endpoint or account. A claim holds until the task is completed or postponed in the
 * transaction that saves the work, so each task is done exactly once. Tasks of a process whose lease has expired are
 * released (process-registry.ts). Claims are shared fairly (claim-tasks.ts).
 *
 * Lock order: claims and releases skip locked rows. A caller that changes the row a group belongs to (job, endpoint) in
 * the same transaction locks that row before complete, postpone or closeGroup.
 */
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database, Orm } from "../db/database.ts";
import { notify } from "../db/pubsub.ts";
import { claimTasks } from "./claim-tasks.ts";
import { closeIdleGroups } from "./idle-groups.ts";
import { releaseOrphaned } from "./release-tasks.ts";
import { lanes, tasks, turns } from "./schema.ts";
import type { NewTask, QueueName, Task, TaskKind, TaskUpdate } from "./task.ts";

export type Tasks = {
  /** No effect if it is open. Called in the transaction that adds to it, unless it is known to be open. */
  openGroup(tx: Orm, group: { id: string; accountId: string; queue: QueueName }): Promise<void>;
  /** Workers are notified at commit. */
  add(tx: Orm, added: readonly NewTask[]): Promise<void>;
  /** No more claims from this group; claimed tasks continue. */
  pause(tx: Orm, groupId: string): Promise<void>;
  resume(tx: Orm, groupId: string): Promise<void>;
  /** Makes a waiting task due now. False: there is none, or it is claimed. */
  expedite(tx: Orm, groupId: string, subject: string): Promise<boolean>;
  /** Deletes the group and its tasks. A worker that has claimed one finds out at complete or postpone. */
  closeGroup(tx: Orm, groupId: string): Promise<void>;
  /** Deletes groups without tasks, which would slow down claims; returns how many. */
  closeIdleGroups(queue: QueueName): Promise<number>;
  /** Up to `count` tasks in fair order, of these kinds only if given. */
  claim(queue: QueueName, processId: string, count: number, kinds?: readonly TaskKind[]): Promise<Task[]>;
  /** Locks a claimed task until the transaction ends. False: the claim is lost. */
  lockClaimed(tx: Orm, task: Task, processId: string): Promise<boolean>;
  /** Whether another group of the queue has a task due and none claimed. */
  isAnotherGroupWaiting(tx: Orm, queue: QueueName, groupId: string): Promise<boolean>;
  /** False: the claim is lost (lease expired, group closed), so the transaction must not commit. */
  complete(tx: Orm, task: Task, processId: string): Promise<boolean>;
  /** Returns the task to the queue. False: the claim is lost, as above. */
  postpone(tx: Orm, task: Task, processId: string, later: TaskUpdate): Promise<boolean>;
  /** Releases the tasks claimed by this process except those running, without counting a loss; returns how many. */
  releaseOrphaned(queue: QueueName, processId: string, running: readonly number[]): Promise<number>;
};

/** Notifies that a task may be due; the payload is the queue's name. */
export const TASKS_CHANNEL = "tasks";

/**
 * A new group counts as last served this long ago. It precedes groups served since, and bounds the time that an older
 * group waits behind any number of new ones.
 */
const HEAD_START = "1 minute";

export function createTasks({ database }: { database: Database }): Tasks {
  const { pool } = database;
  return {
    async openGroup(tx, { id, accountId, queue: line }) {
      await tx.insert(turns).values({ accountId, line }).onConflictDoNothing();
      const servedAt = sql`now() - ${HEAD_START}::interval`;
      for (;;) {
        await tx.insert(lanes).values({ id, accountId, line, servedAt }).onConflictDoNothing();
        // The lock keeps closeIdleGroups away until the task is added. If the group was just closed, the next round opens it.
        const locked = await tx.select({ id: lanes.id }).from(lanes).where(eq(lanes.id, id)).for("key share");
        if (locked.length === 1) return;
      }
    },

    async add(tx, added) {
      if (added.length === 0) return;
      const groupIds = sql.param(added.map((task) => task.groupId));
      const kinds = sql.param(added.map((task) => task.kind));
      const subjects = sql.param(added.map((task) => task.subject));
      const delays = sql.param(added.map((task) => task.dueInMs ?? 0));
      await tx.execute(sql`
        insert into tasks (lane_id, kind, subject, due_at)
        select lane_id, kind, subject, now() + delay_ms * interval '1 millisecond'
        from unnest(${groupIds}::uuid[], ${kinds}::text[], ${subjects}::text[], ${delays}::float8[])
          with ordinality as t (lane_id, kind, subject, delay_ms, position)
        order by position`);
      await tx.execute(sql`
        select pg_notify(${TASKS_CHANNEL}, line)
        from (select distinct line from lanes where id = any(${groupIds}::uuid[])) queues`);
    },

    async pause(tx, groupId) {
      await tx.update(lanes).set({ isHeld: true }).where(eq(lanes.id, groupId));
    },

    async resume(tx, groupId) {
      const [group] = await tx
        .update(lanes)
        .set({ isHeld: false })
        .where(eq(lanes.id, groupId))
        .returning({ queue: lanes.line });
      if (group) await notify(tx, TASKS_CHANNEL, group.queue);
    },

    async expedite(tx, groupId, subject) {
      const expedited = await tx
        .update(tasks)
        .set({ dueAt: sql`now()` })
        .where(and(eq(tasks.laneId, groupId), eq(tasks.subject, subject), isNull(tasks.processId)))
        .returning({ id: tasks.id });
      if (expedited.length === 0) return false;
      await tx.execute(
        sql`select pg_notify(${TASKS_CHANNEL}, ${lanes.line}) from ${lanes} where ${lanes.id} = ${groupId}`,
      );
      return true;
    },

    async closeGroup(tx, groupId) {
      // Tasks first: a claim locks a task and then its group, so the opposite order could deadlock.
      await tx.delete(tasks).where(eq(tasks.laneId, groupId));
      await tx.delete(lanes).where(eq(lanes.id, groupId)); // cascades to tasks added in between
    },

    closeIdleGroups: (queue) => closeIdleGroups(pool, queue),

    claim: (queue, processId, count, kinds) => claimTasks(pool, { queue, processId, count, kinds }),

    async lockClaimed(tx, task, processId) {
      const locked = await tx
        .select({ id: tasks.id })
        .from(tasks)
        .where(isClaimed(task, processId))
        .for("no key update");
      return locked.length === 1;
    },

    async isAnotherGroupWaiting(tx, queue, groupId) {
      const { rowCount } = await tx.execute(sql`
        select from lanes l
        where l.line = ${queue} and not l.is_held and l.id <> ${groupId}
          and l.id <> all(array(select lane_id from tasks where process_id is not null))
          and exists (select from tasks t where t.lane_id = l.id and t.process_id is null and t.due_at <= now())
        limit 1`);
      return rowCount !== 0;
    },

    async complete(tx, task, processId) {
      const deleted = await tx.delete(tasks).where(isClaimed(task, processId)).returning({ id: tasks.id });
      return deleted.length === 1;
    },

    async postpone(tx, task, processId, { dueInMs = 0, hasFailed = false }) {
      const failures = sql`${tasks.failures} + ${hasFailed ? 1 : 0}`;
      const dueAt = sql`now() + ${dueInMs}::float8 * interval '1 millisecond'`;
      const postponed = await tx
        .update(tasks)
        .set({ processId: null, takenAt: null, dueAt, failures })
        .where(isClaimed(task, processId))
        .returning({ id: tasks.id });
      return postponed.length === 1;
    },

    releaseOrphaned: (queue, processId, running) => releaseOrphaned(pool, queue, processId, running),
  };
}

/**
 * By this very claim. The same process may claim a task twice: after its lease expired, or after a postpone whose
 * confirmation was lost. Only one of the two claims may save anything.
 */
function isClaimed(task: Task, processId: string) {
  const isThisClaim = sql`${tasks.takenAt} = ${task.takenAt}::timestamptz`;
  return and(eq(tasks.id, task.id), eq(tasks.processId, processId), isThisClaim);
}
