/**
 * Tables by which all API processes share the request limits of an account. Unlogged: after a crash of the database
 * every account starts with a full bucket.
 */
import { doublePrecision, integer, pgTable, primaryKey, uuid } from "drizzle-orm/pg-core";
import { accounts } from "../accounts/schema.ts";
import { createdAt } from "../db/columns.ts";

const accountId = () => uuid().references(() => accounts.id, { onDelete: "cascade" });

/** Token bucket per account. Negative after a burst at several processes, which is then paid back. */
export const requestBuckets = pgTable("request_buckets", {
  accountId: accountId().primaryKey(),
  tokens: doublePrecision().notNull(),
  perMinute: doublePrecision().notNull(),
  filledAt: createdAt(),
});

/** Requests in progress, per account and process. A row that is not renewed for some seconds is ignored. */
export const requestsInProgress = pgTable(
  "requests_in_progress",
  {
    accountId: accountId().notNull(),
    processId: uuid().notNull(),
    requests: integer().notNull(),
    renewedAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.processId] })],
);
