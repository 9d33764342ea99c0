/** Tables of API keys and operator keys. */
import { KEY_MODES, KEY_SCOPES, type OperatorScope } from "@mailvet/contract";
import { index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { bytea, createdAt, moment } from "../db/columns.ts";

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

/** Keys for operator endpoints. They are in no table of other keys, so neither kind is accepted for the other. */
export const operatorKeys = pgTable(
  "operator_keys",
  {
    id: uuid().primaryKey().defaultRandom(),
    accountId: accountId(),
    name: text().notNull(),
    keyHash: bytea().notNull().unique(), // SHA-256 of the whole key
    prefix: text().notNull(),
    scopes: text().array().$type<OperatorScope[]>().notNull(),
    allowedRanges: text().array().notNull(), // empty: from everywhere
    createdAt: createdAt(),
    expiresAt: moment(),
    lastUsedAt: moment(),
    revokedAt: moment(),
  },
  (table) => [index().on(table.accountId)],
);
