/**
 * The tasks that wait for a worker, and whose turn it is.
 *
 * A task waits in the lane of its job or webhook endpoint. Whoever claims one has it until it is completed or postponed,
 * in the same transaction that saves the work, so a task is done exactly once. What a dead process had goes back
 * (process-registry.ts). Turns go round between accounts first, then between the lanes of each (claim-tasks.ts).
 *
 * Claims, and what is given back, wait for nobody. Callers may wait for one another: whoever changes the row that a lane
 * belongs to (the job, the endpoint) in the same transaction locks that row first, before complete, postpone or closeLane.
 */
import { and, eq, sql } from "drizzle-orm";
import type { Database, Orm } from "../db/database.ts";
import { notify } from "../db/pubsub.ts";
import { claimTasks } from "./claim-tasks.ts";
import { closeIdleLanes } from "./idle-lanes.ts";
import { releaseOrphaned } from "./release-tasks.ts";
import { lanes, tasks, turns } from "./schema.ts";

export type QueueName = (typeof lanes.$inferSelect)["line"];
export type TaskKind = (typeof tasks.$inferSelect)["kind"];

export type Task = {
  id: number;
  laneId: string;
  accountId: string;
  kind: TaskKind;
  /** What of the lane it is about: the slice's number, the delivery's id. */
  subject: string;
  /** How often its handler threw. */
  failures: number;
  /** How often the process that had it died. */
  losses: number;
  /** To the microsecond, as the database writes it: tells this turn from any other that we may have had with it. */
  takenAt: string;
  /** How long it could have been done and was not, as everybody was busy or its lane held. */
  overdueMs: number;
};

export type NewTask = Due & { laneId: string; kind: TaskKind; subject: string };

export type Due = {
  /**
   * When it is to be done, so long from now; at once when it is not said. By the database's clock, as no two machines
   * agree about the time, and it says whose turn it is.
   */
  dueInMs?: number;
};

export type Tasks = {
  /** Changes nothing if it is there. In the transaction that adds to it, unless it is sure to be there. */
  openLane(tx: Orm, lane: { id: string; accountId: string; line: QueueName }): Promise<void>;
  /** Workers hear of it at commit. */
  add(tx: Orm, added: readonly NewTask[]): Promise<void>;
  /** Its tasks stay where they are; those in hand go on. */
  hold(tx: Orm, laneId: string): Promise<void>;
  letGo(tx: Orm, laneId: string): Promise<void>;
  /** With all its tasks. Whoever has one in hand finds out when it is to be completed. */
  closeLane(tx: Orm, laneId: string): Promise<void>;
  /** Those without a task, as they only get in the way; returns how many. */
  closeIdleLanes(line: QueueName): Promise<number>;
  /** Up to this many, each in its turn; only of these kinds, if they are said. */
  claim(line: QueueName, processId: string, count: number, kinds?: readonly TaskKind[]): Promise<Task[]>;
  /** False: it is no longer ours (we were taken for dead, or the lane is closed), so the transaction must not commit. */
  complete(tx: Orm, task: Task, processId: string): Promise<boolean>;
  /** The same task later, back in its lane. False: it is no longer ours, as above. */
  postpone(tx: Orm, task: Task, processId: string, later: TaskUpdate): Promise<boolean>;
  /** Everything in this process's name goes back but for these tasks, at once and without a mark; returns how many. */
  giveBack(line: QueueName, processId: string, kept: readonly number[]): Promise<number>;
};

export type TaskUpdate = Due & {
  /** Its handler threw. */
  hasFailed?: boolean;
};

/** Notices that something may be due; the payload is the line. */
export const TASKS_WAIT = "tasks";

/**
 * A new lane counts as served this long ago: it comes before those that have had their turn since, but however many new
 * ones follow, an old one waits no longer than this for its own.
 */
const HEAD_START = "1 minute";

export function createTasks({ database }: { database: Database }): Tasks {
  const { pool } = database;
  return {
    async openLane(tx, { id, accountId, line }) {
      await tx.insert(turns).values({ accountId, line }).onConflictDoNothing();
      const servedAt = sql`now() - ${HEAD_START}::interval`;
      for (;;) {
        await tx.insert(lanes).values({ id, accountId, line, servedAt }).onConflictDoNothing();
        // Held on to, it cannot be closed as idle before it gets its task. If it just was, the next try opens it.
        const held = await tx.select({ id: lanes.id }).from(lanes).where(eq(lanes.id, id)).for("key share");
        if (held.length === 1) return;
      }
    },

    async add(tx, added) {
      if (added.length === 0) return;
      const laneIds = sql.param(added.map((task) => task.laneId));
      const kinds = sql.param(added.map((task) => task.kind));
      const subjects = sql.param(added.map((task) => task.subject));
      const delays = sql.param(added.map((task) => task.dueInMs ?? 0));
      await tx.execute(sql`
        insert into tasks (lane_id, kind, subject, due_at)
        select lane_id, kind, subject, now() + delay_ms * interval '1 millisecond'
        from unnest(${laneIds}::uuid[], ${kinds}::text[], ${subjects}::text[], ${delays}::float8[])
          with ordinality as t (lane_id, kind, subject, delay_ms, place)
        order by place`);
      await tx.execute(sql`
        select pg_notify(${TASKS_WAIT}, line)
        from (select distinct line from lanes where id = any(${laneIds}::uuid[])) heard`);
    },

    async hold(tx, laneId) {
      await tx.update(lanes).set({ isHeld: true }).where(eq(lanes.id, laneId));
    },

    async letGo(tx, laneId) {
      const [lane] = await tx
        .update(lanes)
        .set({ isHeld: false })
        .where(eq(lanes.id, laneId))
        .returning({ line: lanes.line });
      if (lane) await notify(tx, TASKS_WAIT, lane.line);
    },

    async closeLane(tx, laneId) {
      // The tasks first: a claim touches a task and then its lane, and the two must not meet head-on.
      await tx.delete(tasks).where(eq(tasks.laneId, laneId));
      await tx.delete(lanes).where(eq(lanes.id, laneId)); // and with it what was added meanwhile
    },

    closeIdleLanes: (line) => closeIdleLanes(pool, line),

    claim: (line, processId, count, kinds) => claimTasks(pool, { line, processId, count, kinds }),

    async complete(tx, task, processId) {
      const gone = await tx.delete(tasks).where(isOurs(task, processId)).returning({ id: tasks.id });
      return gone.length === 1;
    },

    async postpone(tx, task, processId, { dueInMs = 0, hasFailed = false }) {
      const failures = sql`${tasks.failures} + ${hasFailed ? 1 : 0}`;
      const dueAt = sql`now() + ${dueInMs}::float8 * interval '1 millisecond'`;
      const postponed = await tx
        .update(tasks)
        .set({ processId: null, takenAt: null, dueAt, failures })
        .where(isOurs(task, processId))
        .returning({ id: tasks.id });
      return postponed.length === 1;
    },

    giveBack: (line, processId, kept) => releaseOrphaned(pool, line, processId, kept),
  };
}

/**
 * Given back because we were taken for dead, or put off by a commit whose answer was lost, it may be in our hands a second
 * time: that is another turn, and only one of the two may save anything.
 */
export function isOurs(task: Task, processId: string) {
  const isThisTurn = sql`${tasks.takenAt} = ${task.takenAt}::timestamptz`;
  return and(eq(tasks.id, task.id), eq(tasks.processId, processId), isThisTurn);
}
