/**
 * Tables of the queue: processes, task groups and tasks.
 *
 * A row of `lanes` is a task group: the tasks of one job, one webhook endpoint or one account's rechecks. `line` is the
 * name of the queue that the group belongs to.
 */
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { createdAt, moment } from "../db/columns.ts";

const line = () => text({ enum: ["jobs", "rechecks", "webhooks"] }).notNull();

/** Running processes of the deployment. When heartbeats stop, the lease expires and the process's tasks are released. */
export const processes = pgTable("processes", {
  id: uuid().primaryKey(),
  role: text({ enum: ["all", "api", "worker"] }).notNull(),
  host: text().notNull(),
  pid: integer().notNull(),
  startedAt: createdAt(),
  beatAt: createdAt(),
});

/** Task groups. Claims are shared fairly between accounts, then between the groups of each account. */
export const lanes = pgTable(
  "lanes",
  {
    id: uuid().primaryKey(), // id of the job or the endpoint; for rechecks, of the account
    accountId: accountId(),
    line: line(),
    isHeld: boolean().notNull().default(false), // paused: its tasks are not claimed
    servedAt: moment().notNull(), // last claim; a new group starts with an earlier time
  },
  (table) => [index().on(table.line), index().on(table.accountId)],
);

/** Last claim per account. Outlives the groups, so that creating new jobs does not move an account forward. */
export const turns = pgTable(
  "turns",
  { accountId: accountId(), line: line(), servedAt: moment() }, // null: never
  (table) => [primaryKey({ columns: [table.accountId, table.line] })],
);

export const tasks = pgTable(
  "tasks",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    laneId: uuid()
      .notNull()
      .references(() => lanes.id, { onDelete: "cascade" }),
    kind: text({ enum: ["plan", "slice", "recheck", "delivery"] }).notNull(),
    subject: text().notNull(), // the item within the group: slice number, delivery id
    dueAt: createdAt(),
    failures: smallint().notNull().default(0), // attempts that threw
    losses: smallint().notNull().default(0), // attempts whose process died
    processId: uuid(), // claimed by; null: waiting
    takenAt: moment(),
    createdAt: createdAt(),
  },
  (table) => [
    index().on(table.laneId, table.dueAt),
    index().on(table.processId).where(sql`${table.processId} is not null`),
  ],
);
