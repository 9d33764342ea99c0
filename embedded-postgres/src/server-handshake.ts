/** Asks the server at a socket for its state and version, and creates the database. */
import pg from "pg";
import type { EmbeddedConnection } from "./socket-directory.ts";

export type Handshake =
  /** `version` as in `server_version_num`. */
  | { kind: "ready"; version: number; hasDatabase: boolean }
  /** Running, but starting, recovering or stopping. */
  | { kind: "busy" }
  | { kind: "absent" }
  | { kind: "odd"; message: string };

const HANDSHAKE_TIMEOUT_MS = 5000;
/** CREATE DATABASE copies and syncs a whole template, perhaps on a slow disk. */
const CREATION_TIMEOUT_MS = 120_000;
const CANNOT_CONNECT_NOW = "57P03";

export async function handshake(connection: EmbeddedConnection): Promise<Handshake> {
  const client = maintenanceClient(connection, HANDSHAKE_TIMEOUT_MS);
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
  const client = maintenanceClient(connection, CREATION_TIMEOUT_MS);
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(connection.database)}`);
  } finally {
    await client.end();
  }
}

/** Connects to the database `postgres`, which initdb creates. */
function maintenanceClient(connection: EmbeddedConnection, timeoutMs: number): pg.Client {
  const client = new pg.Client({
    ...connection,
    database: "postgres",
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on("error", () => {}); // the pending call reports it
  return client;
}

function readFailure(error: unknown): Handshake {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === CANNOT_CONNECT_NOW) return { kind: "busy" };
  if (code === "ENOENT" || code === "ECONNREFUSED" || code === "ECONNRESET" || code === "EPIPE") {
    return { kind: "absent" };
  }
  return { kind: "odd", message: error instanceof Error ? error.message : String(error) };
}
