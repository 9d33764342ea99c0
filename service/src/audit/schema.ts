/** Table of the audit log. */
import { AUDIT_ACTOR_KINDS, type AuditAction } from "@mailvet/contract";
import { sql } from "drizzle-orm";
import { boolean, index, jsonb, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

/** In place of a foreign key: an entry needs the account when it is written, and may outlive it. */
export { accountExistsSql } from "../accounts/schema.ts";

/**
 * A trigger refuses updates: entries are written once, and deleted by retention. They reference no other table, because
 * they outlive what they are about.
 */
export const auditEntries = pgTable(
  "audit_entries",
  {
    id: uuid().primaryKey().defaultRandom(),
    // Not now(): entries of one transaction keep their order.
    createdAt: timestamp({ withTimezone: true, mode: "date" }).notNull().default(sql`clock_timestamp()`),
    action: text().$type<AuditAction>().notNull(),
    accountId: uuid(), // null: sign-in to an unknown account
    actorKind: text({ enum: AUDIT_ACTOR_KINDS }).notNull(),
    actorAccountId: uuid(),
    keyId: uuid(),
    sessionId: uuid(),
    isOperator: boolean().notNull(),
    network: text(), // as base/client-network.ts has it
    subjectId: uuid(),
    details: jsonb().$type<Record<string, string | number | boolean>>().notNull(),
  },
  (table) => [
    index().on(table.accountId, table.createdAt, table.id),
    index().on(table.action, table.createdAt, table.id),
    index().on(table.createdAt, table.id),
  ],
);
