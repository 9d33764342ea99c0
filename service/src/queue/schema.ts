/**
 * Tables of the queue: processes, task groups, tasks, and the fair shares of accounts.
 *
 * A task waits here. It is claimed by a turn of its account, which is a job of pg-boss (schema `pgboss`, feed.ts).
 */

import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { createdAt } from "../db/columns.ts";

export const QUEUE_NAMES = ["plan", "slice", "action", "recheck", "delivery"] as const;

const queue = () => text({ enum: QUEUE_NAMES }).notNull();

/** Running processes of the deployment. When heartbeats stop, the lease expires and its host leases are released. */
export const processes = pgTable("processes", {
  id: uuid().primaryKey(),
  role: text({ enum: ["all", "api", "worker"] }).notNull(),
  host: text().notNull(),
  pid: integer().notNull(),
  startedAt: createdAt(),
  beatAt: createdAt(),
});

/** A job, a webhook endpoint, or the rechecks of an account. A turn serves the group with the fewest running tasks. */
export const queueGroups = pgTable(
  "queue_groups",
  {
    id: uuid().primaryKey(), // id of the job or the endpoint; for rechecks, of the account
    accountId: accountId(),
    isPaused: boolean().notNull().default(false), // its tasks are not claimed
  },
  (table) => [index().on(table.accountId)],
);

/** Start-time fair queueing: the service that an account has received from a queue. */
export const queueShares = pgTable(
  "queue_shares",
  {
    accountId: accountId(),
    queue: queue(),
    virtualTime: doublePrecision().notNull().default(0), // tag of the account's next turn, in units of feed.ts
    meanCost: doublePrecision().notNull(), // of its recent tasks, in the same units
    turns: integer().notNull().default(0), // turns in pg-boss that are not claimed yet
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.queue] }),
    index().on(table.queue, table.virtualTime),
  ],
);

/** No foreign key to the group: closing a group skips tasks that another transaction is saving. */
export const tasks = pgTable(
  "tasks",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    groupId: uuid().notNull(),
    queue: queue(),
    subject: text().notNull(), // the item within the group: slice number, delivery id
    // waiting: becomes ready at due_at; ready: claimed by the next turn of its account; taken: claimed by turn_id
    state: text({ enum: ["waiting", "ready", "taken"] }).notNull(),
    dueAt: createdAt(),
    failures: smallint().notNull().default(0), // attempts that threw
    turnId: uuid(), // id of the pg-boss job that claimed it
    trace: text(), // W3C traceparent of the span that added it
    createdAt: createdAt(),
  },
  (table) => [
    index().on(table.groupId, table.queue, table.state, table.dueAt, table.id),
    index().on(table.queue, table.dueAt).where(sql`${table.state} = 'waiting'`),
    index().on(table.turnId).where(sql`${table.turnId} is not null`),
  ],
);
