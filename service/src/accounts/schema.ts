/** Tables of accounts and of the people who sign in to them, and the foreign key by which other tables belong to an account. */
import { PLANS } from "@mailvet/contract";
import { bigint, boolean, index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bytea, createdAt, moment } from "../db/columns.ts";

/** Column of every table whose rows are deleted with their account. */
export const accountId = () =>
  uuid()
    .notNull()
    .references(() => accounts.id, { onDelete: "cascade" });

export const accounts = pgTable(
  "accounts",
  {
    id: uuid().primaryKey().defaultRandom(),
    email: text().notNull().unique(), // as account-email.ts spells it
    passwordHash: text(), // argon2id; null until a password is chosen
    plan: text({ enum: PLANS }).notNull(),
    isOperator: boolean().notNull().default(false),
    // Required for signing in. Without a mail server it is set at sign-up.
    emailConfirmedAt: moment(),
    invitedAt: moment(), // opened by the operator
    suspendedAt: moment(),
    suspendedReason: text(), // shown to the owner; null unless suspended
    erasingAt: moment(), // its data is being deleted; suspended as well
    createdAt: createdAt(),
  },
  (table) => [index().on(table.createdAt, table.id)],
);

/** For raw SQL of other folders: the account exists, and does until the transaction ends. */
export const accountExistsSql = (accountId: string) =>
  `exists (select from accounts where id = ${accountId} for key share)`;

/** Browser sessions. Only the hash of the cookie's token is stored. */
export const sessions = pgTable(
  "sessions",
  {
    id: uuid().primaryKey().defaultRandom(),
    accountId: accountId(),
    tokenHash: bytea().notNull().unique(),
    userAgent: text().notNull(),
    ip: text().notNull(),
    byPasskey: boolean().notNull().default(false), // opened with a passkey, or one was added in it
    createdAt: createdAt(),
    lastSeenAt: createdAt(),
    expiresAt: moment().notNull(),
  },
  (table) => [index().on(table.accountId)],
);

/** Tokens of links: confirm an address, choose a password, download an export. */
export const mailTokens = pgTable(
  "mail_tokens",
  {
    tokenHash: bytea().primaryKey(),
    accountId: accountId(),
    purpose: text({
      enum: ["confirm_email", "reset_password", "invitation", "change_email", "export"],
    }).notNull(),
    newEmail: text(), // of change_email
    createdAt: createdAt(),
    expiresAt: moment().notNull(),
  },
  (table) => [index().on(table.accountId)],
);

/**
 * Browsers and networks that have signed in to an account, so that the wrong passwords of others do not lock them out. Only
 * hashes are stored, of the device cookie's token and of the network.
 */
export const knownClients = pgTable(
  "known_clients",
  {
    accountId: accountId(),
    clientHash: bytea().notNull(),
    lastSignInAt: moment().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.clientHash] }), index().on(table.clientHash)],
);

/** Two-factor sign-in by time-based codes (RFC 6238). The secret is needed to check a code, so it is stored as it is. */
export const twoFactor = pgTable("two_factor", {
  accountId: accountId().primaryKey(),
  secret: bytea().notNull(),
  enabledAt: moment(), // null until a code has confirmed that the secret was saved
  lastStep: bigint({ mode: "number" }), // the time step of the last accepted code: each works once
});

/** Recovery codes of two-factor sign-in, as hashes. A row is deleted when its code is used. */
export const recoveryCodes = pgTable(
  "recovery_codes",
  { accountId: accountId(), codeHash: bytea().notNull() },
  (table) => [primaryKey({ columns: [table.accountId, table.codeHash] })],
);

/** Passkeys (WebAuthn credentials). The private key is in the authenticator. */
export const passkeys = pgTable(
  "passkeys",
  {
    id: uuid().primaryKey().defaultRandom(),
    accountId: accountId(),
    name: text().notNull(),
    credentialId: bytea().notNull().unique(),
    publicKey: bytea().notNull(), // COSE_Key
    counter: bigint({ mode: "number" }).notNull(), // of signatures; 0 where the authenticator does not count
    createdAt: createdAt(),
    lastUsedAt: moment(),
  },
  (table) => [index().on(table.accountId)],
);

/** Challenges that a passkey has to sign, as hashes. A row is deleted when its challenge is used. */
export const passkeyChallenges = pgTable(
  "passkey_challenges",
  {
    challengeHash: bytea().primaryKey(),
    // The account that a passkey is added to; null for signatures of existing passkeys.
    accountId: uuid().references(() => accounts.id, { onDelete: "cascade" }),
    expiresAt: moment().notNull(),
  },
  (table) => [index().on(table.expiresAt)],
);

/** Attempts at what could be abused (sign-in, emails), counted in windows across all processes. */
export const attempts = pgTable("attempts", {
  subject: text().primaryKey(), // the kind of attempt and a hash of its subject
  count: integer().notNull(),
  windowEndsAt: moment().notNull(),
  // Consecutive windows that were used up before this one: where a limit grows, each doubles the next window.
  usedUp: integer().notNull().default(0),
});
