/** Migrations at start: which release may start on which database. */
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
  const migrating = migrate(database.connection, interrupt.signal);
  const waiting =
    "select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()";
  await expect.poll(async () => (await other.query(waiting)).rowCount, { timeout: 120_000 }).toBe(1);
  interrupt.abort();
  await expect(migrating).rejects.toBe(interrupt.signal.reason);
  await other.end();
});
