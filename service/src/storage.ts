/** Where the tables are: in the embedded PostgreSQL, or in the one that DATABASE_URL names. Nothing else knows which. */
import type { StorageConfig } from "./config.ts";
import { type Database, openDatabase } from "./db/database.ts";
import { startEmbeddedPostgres } from "./db/embedded/embedded-postgres.ts";
import { migrate } from "./db/migrate.ts";

export type Storage = {
  database: Database;
  /** Settles when the database is gone for good, although nobody stopped it. Never, for a server that is not ours. */
  lost: Promise<void>;
  close(): Promise<void>;
};

export async function openStorage(config: StorageConfig, say: (text: string) => void): Promise<Storage> {
  const server = await openServer(config, say);
  try {
    await migrate(server.connection);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const database = openDatabase({ connection: server.connection });
  return {
    database,
    lost: server.exited,
    async close() {
      await database.close();
      await server.stop();
    },
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
