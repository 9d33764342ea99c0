/** The tables of what a deployment learns: how mailboxes are named, what became of messages, what was asked of a language model. */
import { OUTCOMES } from "@mailvet/contract";
import {
  date,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
} from "drizzle-orm/pg-core";
import { bytea, moment } from "./columns.ts";
import { accountId } from "./schema.ts";

/** How the proven mailboxes of a domain are named: counts per template, and no names. */
export const namingPatterns = pgTable("naming_patterns", {
  domain: text().primaryKey(),
  mailboxes: integer().notNull(),
  shares: doublePrecision().array().notNull(), // one for each template, in the engine's order
  // A Bloom filter over keyed hashes, so that a mailbox that is proven again is not counted again.
  seen: bytea().notNull(),
  updatedAt: moment().notNull(),
});

/** What became of a message to a mailbox, as its account told us last. */
export const outcomes = pgTable(
  "outcomes",
  {
    accountId: accountId(),
    addressHash: bytea().notNull(), // differs from account to account, like that of verdicts
    outcome: text({ enum: OUTCOMES }).notNull(),
    reportedAt: moment().notNull(),
    // What we had said of the mailbox; null when nobody had asked us, or too long ago.
    score: smallint(),
    subStatus: text(),
    provider: text(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.addressHash] }),
    index().on(table.accountId, table.reportedAt),
    index().on(table.reportedAt),
  ],
);

/** What outcomes add up to: for each account, provider and band of scores. */
export const calibrationCells = pgTable(
  "calibration_cells",
  {
    accountId: accountId(),
    provider: text().notNull(),
    band: smallint().notNull(),
    outcomes: integer().notNull(),
    bounced: integer().notNull(),
    predicted: doublePrecision().notNull(), // bounces that our scores led to expect
  },
  (table) => [primaryKey({ columns: [table.accountId, table.provider, table.band] })],
);

/** Questions put to the language model on each day, across all processes. */
export const aiQuestions = pgTable("ai_questions", {
  day: date().primaryKey(),
  asked: integer().notNull(),
});
