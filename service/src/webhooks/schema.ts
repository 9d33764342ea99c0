/** Tables of webhooks: endpoints, and the deliveries to them. */
import { DELIVERY_STATES, WEBHOOK_EVENTS } from "@mailvet/contract";
import { boolean, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { createdAt, moment } from "../db/columns.ts";

export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    id: uuid().primaryKey(),
    accountId: accountId(),
    isTest: boolean().notNull().default(false),
    url: text().notNull(),
    description: text().notNull(),
    events: text({ enum: WEBHOOK_EVENTS }).array().notNull(), // empty: all events
    isEnabled: boolean().notNull().default(true),
    disabledReason: text(), // set when it was disabled automatically
    // In clear text, because every message is signed with it.
    secret: text().notNull(),
    previousSecret: text(), // also signs until then, so that receivers can rotate
    previousSecretUntil: moment(),
    failingSince: moment(), // null: the last attempt succeeded, or there was none
    jobId: uuid(), // receives the events of this job only; not listed, deleted after a while
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
    body: text().notNull(), // exactly the bytes that are signed and sent
    state: text({ enum: DELIVERY_STATES }).notNull(),
    attempts: integer().notNull().default(0),
    // A replay starts a new series of attempts with the full retry schedule.
    seriesAt: createdAt(),
    attemptsBefore: integer().notNull().default(0), // of earlier series
    responseStatus: integer(),
    trouble: text(), // why the last attempt failed, as a sentence
    createdAt: createdAt(),
    lastAttemptAt: moment(),
    nextAttemptAt: moment(),
  },
  (table) => [index().on(table.endpointId, table.createdAt), index().on(table.createdAt)],
);
