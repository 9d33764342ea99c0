/** Migrations at start: which release may start on which database. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { expect, test } from "vitest";
import { migrate, NewerSchema } from "../src/db/migrate.ts";
import { openTestDatabase } from "./database.ts";

test("a release refuses a database that a newer one has migrated, and names both versions", async () => {
  await using database = await openTestDatabase();
  const { connection, pool } = database;
  await migrate(connection); // it is at our version: nothing to do

  const tomorrow = Date.now() + 24 * 3600 * 1000;
  await pool.query("insert into migrations (hash, created_at) values ('of a later release', $1)", [tomorrow]);
  await pool.query("comment on table migrations is '9.9.9'");
  const refused = await migrate(connection).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(NewerSchema);
  const { message } = refused as Error;
  expect(message).toContain("applied by Mailvet 9.9.9");
  expect(message).toContain(new Date(tomorrow).toISOString().slice(0, 10));
  expect(message).toMatch(
    /This is Mailvet \d+\.\d+\.\d+, which knows \d+, the last of \d{4}-\d\d-\d\d \(\d{4}_\w+\)/,
  );
  expect(message).toContain("Start the newer release");

  await pool.query("delete from migrations where created_at = $1", [tomorrow]);
  await migrate(connection);
});

test("the release that migrated a database is recorded", async () => {
  await using database = await openTestDatabase();
  const { rows } = await database.pool.query("select obj_description('migrations'::regclass) as release");
  expect(rows[0].release).toMatch(/^\d+\.\d+\.\d+/);
});

test("a start that waits for a concurrent migration can be interrupted", async () => {
  await using database = await openTestDatabase();
  const other = new pg.Client(database.connection);
  await other.connect();
  await other.query("select pg_advisory_lock(7224108153)");
  const interrupt = new AbortController();
  const migrating = migrate(database.connection, { interrupted: interrupt.signal });
  const waiting =
    "select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()";
  await expect.poll(async () => (await other.query(waiting)).rowCount, { timeout: 120_000 }).toBe(1);
  interrupt.abort();
  await expect(migrating).rejects.toBe(interrupt.signal.reason);
  await other.end();
});

/** All migrations and one more, of a later release. */
function withNextMigration(statement: string) {
  const folder = mkdtempSync(join(tmpdir(), "mailvet-migrations-"));
  cpSync(fileURLToPath(new URL("../migrations", import.meta.url)), folder, { recursive: true });
  const path = join(folder, "meta/_journal.json");
  const journal = JSON.parse(readFileSync(path, "utf8"));
  journal.entries.push({
    ...journal.entries.at(-1),
    idx: journal.entries.length,
    when: Date.now(),
    tag: "9999_next",
  });
  writeFileSync(path, JSON.stringify(journal));
  writeFileSync(join(folder, "9999_next.sql"), statement);
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

test("a migration that waits for an open transaction does not hold up others, and is applied afterwards", async () => {
  await using database = await openTestDatabase();
  using next = withNextMigration("alter table accounts add column next_column text");
  const { pool, connection } = database;
  const long = await pool.connect();
  await long.query("begin");
  await long.query("select from accounts");
  const migrating = migrate(connection, { folder: next.folder, lockTimeoutMs: 200 });
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'alter table%'`;
  await expect.poll(async () => (await pool.query(waiting)).rowCount, { timeout: 120_000 }).toBe(1);

  // Queued behind the migration, which gives up while the transaction is still open.
  await pool.query("insert into accounts (email, plan) values ('ann@team.example', 'free')");
  await expect(pool.query("select next_column from accounts")).rejects.toThrow(/does not exist/);
  await long.query("commit");
  long.release();
  await migrating;
  expect((await pool.query("select next_column from accounts")).rowCount).toBe(1);
});
