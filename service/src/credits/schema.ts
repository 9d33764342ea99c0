/** Tables of credits: balances, the ledger behind them, daily usage. Entries are written by the function `post` (post.ts). */
import { LEDGER_KINDS } from "@mailvet/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  date,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { createdAt } from "../db/columns.ts";

const amount = () => bigint({ mode: "number" }).notNull();

/** One row per account, locked by everything that writes entries. A table of its own keeps updates cheap. */
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

/** What an entry is for: a request, a run of a job, or credits from the operator. */
export const SUBJECTS = ["check", "run", "grant"] as const;

/** Append-only. The amounts add up to the balance, the reserved changes to what is reserved. */
export const ledger = pgTable(
  "ledger",
  {
    // No foreign key: it would make a charge half as expensive again. `post` locks the account's row of balances, which has one.
    accountId: uuid().notNull(),
    // Numbered per account, so that an account cannot infer the activity of others.
    number: amount(),
    kind: text({ enum: LEDGER_KINDS }).notNull(),
    amount: amount(),
    reservedChange: amount(),
    balanceAfter: amount(),
    key: text().notNull(), // a request, a run or a grant has one entry of each kind
    subject: text({ enum: SUBJECTS }).notNull(),
    reference: text().notNull(), // the request or job it was for, or the note of a grant
    createdAt: createdAt(),
    keyId: uuid(), // API key that spent it; null: the web app, or an entry that spends nothing
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.number] }),
    uniqueIndex("ledger_key").on(table.accountId, table.key, table.kind),
  ],
);

/** Per day (UTC) and key: credits, written by `post`, and verdicts (verdict-counts.ts), from which nothing is billed. */
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
