/** Table of the responses stored under an Idempotency-Key. */
import { index, integer, pgTable, primaryKey, uuid } from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { bytea, createdAt, moment } from "../db/columns.ts";

/** Responses are kept for 24 hours and can be decrypted with the caller's Idempotency-Key only. */
export const idempotentResponses = pgTable(
  "idempotent_responses",
  {
    accountId: accountId(),
    keyHash: bytea().notNull(),
    requestHash: bytea().notNull(),
    // The request that executes, and the end of its lease; null once the response is stored.
    holder: uuid(),
    heldUntil: moment(),
    status: integer(),
    encryptedBody: bytea(),
    createdAt: createdAt(),
    expiresAt: moment().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.keyHash] }), index().on(table.expiresAt)],
);
