/**
 * Applies migrations, forward only. Of concurrent processes one applies them, and the others wait for it.
 *
 * A statement that changes a table waits for open transactions on it, and every later statement on that table waits
 * behind. So it waits for a short time only, and everything is rolled back and tried again later: other processes of the
 * deployment keep working while this one waits for its moment.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { abortable } from "@mailvet/embedded-postgres";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as applyMigrations } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { START_CONNECT_TIMEOUT_MS, sqlStateOf } from "./database.ts";
import { installPgBoss } from "./pg-boss-schema.ts";

const MIGRATIONS = fileURLToPath(new URL("../../migrations", import.meta.url));
/** Any constant that no other advisory lock of this database uses. */
const MIGRATION_LOCK = 7_224_108_153;
/** For each lock. Requests of other processes wait no longer than this behind a migration that waits. */
const LOCK_TIMEOUT_MS = 3_000;
/** Between two attempts, and how many there are: in all ten minutes or more. */
const RETRY_PAUSE_MS = 2_000;
const MAX_ATTEMPTS = 120;
/** Lock not available; deadlock, because a running process locks the same tables in its own order. */
const RETRIED: ReadonlySet<string | undefined> = new Set(["55P03", "40P01"]);

/** The database was migrated by a later release: this one would misread it. */
export class NewerSchema extends Error {
  override readonly name = "NewerSchema";

  constructor(database: AppliedMigrations, release: string, known: JournalEntry) {
    super(
      `The database has ${database.count} migrations, the last of ${dateOf(database.last)}, applied by ` +
        `Mailvet ${database.release ?? "of an unknown version"}. This is Mailvet ${release}, which knows ` +
        `${known.idx + 1}, the last of ${dateOf(known.when)} (${known.tag}), and cannot work with a newer database. ` +
        "Start the newer release, or restore a backup from before the upgrade.",
    );
  }
}

export type MigrateOptions = {
  interrupted?: AbortSignal | undefined;
  /** Of the migrations. */
  folder?: string;
  lockTimeoutMs?: number;
};

/** An abort of `interrupted` drops the connection and rolls back what is not committed. */
export async function migrate(connection: pg.ClientConfig, options: MigrateOptions = {}): Promise<void> {
  const { interrupted } = options;
  // A dedicated connection, because the lock belongs to it.
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: START_CONNECT_TIMEOUT_MS });
  client.on("error", () => {}); // reported by the running query
  try {
    await abortable(migrateOn(client, options), interrupted);
  } finally {
    if (interrupted?.aborted)
      socketOf(client).destroy(); // a server that hangs does not answer a Terminate message
    else await client.end(); // releases the lock
  }
}

async function migrateOn(
  client: pg.Client,
  { interrupted, folder = MIGRATIONS, lockTimeoutMs = LOCK_TIMEOUT_MS }: MigrateOptions,
): Promise<void> {
  await client.connect();
  await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
  await client.query(`set lock_timeout = ${lockTimeoutMs}`); // not for the advisory lock, which may take minutes
  const known = newestMigrationIn(folder);
  const before = await readApplied(client);
  if (before && before.last > known.when) throw new NewerSchema(before, releaseOfThisBuild(), known);
  for (let attempt = 1; ; attempt++) {
    try {
      await installPgBoss(client);
      await applyMigrations(drizzle(client), {
        migrationsFolder: folder,
        migrationsSchema: "public",
        migrationsTable: "migrations",
      });
      break;
    } catch (error) {
      if (!RETRIED.has(sqlStateOf(error)) || attempt === MAX_ATTEMPTS) throw error;
      await sleep(RETRY_PAUSE_MS, undefined, { signal: interrupted });
    }
  }
  if (before?.last === known.when) return;
  // For the message of an older release, should one be started on this database.
  await client.query(`comment on table public.migrations is ${client.escapeLiteral(releaseOfThisBuild())}`);
}

type AppliedMigrations = { count: number; last: number; release: string | null };

/** Undefined on an empty database. */
async function readApplied(client: pg.Client): Promise<AppliedMigrations | undefined> {
  const { rows: found } = await client.query(
    "select from pg_tables where schemaname = 'public' and tablename = 'migrations'",
  );
  if (found.length === 0) return undefined;
  const { rows } = await client.query<AppliedMigrations>(
    `select count(*)::int as count, coalesce(max(created_at), 0)::float8 as last,
            obj_description('public.migrations'::regclass, 'pg_class') as release
     from public.migrations`,
  );
  return rows[0];
}

type JournalEntry = { idx: number; when: number; tag: string };

function newestMigrationIn(folder: string): JournalEntry {
  const journal = JSON.parse(readFileSync(`${folder}/meta/_journal.json`, "utf8")) as {
    entries: JournalEntry[];
  };
  return journal.entries.at(-1)!;
}

/** "0.2.0 (commit 1a2b3c4d5e)". The manifest of a staged service has the commit (scripts/stage-service.mjs). */
function releaseOfThisBuild(): string {
  const file = new URL("../../package.json", import.meta.url);
  const manifest = JSON.parse(readFileSync(file, "utf8")) as { version: string; gitHead?: string };
  const commit = manifest.gitHead ?? commitOfCheckout(fileURLToPath(new URL(".", file)));
  return commit ? `${manifest.version} (commit ${commit.slice(0, 10)})` : manifest.version;
}

function commitOfCheckout(cwd: string): string | undefined {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { cwd, encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return undefined; // no Git, or no checkout
  }
}

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function socketOf(client: pg.Client): { destroy(): void } {
  return (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;
}
