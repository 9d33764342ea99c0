/**
 * The tables of accounts, keys, credits and verdicts; those of jobs, webhooks, learning, the queue and pacing are beside
 * this file. The SQL in migrations/ is generated from them (npm run migration), read before it is committed, and never
 * edited after it shipped.
 */
import { KEY_MODES, KEY_SCOPES, LEDGER_KINDS, PLANS } from "@mailvet/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { bytea, createdAt, moment } from "./columns.ts";

const amount = () => bigint({ mode: "number" }).notNull();
export const accountId = () =>
  uuid()
    .notNull()
    .references(() => accounts.id, { onDelete: "cascade" });

export const accounts = pgTable("accounts", {
  id: uuid().primaryKey().defaultRandom(),
  email: text().notNull().unique(), // trimmed, lower case
  passwordHash: text(), // argon2id; null until somebody chose one
  plan: text({ enum: PLANS }).notNull(),
  isOperator: boolean().notNull().default(false),
  // Nobody can sign in before; without mail settings it is set at sign-up.
  emailConfirmedAt: moment(),
  createdAt: createdAt(),
});

/** Somebody signed in with a browser. Only the hash of the cookie's token is kept. */
export const sessions = pgTable(
  "sessions",
  {
    id: uuid().primaryKey().defaultRandom(),
    accountId: accountId(),
    tokenHash: bytea().notNull().unique(),
    userAgent: text().notNull(),
    ip: text().notNull(),
    createdAt: createdAt(),
    lastSeenAt: createdAt(),
    expiresAt: moment().notNull(),
  },
  (table) => [index().on(table.accountId)],
);

/** Links in mails: to confirm an address, to choose a new password. Good for one use. */
export const mailTokens = pgTable(
  "mail_tokens",
  {
    tokenHash: bytea().primaryKey(),
    accountId: accountId(),
    purpose: text({ enum: ["confirm_email", "reset_password"] }).notNull(),
    createdAt: createdAt(),
    expiresAt: moment().notNull(),
  },
  (table) => [index().on(table.accountId)],
);

/** Tries that failed or could be abused (signing in, mails), counted in windows across all processes. */
export const attempts = pgTable("attempts", {
  subject: text().primaryKey(), // what was tried and by whom, hashed where it names a person
  count: integer().notNull(),
  windowEndsAt: moment().notNull(),
});

export const apiKeys = pgTable(
  "api_keys",
  {
    id: uuid().primaryKey().defaultRandom(),
    accountId: accountId(),
    name: text().notNull(),
    mode: text({ enum: KEY_MODES }).notNull(),
    keyHash: bytea().notNull().unique(), // SHA-256 of the whole key
    prefix: text().notNull(),
    scopes: text({ enum: KEY_SCOPES }).array().notNull(),
    createdAt: createdAt(),
    expiresAt: moment(),
    lastUsedAt: moment(),
    revokedAt: moment(),
  },
  (table) => [index().on(table.accountId)],
);

/** One row per account, changed in the same statement as the ledger. A table of its own keeps the updates cheap. */
export const balances = pgTable(
  "balances",
  {
    accountId: accountId().primaryKey(),
    balance: amount(),
    reserved: amount(),
    entries: amount(), // how many the ledger has of this account: the number of the last one
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
    // No foreign key: it would make a charge half as dear again. The statement that writes here holds the account's
    // row of balances, which has one.
    accountId: uuid().notNull(),
    // Counted for each account by itself, so that nobody learns from theirs how much goes on elsewhere.
    number: amount(),
    kind: text({ enum: LEDGER_KINDS }).notNull(),
    amount: amount(),
    reservedChange: amount(),
    balanceAfter: amount(),
    reference: text().notNull(), // the request or job it was for
    // Spending under one of these happens once, however often it is tried.
    onceKey: text(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.number] }),
    uniqueIndex().on(table.accountId, table.onceKey).where(sql`${table.onceKey} is not null`),
  ],
);

/** Credits held for work under way. Gone when settled or released; one whose process died is released at its time. */
export const reservations = pgTable(
  "reservations",
  {
    id: uuid().primaryKey(),
    accountId: accountId(),
    amount: amount(),
    reference: text().notNull(),
    createdAt: createdAt(),
    expiresAt: moment(), // null: held until its job ends
  },
  (table) => [index().on(table.expiresAt)],
);

/**
 * Charges whose answer was not handed to the client yet. A row is written with the charge and deleted right after the
 * answer was sent; one that is still there at its time belongs to a request that was never answered, and is refunded.
 */
export const unansweredCharges = pgTable("unanswered_charges", {
  chargeKey: text().primaryKey(), // the onceKey of the request, or else its id
  accountId: uuid().notNull(), // no foreign key, as in the ledger
  amount: amount(),
  reference: text().notNull(),
  // What was added to usage_days, and is taken off there by a refund.
  day: date({ mode: "string" }).notNull(),
  keyId: uuid(),
  valid: amount(),
  invalid: amount(),
  risky: amount(),
  unknown: amount(),
  expiresAt: moment().notNull(), // no index: the table holds no more than what is under way
});

/** What was used, per day (UTC) and key, counted in the same statement that spends the credits. */
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

/**
 * Evidence, each account's own: nobody learns from the memory what another one asked. It answers while it is fresh, and is
 * kept a while longer for the outcomes that may be reported.
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
 * Single checks that came to nothing for the moment, and are repeated from the queue. A row holds the address until its
 * last attempt, a few hours at most.
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
    attempts: integer().notNull().default(1), // so far, with the one that the request made
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex().on(table.accountId, table.addressHash)],
);
