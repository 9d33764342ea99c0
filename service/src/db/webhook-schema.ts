/** The tables of webhooks: where an account wants to be told, and what was told. */
import { DELIVERY_STATES, WEBHOOK_EVENTS } from "@mailvet/contract";
import { boolean, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { createdAt, moment } from "./columns.ts";

export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    id: uuid().primaryKey(),
    accountId: accountId(),
    url: text().notNull(),
    description: text().notNull(),
    events: text({ enum: WEBHOOK_EVENTS }).array().notNull(), // empty: all of them
    isEnabled: boolean().notNull().default(true),
    disabledReason: text(), // set when we switched it off
    // Kept readable: every message is signed with it.
    secret: text().notNull(),
    previousSecret: text(), // signs too until its time is over, so that receivers can change over
    previousSecretUntil: moment(),
    failingSince: moment(), // null: the last attempt arrived, or there was none
    createdAt: createdAt(),
  },
  (table) => [index().on(table.accountId)],
);

export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    id: uuid().primaryKey(), // the webhook-id of every attempt
    accountId: accountId(),
    endpointId: uuid()
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: "cascade" }),
    event: text({ enum: WEBHOOK_EVENTS }).notNull(),
    body: text().notNull(), // exactly what is signed and sent
    state: text({ enum: DELIVERY_STATES }).notNull(),
    attempts: integer().notNull().default(0),
    // A replay begins a new series of attempts, with all its gaps and as much time as the first one.
    seriesAt: createdAt(),
    attemptsBefore: integer().notNull().default(0), // of earlier series
    responseStatus: integer(),
    trouble: text(), // why the last attempt failed, in words
    createdAt: createdAt(),
    lastAttemptAt: moment(),
    nextAttemptAt: moment(),
  },
  (table) => [index().on(table.endpointId, table.createdAt), index().on(table.createdAt)],
);
