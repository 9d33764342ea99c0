/** The tables of pacing: how all processes together behave at one mail host or provider. */
import type { Reply } from "@mailvet/engine";
import {
  boolean,
  doublePrecision,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { createdAt, moment } from "./columns.ts";

/**
 * What hosts have taught us. A row is written at the first complaint, or where sessions rest between one another in any
 * case, and forgotten some time after it was last needed.
 */
export const paces = pgTable("paces", {
  key: text().primaryKey(), // a host, or a provider that counts all its hosts together
  limit: integer().notNull(), // sessions at once
  restMs: doublePrecision().notNull(), // between two sessions
  nextStartAt: moment(),
  quiet: integer().notNull().default(0), // sessions in a row without a complaint
  refusals: integer().notNull().default(0), // of us, in a row
  trippedUntil: moment(), // the breaker is open until then
  trippedBy: json().$type<Reply>(),
  updatedAt: createdAt(),
});

/** A session that somebody has there, or is about to: never more than the limit, whoever has them. */
export const pacePlaces = pgTable(
  "pace_places",
  {
    key: text().notNull(),
    number: integer().notNull(),
    processId: uuid().notNull(),
    takenAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.key, table.number] }), index().on(table.processId)],
);

/** Processes that wait for a place, one behind the other. A wish that is not renewed for some seconds counts no more. */
export const paceWishes = pgTable(
  "pace_wishes",
  {
    key: text().notNull(),
    processId: uuid().notNull(),
    isUrgent: boolean().notNull(), // somebody waits in person
    since: createdAt(),
    renewedAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.key, table.processId] }), index().on(table.processId)],
);
