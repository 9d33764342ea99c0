/** Table of naming patterns. */
import { doublePrecision, integer, pgTable, text } from "drizzle-orm/pg-core";
import { bytea, moment } from "../db/columns.ts";

/** How the proven mailboxes of a domain are named: counts per template, no names. */
export const namingPatterns = pgTable("naming_patterns", {
  domain: text().primaryKey(),
  mailboxes: integer().notNull(),
  shares: doublePrecision().array().notNull(), // one per template, in the engine's order
  // A Bloom filter over keyed hashes, so that a mailbox that is proven again is not counted again.
  seen: bytea().notNull(),
  updatedAt: moment().notNull(),
});
