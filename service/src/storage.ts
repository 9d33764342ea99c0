/** Where the tables are: in the embedded PostgreSQL, or in the one that DATABASE_URL names. Nothing else knows which. */
import type { StorageConfig } from "./config.ts";
import { type Database, openDatabase, sqlStateOf } from "./db/database.ts";
import { startEmbeddedPostgres } from "./db/embedded/embedded-postgres.ts";
import { migrate } from "./db/migrate.ts";

export type Storage = {
  database: Database;
  /** Settles when the database is gone for good, although nobody stopped it. Never, for a server that is not ours. */
  lost: Promise<void>;
  close(): Promise<void>;
  /** Stops the embedded server without waiting for whoever still uses it: they lose their connections. */
  stopServer(): Promise<void>;
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
  return error instanceof Error && (sqlState === undefined || /^(08|28|3D|53|57)/.test(sqlState));
}

export type StorageOptions = { say: (text: string) => void; maxConnections: number };

export async function openStorage(config: StorageConfig, options: StorageOptions): Promise<Storage> {
  const { say, maxConnections } = options;
  const server = await openServer(config, say);
  try {
    await migrate(server.connection);
  } catch (error) {
    await server.stop();
    throw "databaseUrl" in config && isAboutConnecting(error) ? new DatabaseUnreachable(error) : error;
  }
  const database = openDatabase({ connection: server.connection, maxConnections });
  return {
    database,
    lost: server.exited,
    async close() {
      await database.close();
      await server.stop();
    },
    stopServer: server.stop,
  };
}

async function openServer(config: StorageConfig, say: (text: string) => void) {
  if ("dataDirectory" in config) return startEmbeddedPostgres({ dataDirectory: config.dataDirectory, say });
  return {
    connection: { connectionString: config.databaseUrl, application_name: "mailvet" },
    exited: new Promise<void>(() => {}),
    stop: async () => {},
  };
}
