/** Brings the tables up to date, forward only. However many processes start at once, one of them does it. */
import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as applyMigrations } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";

const MIGRATIONS = fileURLToPath(new URL("../../migrations", import.meta.url));
/** Any constant will do, as long as nobody else in this database uses it. */
const MIGRATION_LOCK = 7_224_108_153;

export async function migrate(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection); // of its own, because the lock belongs to the connection
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await applyMigrations(drizzle(client), {
      migrationsFolder: MIGRATIONS,
      migrationsSchema: "public",
      migrationsTable: "migrations",
    });
  } finally {
    await client.end(); // and with it goes the lock
  }
}
