/**
 * Tables by which all processes of a deployment share the limits of a mail host or provider, and the session count of
 * egress identities.
 */
import type { Reply } from "@mailvet/engine";
import {
  boolean,
  date,
  doublePrecision,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { createdAt, moment } from "../db/columns.ts";

/**
 * Throttle state per host. A row is written at the first rate-limit reply, or where the profile wants a gap between
 * sessions, and deleted some time after its last use.
 */
export const throttleStates = pgTable("throttle_states", {
  key: text().primaryKey(), // a host, or a provider that counts all its hosts together; with the egress identity
  limit: integer().notNull(), // concurrent sessions
  restMs: doublePrecision().notNull(), // between two sessions
  nextStartAt: moment(),
  quiet: integer().notNull().default(0), // consecutive sessions without a rate-limit reply
  refusals: integer().notNull().default(0), // consecutive
  refusedSince: moment(), // null: not refused, or by an earlier release
  trippedUntil: moment(), // the breaker is open until then
  trippedBy: json().$type<Reply>(),
  updatedAt: createdAt(),
});

/**
 * Leases: each allows one session at the host, and there are never more than its limit. No index by process: the table is
 * small and is searched by process every few seconds at most, while every session adds a row and deletes it.
 */
export const hostLeases = pgTable(
  "host_leases",
  {
    key: text().notNull(),
    number: integer().notNull(),
    processId: uuid().notNull(),
    takenAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.key, table.number] })],
);

/** Processes that wait for a lease, in order. A waiter that is not renewed for some seconds is ignored. */
export const hostWaiters = pgTable(
  "host_waiters",
  {
    key: text().notNull(),
    processId: uuid().notNull(),
    isUrgent: boolean().notNull(), // an interactive check waits
    since: createdAt(),
    renewedAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.key, table.processId] })],
);

/** Sessions that each egress identity has asked to open on a day (UTC); those beyond its cap were refused. */
export const egressSessions = pgTable(
  "egress_sessions",
  { identity: text().notNull(), day: date().notNull(), sessions: integer().notNull() },
  (table) => [primaryKey({ columns: [table.identity, table.day] })],
);

/**
 * What each egress identity remembers of a mail host over its sessions, such as how many unknown users it has asked for in
 * the last hour. Unlogged: most of it is of no use after that hour.
 */
export const hostMemories = pgTable(
  "host_memories",
  {
    identity: text().notNull(),
    host: text().notNull(),
    memory: jsonb(), // null: nothing any more
    changedAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.identity, table.host] })],
);
