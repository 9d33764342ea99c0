/** Tables of feedback: reported outcomes, and the calibration they add up to. */
import { OUTCOMES } from "@mailvet/contract";
import { doublePrecision, index, integer, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { bytea, moment } from "../db/columns.ts";

/** The last outcome that an account reported for a mailbox. */
export const outcomes = pgTable(
  "outcomes",
  {
    accountId: accountId(),
    addressHash: bytea().notNull(), // salted with the account, as in verdicts
    outcome: text({ enum: OUTCOMES }).notNull(),
    reportedAt: moment().notNull(),
    // The prediction for the mailbox before the message; null if it was not checked, or too long ago.
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

/** Sums of outcomes per account, provider and score band. */
export const calibrationCells = pgTable(
  "calibration_cells",
  {
    accountId: accountId(),
    provider: text().notNull(),
    band: smallint().notNull(),
    outcomes: integer().notNull(),
    bounced: integer().notNull(),
    predicted: doublePrecision().notNull(), // bounces expected by the scores
  },
  (table) => [primaryKey({ columns: [table.accountId, table.provider, table.band] })],
);
