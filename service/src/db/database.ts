/**
 * The way to PostgreSQL: one pool for everything, and Drizzle on top of it for ordinary queries.
 *
 * Where the server runs (embedded, or named by DATABASE_URL) is settled before this; nothing from here on knows.
 */
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import pg from "pg";
import * as schema from "./schema.ts";

export type Database = {
  /** Raw queries, for hot paths and batches. */
  pool: pg.Pool;
  /** Ordinary queries. */
  orm: Orm;
  /** For connections outside the pool, such as the one that listens. */
  connection: pg.ClientConfig;
  close(): Promise<void>;
};

/** Drizzle on the pool, or inside a transaction of it. */
export type Orm = Pick<
  NodePgDatabase<typeof schema>,
  "select" | "insert" | "update" | "delete" | "transaction" | "execute"
>;

// Counts beyond 2^53 do not happen here, and text where a number is meant does.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type DatabaseOptions = { connection: pg.ClientConfig; maxConnections?: number };

const CONNECT_TIMEOUT_MS = 10_000;

export function openDatabase({ connection, maxConnections = 16 }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...connection,
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // A connection that breaks while nobody uses it is replaced by the pool; whoever uses one hears of it there.
  pool.on("error", () => {});
  return {
    pool,
    orm: drizzle(pool, { schema, casing: "snake_case" }),
    connection,
    close: () => pool.end(),
  };
}

/** SQLSTATE of what PostgreSQL refused, also when Drizzle has wrapped it. */
export function sqlStateOf(error: unknown): string | undefined {
  for (let one: unknown = error, depth = 0; one instanceof Error && depth < 3; one = one.cause, depth++) {
    if (one instanceof pg.DatabaseError) return one.code;
  }
  return undefined;
}

export const UNIQUE_VIOLATION = "23505";
