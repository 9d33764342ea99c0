/** Tables of validations: the verdict cache, and single checks to be repeated. */
import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { bytea, createdAt, moment } from "../db/columns.ts";

/**
 * Cached evidence, per account: the cache must not reveal what another account asked for. It answers requests while it is
 * fresh, and is kept longer to match reported outcomes.
 */
export const verdicts = pgTable(
  "verdicts",
  {
    accountId: accountId(),
    addressHash: bytea().notNull(),
    evidence: jsonb().notNull(),
    checkedAt: moment().notNull(),
    freshUntil: moment().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.addressHash] }), index().on(table.freshUntil)],
);

/**
 * Single checks without a definite result, repeated from the queue. A row holds the address until its last attempt, a few
 * hours at most.
 */
export const rechecks = pgTable(
  "rechecks",
  {
    id: uuid().primaryKey().defaultRandom(),
    accountId: accountId(),
    requestId: text().notNull(),
    email: text().notNull(),
    addressHash: bytea().notNull(),
    isTest: boolean().notNull(),
    attempts: integer().notNull().default(1), // so far, including the one of the request
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex().on(table.accountId, table.addressHash)],
);
