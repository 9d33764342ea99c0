/** Tables of credits: balances, the ledger behind them, what is reserved, what is not yet answered, daily usage. */
import { LEDGER_KINDS } from "@mailvet/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { createdAt, moment } from "../db/columns.ts";

const amount = () => bigint({ mode: "number" }).notNull();

/** One row per account, updated in the statement that writes the ledger. A table of its own keeps updates cheap. */
export const balances = pgTable(
  "balances",
  {
    accountId: accountId().primaryKey(),
    balance: amount(),
    reserved: amount(),
    entries: amount(), // ledger entries of this account: the number of the last one
  },
  (table) => [
    check("balance_not_negative", sql`${table.balance} >= 0`),
    check("reserved_not_negative", sql`${table.reserved} >= 0`),
  ],
);

/** Append-only. The amounts add up to the balance, the reserved changes to what is reserved. */
export const ledger = pgTable(
  "ledger",
  {
    // No foreign key: it would make a charge half as expensive again. The statement that writes here locks the account's
    // row of balances, which has one.
    accountId: uuid().notNull(),
    // Numbered per account, so that an account cannot infer the activity of others.
    number: amount(),
    kind: text({ enum: LEDGER_KINDS }).notNull(),
    amount: amount(),
    reservedChange: amount(),
    balanceAfter: amount(),
    reference: text().notNull(), // the request or job it was for
    // Spending under one idempotency key happens once, however often it is tried.
    idempotencyKey: text("idempotency_key"),
    createdAt: createdAt(),
    keyId: uuid(), // API key that spent it; null: the web app, or an entry that spends nothing
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.number] }),
    uniqueIndex().on(table.accountId, table.idempotencyKey).where(sql`${table.idempotencyKey} is not null`),
  ],
);

/** Credits reserved for work in progress. Deleted when settled or released; released on expiry if the process died. */
export const reservations = pgTable(
  "reservations",
  {
    id: uuid().primaryKey(),
    accountId: accountId(),
    amount: amount(),
    reference: text().notNull(),
    createdAt: createdAt(),
    expiresAt: moment(), // null: reserved until its job ends
  },
  (table) => [index().on(table.expiresAt)],
);

/**
 * Charges whose answer has not been delivered yet. A row is written with the charge, or when its batch is split, and
 * deleted right after the answer was sent. A row that expires belongs to a request that was never answered, and is refunded.
 */
export const unansweredCharges = pgTable("unanswered_charges", {
  chargeKey: text().primaryKey(), // the idempotency key of the request, or else its id
  accountId: uuid().notNull(), // no foreign key, as in the ledger
  amount: amount(),
  reference: text().notNull(),
  // What was added to usage_days, and is subtracted there by a refund.
  day: date({ mode: "string" }).notNull(),
  keyId: uuid(),
  valid: amount(),
  invalid: amount(),
  risky: amount(),
  unknown: amount(),
  expiresAt: moment().notNull(), // no index: the table holds only requests in progress
});

/**
 * The same for charges of one account that charge-fast-path.ts wrote together: one row until all of them are answered,
 * because a row for each was two thirds of what a charge cost. What it lacks is in their ledger entries, which have
 * consecutive numbers.
 */
export const unansweredBatches = pgTable(
  "unanswered_batches",
  {
    accountId: uuid().notNull(), // no foreign key, as in the ledger
    firstNumber: amount(), // of the ledger entries
    counts: integer().array().notNull(), // valid, invalid, risky, unknown of the first charge, then of the second …
    expiresAt: moment().notNull(), // no index, as above
  },
  (table) => [primaryKey({ columns: [table.accountId, table.firstNumber] })],
);

/** UsageCounts per day (UTC) and key, counted in the statement that spends the credits. */
export const usageDays = pgTable(
  "usage_days",
  {
    accountId: accountId(),
    day: date({ mode: "string" }).notNull(),
    keyId: uuid(), // null: the web app
    valid: amount(),
    invalid: amount(),
    risky: amount(),
    unknown: amount(),
    creditsUsed: amount(),
  },
  (table) => [unique("usage_day").on(table.accountId, table.day, table.keyId).nullsNotDistinct()],
);
