/**
 * The way to PostgreSQL: one pool for everything, and Drizzle on top of it for ordinary queries.
 *
 * Where the server runs (embedded, or named by DATABASE_URL) is settled before this; nothing from here on knows.
 */
import { sql } from "drizzle-orm";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import pg from "pg";

export type Database = {
  /** Raw queries, for hot paths and batches. */
  pool: pg.Pool;
  /** Ordinary queries. */
  orm: Orm;
  /** For connections outside the pool, such as the one that listens. */
  connection: pg.ClientConfig;
  /** Resolves when the database answers and, if a write failed for want of room, has room again. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/** Drizzle on the pool, or inside a transaction of it. */
export type Orm = Pick<NodePgDatabase, "select" | "insert" | "update" | "delete" | "transaction" | "execute">;

/** A pool, a connection, or Drizzle inside a transaction. */
export type Queryable = Pick<pg.Pool, "query"> | Pick<pg.ClientBase, "query"> | Pick<Orm, "execute">;

/** Runs raw SQL with numbered parameters: prepared under its name, or as part of a Drizzle transaction. */
export async function runStatement<Row extends Record<string, unknown>>(
  by: Queryable,
  { name, text }: { name: string; text: string },
  values: readonly unknown[],
): Promise<Row[]> {
  if (!("execute" in by)) return (await by.query<Row>({ name, text, values: [...values] })).rows;
  const chunks = text
    .split(/\$(\d+)/)
    .map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${sql.param(values[Number(part) - 1])}`));
  return (await by.execute(sql.join(chunks))).rows as Row[];
}

/** Runs inside a transaction, after its effect and before its commit; when it throws, nothing has happened. */
export type BeforeCommit<Made> = (tx: Orm, made: Made) => Promise<void>;

// Counts beyond 2^53 do not happen here, and text where a number is meant does.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type DatabaseOptions = {
  connection: pg.ClientConfig;
  maxConnections?: number;
  queryTimeoutMs?: number;
};

const CONNECT_TIMEOUT_MS = 10_000;
/** Nothing asked through the pool takes this long; a server that is still silent then is not going to answer. */
const QUERY_TIMEOUT_MS = 15_000;
const IDLE_IN_TRANSACTION_MS = 30_000;

export function openDatabase(options: DatabaseOptions): Database {
  const { connection, maxConnections = 16, queryTimeoutMs = QUERY_TIMEOUT_MS } = options;
  const pool = new pg.Pool({
    ...connection,
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
    // A machine that vanishes in the middle of a transaction must not keep its locks for hours.
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true, // a server that vanished without a word is noticed also on an idle connection
    Client: ImpatientClient,
  });
  // A connection that breaks while nobody uses it is replaced by the pool; whoever uses one hears of it there. While
  // it is lent out, between two queries of a transaction, the error has no other listener and would end the process.
  pool.on("error", () => {});
  // Writes that failed for want of room, and how many of them are over.
  let shortages = 0;
  let overcome = 0;
  pool.on("connect", (client) => {
    client.on("error", () => {});
    messagesOf(client).on("errorMessage", ({ code }) => {
      if (SHORT_OF_ROOM.test(code ?? "")) shortages++;
    });
  });
  return {
    pool,
    orm: ormOn(pool),
    connection,
    async check() {
      await pool.query("select 1");
      if (shortages === overcome) return;
      const seen = shortages;
      await checkRoom(pool);
      overcome = seen;
    },
    close: () => pool.end(),
  };
}

/**
 * Whether the server can write about as much as one more segment of its WAL takes. By a temporary file and not by a row:
 * that often fits into a page that is there already, and writing WAL on a full disk ends the server.
 */
async function checkRoom(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query("set local work_mem = '64kB'");
    await client.query("select count(*) from generate_series(1, 1000000)");
  });
}

/** Runs raw queries in one transaction. Drizzle queries use `orm.transaction`. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {}); // the first error is the one to report
    throw error;
  } finally {
    client.release(); // the pool discards a connection that is broken
  }
}

type ServerMessages = { on(event: "errorMessage", handler: (message: { code?: string }) => void): void };

/** What the server says on a connection, whichever query it answers. */
function messagesOf(client: pg.PoolClient): ServerMessages {
  return (client as unknown as { connection: ServerMessages }).connection;
}

/**
 * Drizzle on the pool, but for its transactions: its own never gives a connection back whose `begin` fails, so that a pool
 * has none left after a few moments without the database.
 */
function ormOn(pool: pg.Pool): Orm {
  const orm = drizzle(pool, { casing: "snake_case" });
  orm.transaction = async (work, config) => {
    const client = await pool.connect();
    try {
      return await drizzle(client, { casing: "snake_case" }).transaction(work, config);
    } finally {
      client.release(); // the pool drops it by itself if it is of no more use
    }
  };
  return orm;
}

/** Hangs up when a query has timed out: the server may still be at it, so nobody else must get this connection. */
class ImpatientClient extends pg.Client {
  override query(...asked: never[]): never {
    const answer = (super.query as (...asked: never[]) => unknown).apply(this, asked);
    if (answer instanceof Promise) {
      answer.catch((error: Error) => {
        if (error.message === READ_TIMEOUT) this.end().catch(() => {});
      });
    }
    return answer as never;
  }
}

const READ_TIMEOUT = "Query read timeout";
/** What pg says, without a code, when the connection is gone, hung up or not to be had. */
const GONE = new RegExp(
  `^(${READ_TIMEOUT}|Connection terminated|timeout exceeded when trying to connect|Client (has|was) .*not queryable)`,
);
const SOCKET_TROUBLE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
/** Connection exceptions; being shut down, starting, or told to hang up; no connection left. */
const AWAY_STATE = /^(08...|57P0[123]|53300)$/;
/** The disk is full, or fails. */
const SHORT_OF_ROOM = /^(53100|58030)$/;
/** Insufficient resources (disk, memory, connections), and a disk that fails. */
const SHORT_STATE = /^(53...|58030)$/;

/** Whether an error only says that the database lacks what it needs to do its work: room on its disk, memory. */
export function isDatabaseOverloaded(error: unknown): boolean {
  return SHORT_STATE.test(sqlStateOf(error) ?? "");
}

/** Whether an error only says that the database cannot be reached now, and not that something is wrong with us. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return causesOf(error).some((one) => {
    const { code = "", syscall, message } = one as NodeJS.ErrnoException;
    if (one instanceof pg.DatabaseError) return AWAY_STATE.test(code);
    return SOCKET_TROUBLE.has(code) || (code === "ENOENT" && syscall === "connect") || GONE.test(message);
  });
}

/** SQLSTATE of what PostgreSQL refused, also when Drizzle has wrapped it. */
export function sqlStateOf(error: unknown): string | undefined {
  return causesOf(error).find((one) => one instanceof pg.DatabaseError)?.code;
}

/** An error and what it wraps. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let one = error; one instanceof Error && causes.length < 3; one = one.cause) causes.push(one);
  return causes;
}

export const UNIQUE_VIOLATION = "23505";
