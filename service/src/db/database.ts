/**
 * Access to PostgreSQL: one connection pool, and Drizzle on top of it for ordinary queries; optionally through a
 * connection pooler in transaction mode, and with a replica for reads.
 *
 * Whether the server is embedded or named by DATABASE_URL is decided before this (database-storage.ts).
 */
import { sql } from "drizzle-orm";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import pg from "pg";

export type Database = {
  /** Raw queries, for hot paths and batches. */
  pool: pg.Pool;
  /** Ordinary queries. */
  orm: Orm;
  /** For connections outside the pool that need a session, such as that of pubsub.ts. Never through a pooler. */
  connection: pg.ClientConfig;
  /**
   * Pool for large reads: that of the replica if it has replayed everything the primary has committed, otherwise the
   * primary's.
   */
  readPool(): Promise<pg.Pool>;
  /** Resolves when the database answers and, after a write failed on a full disk, has space again. */
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

/** Runs inside a transaction, right before its commit; when it throws, everything is rolled back. */
export type BeforeCommit<Made> = (tx: Orm, made: Made) => Promise<void>;

export function bothOnCommit<Made>(one: BeforeCommit<Made>, other: BeforeCommit<Made>): BeforeCommit<Made> {
  return async (tx, made) => {
    await one(tx, made);
    await other(tx, made);
  };
}

// Counts never exceed 2^53, and pg would return them as text.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type DatabaseOptions = {
  connection: pg.ClientConfig;
  /**
   * A pooler in transaction mode for the connections of the pool. They then use no named prepared statements and no
   * startup parameters, which such a pooler does not pass on reliably.
   */
  pooler?: pg.ClientConfig | undefined;
  /** A streaming replica. */
  replica?: pg.ClientConfig | undefined;
  maxConnections?: number;
  queryTimeoutMs?: number;
  /** For the metrics: a query or transaction waited, because no connection of the pool was free. */
  countWait?: ((elapsedMs: number) => void) | undefined;
};

const CONNECT_TIMEOUT_MS = 10_000;
/** For the connections of a start, which no request waits for. A busy machine may need longer than ten seconds. */
export const START_CONNECT_TIMEOUT_MS = 60_000;
/** Longer than the intervals of regular work, which would otherwise open a connection each time. */
const IDLE_CONNECTION_MS = 60_000;
/** No query through the pool takes this long; a server that is silent by then will not answer. */
const QUERY_TIMEOUT_MS = 15_000;
/** A client machine that dies inside a transaction must not keep its locks for hours. */
const IDLE_IN_TRANSACTION_MS = 30_000;

export function openDatabase(options: DatabaseOptions): Database {
  const { connection, pooler, replica, maxConnections = 16 } = options;
  const { queryTimeoutMs = QUERY_TIMEOUT_MS, countWait = () => {} } = options;
  const Client = pooler ? UnpreparedClient : TimeoutClient; // a replica is reached by the same pooler, if there is one
  const openPool = (to: pg.ClientConfig) => openConnectionPool(to, maxConnections, queryTimeoutMs, Client);
  const pool = openPool(
    pooler ?? { ...connection, idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS },
  );
  pool.onWait = countWait;
  const replicaPool = replica && openPool(replica);
  // Writes that failed on a full disk, and how many of them `check` has seen to be over.
  let shortages = 0;
  let resolved = 0;
  pool.on("connect", (client) => {
    messagesOf(client).on("errorMessage", ({ code }) => {
      if (DISK_FULL.test(code ?? "")) shortages++;
    });
  });
  return {
    pool,
    orm: ormOn(pool),
    connection,
    async readPool() {
      return replicaPool && (await isCaughtUp(replicaPool, pool)) ? replicaPool : pool;
    },
    async check() {
      await pool.query("select 1");
      if (shortages === resolved) return;
      const seen = shortages;
      await checkDiskSpace(pool);
      resolved = seen;
    },
    async close() {
      await Promise.all([pool.end(), replicaPool?.end()]);
    },
  };
}

function openConnectionPool(
  connection: pg.ClientConfig,
  max: number,
  queryTimeoutMs: number,
  Client: typeof pg.Client,
): MeasuredPool {
  const pool = new MeasuredPool({
    ...connection,
    max,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
    keepAlive: true, // detects a dead server on idle connections
    Client,
  });
  // The pool replaces connections that break while idle; queries report their own errors. Between two queries of a
  // transaction the error event has no other listener and would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
  });
  return pool;
}

/** Measures how long callers wait for a connection while all are in use. */
class MeasuredPool extends pg.Pool {
  onWait: (elapsedMs: number) => void = () => {};

  override connect(...asked: never[]): never {
    const connect = super.connect as (...asked: unknown[]) => unknown;
    const isWait = this.totalCount >= this.options.max && this.idleCount <= this.waitingCount;
    if (!isWait) return connect.apply(this, asked) as never;
    const startedAtMs = performance.now();
    const end = () => this.onWait(performance.now() - startedAtMs);
    const [callback] = asked as unknown as [((...results: unknown[]) => void)?];
    if (!callback) return (connect.call(this) as Promise<unknown>).finally(end) as never;
    return connect.call(this, (...results: unknown[]) => {
      end();
      callback(...results);
    }) as never;
  }
}

/** A replica that is behind, broken or promoted is not used. */
async function isCaughtUp(replica: pg.Pool, primary: pg.Pool): Promise<boolean> {
  const { rows } = await primary.query<{ lsn: string }>("select pg_current_wal_lsn() as lsn");
  try {
    const { rows: replayed } = await replica.query<{ is_caught_up: boolean | null }>(
      "select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as is_caught_up",
      [rows[0]!.lsn],
    );
    return replayed[0]!.is_caught_up === true;
  } catch {
    return false;
  }
}

/**
 * Whether the server can write about one more WAL segment. By a temporary file and not by a row: a row often fits into an
 * existing page, and writing WAL on a full disk ends the server.
 */
async function checkDiskSpace(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query("set local work_mem = '64kB'");
    await client.query("select count(*) from generate_series(1, 1000000)");
  });
}

/** Runs raw queries in one transaction, with these settings first. Drizzle queries use `orm.transaction`. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  settings = "",
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(`begin; ${settings}`);
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

/** Server messages of a connection, for any query. */
function messagesOf(client: pg.PoolClient): ServerMessages {
  return (client as unknown as { connection: ServerMessages }).connection;
}

/**
 * Drizzle on the pool, with its own transaction function: Drizzle's never releases a connection whose `begin` fails, so a
 * short outage of the database exhausts the pool.
 */
function ormOn(pool: pg.Pool): Orm {
  const orm = drizzle(pool, { casing: "snake_case" });
  orm.transaction = async (work, config) => {
    const client = await pool.connect();
    try {
      return await drizzle(client, { casing: "snake_case" }).transaction(work, config);
    } finally {
      client.release(); // the pool discards a connection that is broken
    }
  };
  return orm;
}

/** Closes the connection when a query times out: the server may still run it, so the connection must not be reused. */
class TimeoutClient extends pg.Client {
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

/**
 * For a pooler in transaction mode: statements are not prepared under a name, as the next one may reach another server
 * process. (Drizzle takes a class for a pool if its name contains "Pool".)
 */
class UnpreparedClient extends TimeoutClient {
  override query(...asked: never[]): never {
    const [first, ...rest] = asked as unknown[];
    const isNamed = typeof first === "object" && first !== null && "name" in first && "text" in first;
    return super.query(...([isNamed ? { ...first, name: undefined } : first, ...rest] as never[]));
  }
}

const READ_TIMEOUT = "Query read timeout";
/** Messages of pg, without a code, for connections that are closed or cannot be opened. */
const CONNECTION_LOST = new RegExp(
  `^(${READ_TIMEOUT}|Connection terminated|timeout exceeded when trying to connect|Client (has|was) .*not queryable)`,
);
const SOCKET_ERRORS: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
/** Connection exceptions; server shutting down or starting; too many connections. */
const UNAVAILABLE_STATE = /^(08...|57P0[123]|53300)$/;
/** The disk is full, or fails. */
const DISK_FULL = /^(53100|58030)$/;
/** Insufficient resources (disk, memory, connections), and a disk that fails. */
const OVERLOADED_STATE = /^(53...|58030)$/;

/** Whether the database lacks resources: disk space, memory, connections. */
export function isDatabaseOverloaded(error: unknown): boolean {
  return OVERLOADED_STATE.test(sqlStateOf(error) ?? "");
}

/** Whether the database cannot be reached, as opposed to a bug. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return causesOf(error).some((one) => {
    const { code = "", syscall, message } = one as NodeJS.ErrnoException;
    if (one instanceof pg.DatabaseError) return UNAVAILABLE_STATE.test(code);
    return (
      SOCKET_ERRORS.has(code) || (code === "ENOENT" && syscall === "connect") || CONNECTION_LOST.test(message)
    );
  });
}

/** SQLSTATE of a PostgreSQL error, also inside an error of Drizzle. */
export function sqlStateOf(error: unknown): string | undefined {
  return causesOf(error).find((one) => one instanceof pg.DatabaseError)?.code;
}

/** An error and its causes. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let one = error; one instanceof Error && causes.length < 3; one = one.cause) causes.push(one);
  return causes;
}

export const UNIQUE_VIOLATION = "23505";
export const DEADLOCK = "40P01";

/**
 * For statements that insert what they find missing: another process may insert the same at that moment, or wait for a row
 * of this one while this one waits for a row of its own.
 */
export async function retriedOnConflict<T>(run: () => Promise<T>): Promise<T> {
  for (let left = MAX_CONFLICTS; ; left--) {
    try {
      return await run();
    } catch (error) {
      if (left === 0 || !CONFLICTS.has(sqlStateOf(error) ?? "")) throw error;
    }
  }
}

const CONFLICTS: ReadonlySet<string> = new Set([UNIQUE_VIOLATION, DEADLOCK]);
const MAX_CONFLICTS = 10;
