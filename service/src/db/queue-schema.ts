/** The tables of the queue: the processes that work, the lanes that tasks wait in, and the tasks. */
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
import { createdAt, moment } from "./columns.ts";

const line = () => text({ enum: ["jobs", "rechecks", "webhooks"] }).notNull();

/** Every running process of the deployment. Whoever stops beating is dead, and what it held goes back. */
export const processes = pgTable("processes", {
  id: uuid().primaryKey(),
  role: text({ enum: ["all", "api", "worker"] }).notNull(),
  host: text().notNull(),
  pid: integer().notNull(),
  startedAt: createdAt(),
  beatAt: createdAt(),
});

/**
 * Tasks that wait for one another's turn: those of one job, or of one webhook endpoint. Turns go round between accounts,
 * then between the lanes of each.
 */
export const lanes = pgTable(
  "lanes",
  {
    id: uuid().primaryKey(), // of the job or the endpoint; for rechecks, of the account
    accountId: accountId(),
    line: line(),
    isHeld: boolean().notNull().default(false), // its tasks stay where they are until it is let go
    servedAt: moment().notNull(), // when a task was last taken; a new one has a head start
  },
  (table) => [index().on(table.line), index().on(table.accountId)],
);

/** When an account last had its turn. Lanes come and go with their jobs; this stays, so that new jobs are no trick. */
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
    subject: text().notNull(), // what of the lane it is about: the slice's number, the delivery's id
    dueAt: createdAt(),
    failures: smallint().notNull().default(0), // it threw
    losses: smallint().notNull().default(0), // the process that had it died
    processId: uuid(), // who has it; null: it waits
    takenAt: moment(),
    createdAt: createdAt(),
  },
  (table) => [
    index().on(table.laneId, table.dueAt),
    index().on(table.processId).where(sql`${table.processId} is not null`),
  ],
);
