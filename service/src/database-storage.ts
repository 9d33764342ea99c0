/** Opens the database: the embedded PostgreSQL, or the one of DATABASE_URL. Nothing else knows which it is. */

import { type EmbeddedPostgresEvent, startEmbeddedPostgres } from "@mailvet/embedded-postgres";
import type { StorageConfig } from "./config.ts";
import { type Database, type DatabaseOptions, openDatabase, sqlStateOf } from "./db/database.ts";
import { migrate, NewerSchema } from "./db/migrate.ts";

export type Storage = {
  database: Database;
  close(): Promise<void>;
};

/** No connection to the PostgreSQL of DATABASE_URL. */
export class DatabaseUnreachable extends Error {
  override readonly name = "DatabaseUnreachable";

  constructor(cause: Error) {
    super(`Cannot connect to the database of DATABASE_URL: ${cause.message}`, { cause });
  }
}

/** Connection refused, unknown host, no TLS, wrong password, no such database; not an error in our SQL. */
function isConnectionError(error: unknown): error is Error {
  const sqlState = sqlStateOf(error);
  if (error instanceof NewerSchema) return false;
  return error instanceof Error && (sqlState === undefined || /^(08|28|3D|53|57)/.test(sqlState));
}

export type StorageOptions = {
  /** Progress of the embedded server's start, and its restarts. */
  onEvent?: (event: EmbeddedPostgresEvent) => void;
  /** An abort ends the start. */
  interrupted?: AbortSignal | undefined;
  maxConnections: number;
  countWait?: DatabaseOptions["countWait"];
};

export async function openStorage(config: StorageConfig, options: StorageOptions): Promise<Storage> {
  const { interrupted, maxConnections, countWait } = options;
  const server = await openServer(config, options);
  try {
    await migrate(server.connection, { interrupted });
  } catch (error) {
    await server.stop();
    const isUnreachable = "databaseUrl" in config && !interrupted?.aborted && isConnectionError(error);
    throw isUnreachable ? new DatabaseUnreachable(error) : error;
  }
  const database = openDatabase({ ...server, maxConnections, countWait });
  return {
    database,
    async close() {
      await database.close();
      await server.stop();
    },
  };
}

async function openServer(config: StorageConfig, { onEvent = () => {}, interrupted }: StorageOptions) {
  if ("dataDirectory" in config) {
    const { dataDirectory, postgresBin: binDirectory } = config;
    return startEmbeddedPostgres({ dataDirectory, binDirectory, onEvent, interrupted, restart: true });
  }
  const { databaseUrl, directUrl, readUrl } = config;
  const connectionTo = (url: string) => ({ connectionString: url, application_name: "mailvet" });
  return {
    connection: connectionTo(directUrl ?? databaseUrl),
    pooler: directUrl === undefined ? undefined : connectionTo(databaseUrl),
    replica: readUrl === undefined ? undefined : connectionTo(readUrl),
    stop: async () => {},
  };
}
