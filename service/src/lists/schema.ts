/** Table of saved lists. */
import { LIST_SCHEDULES } from "@mailvet/contract";
import { boolean, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { createdAt, moment } from "../db/columns.ts";

export const savedLists = pgTable(
  "saved_lists",
  {
    id: uuid().primaryKey().defaultRandom(),
    accountId: accountId(),
    isTest: boolean().notNull(),
    jobId: uuid().notNull().unique(), // a job is one list
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
