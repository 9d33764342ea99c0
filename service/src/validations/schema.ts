/** Tables of validations: the verdict cache, and single checks to be repeated. */
import {
  boolean,
  date,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { bytea, createdAt, moment } from "../db/columns.ts";
import type { OwnEvidence } from "./shared-evidence.ts";

/**
 * Cached verdicts, per account: the cache must not reveal what another account asked for. They answer requests while they
 * are fresh, and are kept longer to match reported outcomes.
 *
 * Partitioned by expiry (partitions.ts). An address has a row for each week in which its verdicts expire. No foreign key to
 * the account, which dropping a partition would lock: a trigger on accounts deletes the rows.
 */
export const cachedVerdicts = pgTable(
  "cached_verdicts",
  {
    accountId: uuid().notNull(),
    addressKey: uuid().notNull(), // hashes of the account, the domain and the address (shared-evidence.ts)
    factsId: uuid().notNull(), // about the domain, in cached_facts
    findingId: uuid(), // about the mailbox, in cached_facts
    checkedAt: moment().notNull(),
    freshSeconds: integer().notNull(),
    expiresOn: date().notNull(),
    own: json().$type<OwnEvidence>(), // what no other address shares
  },
  (table) => [primaryKey({ columns: [table.addressKey, table.expiresOn] })],
);

/**
 * What cached verdicts have in common: facts about a domain, and server replies without the words that differ. Never
 * changed: the id is a hash of the content, so a verdict keeps the facts it was derived from. Dropped together with the
 * verdicts that refer to it.
 */
export const cachedFacts = pgTable(
  "cached_facts",
  {
    id: uuid().notNull(),
    expiresOn: date().notNull(),
    content: json().notNull(),
  },
  (table) => [primaryKey({ columns: [table.id, table.expiresOn] })],
);

/** The cache of earlier releases, with all evidence in each row. Read until it is empty. */
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
