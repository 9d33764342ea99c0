/** Table of responses stored for replay under an Idempotency-Key. */
import { index, integer, pgTable, primaryKey, uuid } from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { bytea, createdAt, moment } from "./columns.ts";

/** Answers kept for 24 hours under the caller's Idempotency-Key, readable with that key only. */
export const idempotentAnswers = pgTable(
  "idempotent_answers",
  {
    accountId: accountId(),
    keyHash: bytea().notNull(),
    requestHash: bytea().notNull(),
    // Who works on it, and until when that is believed; null once there is an answer.
    holder: uuid(),
    heldUntil: moment(),
    status: integer(),
    sealedBody: bytea(),
    createdAt: createdAt(),
    expiresAt: moment().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.keyHash] }), index().on(table.expiresAt)],
);
