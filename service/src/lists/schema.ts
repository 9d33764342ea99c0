/** Table of saved lists. */
import { LIST_SCHEDULES } from "@mailvet/contract";
import { boolean, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { createdAt, moment } from "../db/columns.ts";
import { jobs } from "../jobs/schema.ts";

export const savedLists = pgTable(
  "saved_lists",
  {
    id: uuid().primaryKey().defaultRandom(),
    accountId: accountId(),
    isTest: boolean().notNull(),
    // A job is one list, which ends with it.
    jobId: uuid()
      .notNull()
      .unique()
      .references(() => jobs.id, { onDelete: "cascade" }),
    name: text().notNull(),
    tags: text().array().notNull(),
    schedule: text({ enum: LIST_SCHEDULES }),
    staleAfterDays: integer().notNull(),
    createdAt: createdAt(),
    nextRunAt: moment(),
    lastRunAt: moment(),
    lastError: text(),
    newlyInvalid: integer().notNull().default(0), // of the last run
    recovered: integer().notNull().default(0),
  },
  (table) => [index().on(table.accountId), index().on(table.nextRunAt)],
);
