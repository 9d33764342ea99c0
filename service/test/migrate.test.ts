/** Migrations at start: which release may start on which database. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import pg from "pg";
import { expect, test } from "vitest";
import { createLedger } from "../src/credits/ledger.ts";
import { migrate, NewerSchema } from "../src/db/migrate.ts";
import { installPgBoss, PG_BOSS_QUEUES, PG_BOSS_SCHEMA_VERSION } from "../src/db/pg-boss-schema.ts";
import { openClaims } from "./claims.ts";
import { charge, expectBooksToAddUp, settle } from "./credits-books.ts";
import { openTestDatabase } from "./database.ts";

test("a release refuses a database that a newer one has migrated, and names both versions", async () => {
  await using database = await openTestDatabase();
  const { connection, pool } = database;
  await migrate(connection); // it is at our version: nothing to do

  const tomorrow = Date.now() + 24 * 3600 * 1000;
  await pool.query("insert into migrations (hash, created_at) values ('of a later release', $1)", [tomorrow]);
  await pool.query("comment on table migrations is '9.9.9 (commit 0123456789)'");
  const refused = await migrate(connection).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(NewerSchema);
  const { message } = refused as Error;
  expect(message).toContain("applied by Mailvet 9.9.9 (commit 0123456789)");
  expect(message).toContain(new Date(tomorrow).toISOString().slice(0, 10));
  expect(message).toMatch(
    /This is Mailvet \d+\.\d+\.\d+ \(commit [0-9a-f]{10}\), which knows \d+, the last of \d{4}-\d\d-\d\d \(\d{4}_\w+\)/,
  );
  expect(message).toContain("Start the newer release");

  await pool.query("delete from migrations where created_at = $1", [tomorrow]);
  await migrate(connection);
});

test("the release that migrated a database is recorded", async () => {
  await using database = await openTestDatabase();
  const { rows } = await database.pool.query("select obj_description('migrations'::regclass) as release");
  expect(rows[0].release).toMatch(/^\d+\.\d+\.\d+ \(commit [0-9a-f]{10}\)$/);
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
  await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1);
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
  await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1);

  // Queued behind the migration, which gives up while the transaction is still open.
  await pool.query("insert into accounts (email, plan) values ('ann@team.example', 'free')");
  await expect(pool.query("select next_column from accounts")).rejects.toThrow(/does not exist/);
  await long.query("commit");
  long.release();
  await migrating;
  expect((await pool.query("select next_column from accounts")).rowCount).toBe(1);
});

test("a migration that ends in a deadlock with a running process is tried again", async () => {
  await using database = await openTestDatabase();
  using next = withNextMigration(
    [
      "alter table jobs add column next_column text",
      "select pg_advisory_xact_lock(42)",
      "alter table results add column next_column text",
    ].join(";--> statement-breakpoint\n"),
  );
  const { pool, connection } = database;
  const isWaiting = async (query: string) =>
    (
      await pool.query("select from pg_stat_activity where wait_event_type = 'Lock' and query like $1", [
        query,
      ])
    ).rowCount === 1;
  const worker = await pool.connect();
  const pausing = await pool.connect();
  await pausing.query("select pg_advisory_lock(42)");
  // As a worker that saves a slice: results, then the job. It leaves it to the migration to detect the deadlock.
  await worker.query("begin; set local deadlock_timeout = '1h'");
  await worker.query("delete from results");
  const migrating = migrate(connection, { folder: next.folder, lockTimeoutMs: 600_000 });
  await expect.poll(() => isWaiting("%select pg_advisory_xact_lock(42)%")).toBe(true);
  const saved = worker.query("delete from jobs");
  await expect.poll(() => isWaiting("delete from jobs")).toBe(true);
  await pausing.query("select pg_advisory_unlock(42)");
  pausing.release();
  await saved;
  await worker.query("commit");
  worker.release();
  await migrating;
  expect((await pool.query("select next_column from results")).rowCount).toBe(0);
});

test("tasks that wait or run in a database of the previous release are converted and finish", async () => {
  await using database = await openTestDatabase();
  const { connection, pool, orm } = database;
  await pool.query("drop schema public cascade; create schema public; drop schema pgboss cascade");
  const before = readMigrationFiles({ migrationsFolder: MIGRATIONS }).slice(0, 6); // up to 0005
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(
    "create table migrations (id serial primary key, hash text not null, created_at bigint)",
  );
  for (const { sql, hash, folderMillis } of before) {
    for (const statement of sql) await client.query(statement);
    await client.query("insert into migrations (hash, created_at) values ($1, $2)", [hash, folderMillis]);
  }
  await client.query(WORK_OF_THE_PREVIOUS_RELEASE);
  await client.end();

  await migrate(connection);

  const { tasks, claim } = openClaims(database);
  const finished: string[] = [];
  for (const queue of ["plan", "slice", "recheck", "delivery"] as const) {
    for (const task of await claim(queue)) {
      finished.push(`${task.queue} ${task.subject} ${task.failures}`);
      expect(await tasks.complete(orm, task)).toBe(true);
    }
  }
  expect(finished.sort()).toEqual([
    "delivery claimed 0",
    "plan first 0",
    "recheck later 0",
    "slice 1 0",
    "slice 2 3",
    "slice claimed 0",
  ]);
  const left = await pool.query("select subject, state from tasks order by subject");
  expect(left.rows).toEqual([
    { subject: "in an hour", state: "waiting" },
    { subject: "paused", state: "ready" },
  ]);
  await orm.transaction((tx) => tasks.resume(tx, PAUSED_JOB));
  expect((await claim("slice")).map(({ subject }) => subject)).toEqual(["paused"]);
  const { rows } = await pool.query("select nextval('retry_slice_numbers')::int as next");
  expect(rows[0].next).toBe(-8); // retry slices of the previous release have numbers down to −7
});

test("the ledger of a release that reserved credits for checks is converted, and its runs and keys go on", async () => {
  await using database = await openTestDatabase();
  const { connection, pool } = database;
  await pool.query("drop schema public cascade; create schema public; drop schema pgboss cascade");
  const client = new pg.Client(connection);
  await client.connect();
  await installPgBoss(client);
  await client.query(
    "create table migrations (id serial primary key, hash text not null, created_at bigint)",
  );
  for (const { sql, hash, folderMillis } of readMigrationFiles({ migrationsFolder: MIGRATIONS }).slice(
    0,
    33,
  )) {
    for (const statement of sql) await client.query(statement);
    await client.query("insert into migrations (hash, created_at) values ($1, $2)", [hash, folderMillis]);
  }
  await client.query(LEDGER_OF_AN_EARLIER_RELEASE);
  await client.end();

  await migrate(connection);

  const ledger = createLedger({ database });
  expect(await ledger.balanceOf(ANN)).toEqual({ balance: 80, reserved: 10 }); // the job's
  await expectBooksToAddUp(database);
  const { entries } = await ledger.page(ANN, { skip: 0, limit: 2 });
  expect(entries).toMatchObject([
    { kind: "release", amount: 5, reserved_change: -5, reference: "request-4" },
    { kind: "reserve", reference_kind: "job" },
  ]);
  expect(await charge(ledger, ANN, { amount: 4, idempotencyKey: "hash/1" })).toBe(80); // known
  await settle(database, ANN, 6, RUN, 1);
  expect(await ledger.balanceOf(ANN)).toEqual({ balance: 85, reserved: 0 });
  await expectBooksToAddUp(database);
  const { rows } = await pool.query(
    "select key_id, credits_used from usage_days where account_id = $1 order by key_id",
    [ANN],
  );
  expect(rows).toEqual([
    { key_id: RUN, credits_used: 5 },
    { key_id: null, credits_used: 10 },
  ]);
  await ledger.close();
});

const ANN = "00000000-0000-4000-8000-000000000001";
const RUN = "00000000-0000-4000-8000-000000000002";
/** Charges of a request, under a key, and of one that was refunded in part; what a killed process held; a job that runs. */
const LEDGER_OF_AN_EARLIER_RELEASE = `
  insert into accounts (id, email, plan) values ('${ANN}', 'ann@example.com', 'payg');
  insert into balances values ('${ANN}', 75, 15, 8);
  insert into ledger (account_id, number, kind, amount, reserved_change, balance_after, reference, idempotency_key) values
    ('${ANN}', 1, 'grant', 100, 0, 100, 'welcome', null),
    ('${ANN}', 2, 'settle', -1, 0, 99, 'request-1', null),
    ('${ANN}', 3, 'reserve', -4, 4, 95, 'request-2', null),
    ('${ANN}', 4, 'settle', 0, -4, 95, 'request-2', 'hash/1'),
    ('${ANN}', 5, 'settle', -6, 0, 89, 'request-3', 'hash/2'),
    ('${ANN}', 6, 'refund', 1, 0, 90, 'request-3', 'part hash/2'),
    ('${ANN}', 7, 'reserve', -5, 5, 85, 'request-4', null),
    ('${ANN}', 8, 'reserve', -10, 10, 75, '00000000-0000-4000-8000-00000000000a', 'job reserve ${RUN}');
  insert into reservations (id, account_id, amount, reference, expires_at) values
    ('00000000-0000-4000-8000-000000000003', '${ANN}', 5, 'request-4', now() + interval '1 minute'),
    ('${RUN}', '${ANN}', 10, '00000000-0000-4000-8000-00000000000a', null);
  insert into jobs (id, account_id, upload_id, is_test, status, filename, email_column, column_number, total_rows,
    total_emails, unique_emails, reservation_id, key_id)
  values ('00000000-0000-4000-8000-00000000000a', '${ANN}', gen_random_uuid(), false, 'processing', '', '', 0, 10, 10, 10,
    '${RUN}', '${RUN}');
  insert into usage_days values ('${ANN}', current_date, null, 1, 0, 0, 0, 10);`;

test("the schema version of pg-boss that is expected is that of the installed package", async () => {
  const file = new URL("../../node_modules/pg-boss/package.json", import.meta.url);
  const { pgboss } = JSON.parse(readFileSync(file, "utf8")) as { pgboss: { schema: number } };
  expect(PG_BOSS_SCHEMA_VERSION).toBe(pgboss.schema);
  await using database = await openTestDatabase();
  expect((await database.pool.query("select version from pgboss.version")).rows).toEqual([
    { version: PG_BOSS_SCHEMA_VERSION },
  ]);
});

const MIGRATIONS = fileURLToPath(new URL("../migrations", import.meta.url));
const PAUSED_JOB = "00000000-0000-4000-8000-00000000000b";
/** Two jobs, one of them paused, an endpoint and rechecks; some tasks are claimed by a process. */
const WORK_OF_THE_PREVIOUS_RELEASE = `
  insert into accounts (id, email, plan) values ('00000000-0000-4000-8000-000000000001', 'ann@example.com', 'free');
  insert into lanes (id, account_id, line, is_held, served_at)
  select id, '00000000-0000-4000-8000-000000000001', line, id = '${PAUSED_JOB}', now() from (values
    ('00000000-0000-4000-8000-00000000000a'::uuid, 'jobs'), ('${PAUSED_JOB}', 'jobs'),
    ('00000000-0000-4000-8000-00000000000c', 'webhooks'), ('00000000-0000-4000-8000-000000000001', 'rechecks')
  ) as lane (id, line);
  insert into turns values ('00000000-0000-4000-8000-000000000001', 'jobs', now());
  insert into jobs (id, account_id, upload_id, is_test, status, filename, email_column, column_number, total_rows,
    total_emails, unique_emails)
  values ('00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-000000000001', gen_random_uuid(), false,
    'processing', '', '', 0, 1, 1, 1);
  insert into slices (job_id, number, emails) values ('00000000-0000-4000-8000-00000000000a', -7, '[]');
  insert into tasks (lane_id, kind, subject, failures, due_at, process_id, taken_at)
  select lane_id::uuid, kind, subject, failures, now() + due_in, case when is_claimed then gen_random_uuid() end,
    case when is_claimed then now() end
  from (values
    ('00000000-0000-4000-8000-00000000000a', 'plan', 'first', 0, interval '-1 minute', false),
    ('00000000-0000-4000-8000-00000000000a', 'slice', '1', 0, '-1 minute', false),
    ('00000000-0000-4000-8000-00000000000a', 'slice', '2', 3, '-1 minute', false),
    ('00000000-0000-4000-8000-00000000000a', 'slice', 'claimed', 0, '-1 minute', true),
    ('00000000-0000-4000-8000-00000000000a', 'slice', 'in an hour', 0, '1 hour', false),
    ('${PAUSED_JOB}', 'slice', 'paused', 0, '-1 minute', false),
    ('00000000-0000-4000-8000-00000000000c', 'delivery', 'claimed', 0, '-1 minute', true),
    ('00000000-0000-4000-8000-000000000001', 'recheck', 'later', 0, '-1 second', false)
  ) as task (lane_id, kind, subject, failures, due_in, is_claimed);`;

test("an installation of pg-boss that was interrupted before its queues is completed by the next start", async () => {
  await using database = await openTestDatabase();
  const { pool, connection } = database;
  await pool.query("delete from pgboss.queue where name <> 'slice'"); // which has a table of its own
  await migrate(connection);
  const { rows } = await pool.query("select name from pgboss.queue order by name");
  expect(rows.map(({ name }) => name)).toEqual(PG_BOSS_QUEUES.map(({ name }) => name).sort());
});
