/** What answers at the server's socket, if anything. */
import pg from "pg";
import type { EmbeddedConnection } from "./connection.ts";

export type Greeting =
  /** `version` as in `server_version_num`. */
  | { kind: "ready"; version: number; hasDatabase: boolean }
  /** It is there, and starting, recovering or stopping. */
  | { kind: "busy" }
  | { kind: "absent" }
  | { kind: "odd"; message: string };

const GREETING_PATIENCE_MS = 5000;
/** It writes and syncs a whole database, perhaps on a slow disk. */
const CREATION_PATIENCE_MS = 120_000;
const CANNOT_CONNECT_NOW = "57P03";

export async function greet(connection: EmbeddedConnection): Promise<Greeting> {
  const client = maintenanceClient(connection, GREETING_PATIENCE_MS);
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number; hasDatabase: boolean }>(
      `SELECT current_setting('server_version_num')::int AS version,
              EXISTS (SELECT FROM pg_database WHERE datname = $1) AS "hasDatabase"`,
      [connection.database],
    );
    return { kind: "ready", ...rows[0]! };
  } catch (error) {
    return readFailure(error);
  } finally {
    await client.end().catch(() => {});
  }
}

export async function createDatabase(connection: EmbeddedConnection): Promise<void> {
  const client = maintenanceClient(connection, CREATION_PATIENCE_MS);
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(connection.database)}`);
  } finally {
    await client.end();
  }
}

/** To the database that initdb makes, which is there before ours is. */
function maintenanceClient(connection: EmbeddedConnection, patienceMs: number): pg.Client {
  const client = new pg.Client({
    ...connection,
    database: "postgres",
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
  });
  client.on("error", () => {}); // told again by the call that is under way
  return client;
}

function readFailure(error: unknown): Greeting {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === CANNOT_CONNECT_NOW) return { kind: "busy" };
  if (code === "ENOENT" || code === "ECONNREFUSED" || code === "ECONNRESET" || code === "EPIPE") {
    return { kind: "absent" };
  }
  return { kind: "odd", message: error instanceof Error ? error.message : String(error) };
}
