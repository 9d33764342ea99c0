/** Table of API keys. */
import { KEY_MODES, KEY_SCOPES } from "@mailvet/contract";
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
