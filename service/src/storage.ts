/** Where the tables are: in the embedded PostgreSQL, or in the one that DATABASE_URL names. Nothing else knows which. */
import type { StorageConfig } from "./config.ts";
import { type Database, openDatabase, sqlStateOf } from "./db/database.ts";
import { startEmbeddedPostgres } from "./db/embedded/embedded-postgres.ts";
import { migrate, NewerSchema } from "./db/migrate.ts";

export type Storage = {
  database: Database;
  close(): Promise<void>;
};

/** The PostgreSQL that DATABASE_URL names does not let us in. */
export class DatabaseUnreachable extends Error {
  override readonly name = "DatabaseUnreachable";

  constructor(cause: Error) {
    super(`The database that DATABASE_URL names cannot be used: ${cause.message}`, { cause });
  }
}

/** Nobody there, no such name, no encryption, wrong password, no such database: not an error in our SQL. */
function isAboutConnecting(error: unknown): error is Error {
  const sqlState = sqlStateOf(error);
  if (error instanceof NewerSchema) return false;
  return error instanceof Error && (sqlState === undefined || /^(08|28|3D|53|57)/.test(sqlState));
}

export type StorageOptions = {
  say: (text: string) => void;
  /** Hears when the embedded server has ended and is started again. */
  warn?: (text: string) => void;
  /** Ends the start when it is aborted. */
  interrupted?: AbortSignal | undefined;
  maxConnections: number;
};

export async function openStorage(config: StorageConfig, options: StorageOptions): Promise<Storage> {
  const { interrupted, maxConnections } = options;
  const server = await openServer(config, options);
  try {
    await migrate(server.connection, interrupted);
  } catch (error) {
    await server.stop();
    const isUnreachable = "databaseUrl" in config && !interrupted?.aborted && isAboutConnecting(error);
    throw isUnreachable ? new DatabaseUnreachable(error) : error;
  }
  const database = openDatabase({ connection: server.connection, maxConnections });
  return {
    database,
    async close() {
      await database.close();
      await server.stop();
    },
  };
}

async function openServer(config: StorageConfig, { say, warn, interrupted }: StorageOptions) {
  if ("dataDirectory" in config) {
    const { dataDirectory } = config;
    return startEmbeddedPostgres({ dataDirectory, say, interrupted, onRestart: warn ?? say });
  }
  return {
    connection: { connectionString: config.databaseUrl, application_name: "mailvet" },
    stop: async () => {},
  };
}
