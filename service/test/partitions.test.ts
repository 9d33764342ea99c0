/** Results and duplicates in partitions by expiry: which one a job uses, when it is dropped, and earlier releases beside it. */
import { randomUUID } from "node:crypto";
import { readMigrationFiles } from "drizzle-orm/migrator";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { accounts } from "../src/accounts/schema.ts";
import { migrate } from "../src/db/migrate.ts";
import { createPartitions, dropPartitions, partitionDates } from "../src/db/partitions.ts";
import { findReadableJob } from "../src/jobs/job-list.ts";
import { jobResults } from "../src/jobs/results/job-results.ts";
import { pageStatement, readVerdicts } from "../src/jobs/results/result-reader.ts";
import { eraseExpiredJobs, partitionFor, prepareRetention } from "../src/jobs/retention.ts";
import { jobs } from "../src/jobs/schema.ts";
import { createUploadFiles, type UploadFiles } from "../src/uploads/upload-files.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { beginHolder, type Holder } from "./lock-waits.ts";
import { testOnOneDay } from "./one-day.ts";
import { PATIENCE } from "./patience.ts";

const TABLES = ["results", "duplicates"];
const inspect = (email: string) => ({ email });
let database: TestDatabase;
let files: UploadFiles;
let accountId: string;
beforeAll(async () => {
  database = await openTestDatabase();
  files = createUploadFiles({ pool: database.pool, blobs: database.blobs });
  accountId = await addAccount(database);
});
afterAll(() => database.close());

async function addAccount({ orm }: TestDatabase): Promise<string> {
  const values = { email: `${randomUUID()}@example.com`, plan: "payg" } as const;
  const [account] = await orm.insert(accounts).values(values).returning();
  return account!.id;
}

type AddedJob = { rowsExpireOn: string | null; expiresAt?: Date; rows?: number };

/** A completed job; each tenth row is a duplicate of the one before. */
async function addJob({ rowsExpireOn, expiresAt = inDays(1), rows = 20 }: AddedJob): Promise<string> {
  const id = randomUUID();
  await database.orm.insert(jobs).values({
    id,
    accountId,
    uploadId: randomUUID(),
    isTest: true,
    status: "completed",
    filename: "list.csv",
    emailColumn: "email",
    columnNumber: 0,
    totalRows: rows,
    totalEmails: rows,
    uniqueEmails: rows - rows / 10,
    isPlanned: true,
    completedAt: new Date(),
    expiresAt,
    rowsExpireOn,
  });
  const date = rowsExpireOn ?? "1970-01-01";
  await database.pool.query(`${INSERT_RESULTS}, expires_on) select ${RESULT}, $3 ${RESULT_ROWS}`, [
    id,
    rows,
    date,
  ]);
  await database.pool.query(
    `insert into duplicates (job_id, row, first_row, email, expires_on)
     select $1, n, n - 1, 'p@x.test', $3 from generate_series(10, $2::int, 10) n`,
    [id, rows, date],
  );
  return id;
}

const INSERT_RESULTS = `
  insert into results (job_id, "row", email, status, sub_status, confidence, score, is_valid, safe_to_send, suggestion,
    provider, is_catchall, is_disposable, is_role_based, is_free, smtp_code, checked_at`;
const RESULT = `$1::uuid, n, 'person' || n || '@x.test', 'valid', '', 0.9, 95, true, true, null, 'other', false, false,
  false, false, 250, now()`;
const RESULT_ROWS = "from generate_series(1, $2::int) n where n % 10 <> 0";

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
/** However long it takes. */
const eraseAll = () => eraseExpiredJobs(database, files, PATIENCE.timeout);
const countOf = async (table: string, jobId: string) =>
  (await database.pool.query(`select from ${table} where job_id = $1`, [jobId])).rowCount;
const jobRow = async (id: string) =>
  (
    await database.pool.query<{ erased: boolean; date: string | null }>(
      "select erased_at is not null as erased, rows_expire_on::text as date from jobs where id = $1",
      [id],
    )
  ).rows[0];

test("a partition is dropped once all its jobs have expired, and only then", async () => {
  const date = "2020-01-01";
  await createPartitions(database.pool, TABLES, [date]);
  const [first, second] = [
    await addJob({ rowsExpireOn: date, expiresAt: inDays(-2) }),
    await addJob({ rowsExpireOn: date }),
  ];
  const other = await addJob({ rowsExpireOn: null });

  // The second job still needs the partition, so rows of the first are deleted from it.
  expect(await eraseAll()).toBe(1);
  expect(await countOf("results", first)).toBe(0);
  expect(await countOf("duplicates", first)).toBe(0);
  expect(await jobRow(first)).toEqual({ erased: true, date: null });
  expect(await countOf("results", second)).toBe(18);
  expect(await partitionDates(database.pool, "results")).toContain(date);

  await database.pool.query("update jobs set expires_at = now() where id = $1", [second]);
  expect(await eraseAll()).toBe(1);
  for (const table of TABLES) expect(await partitionDates(database.pool, table)).not.toContain(date);
  expect(await jobRow(second)).toEqual({ erased: true, date: null });
  expect(await countOf("results", other)).toBe(18);
});

testOnOneDay(
  "rows of a job that expires shortly before its partition are left to the drop, and are not accessible",
  async () => {
    const { rows } = await database.pool.query(
      "select ((now() at time zone 'utc')::date + 1)::text as tomorrow",
    );
    const { tomorrow } = rows[0];
    await createPartitions(database.pool, TABLES, [tomorrow]);
    const id = await addJob({ rowsExpireOn: tomorrow, expiresAt: inDays(-0.1) });
    expect(await eraseAll()).toBe(1);
    expect(await jobRow(id)).toEqual({ erased: true, date: tomorrow });
    expect(await countOf("results", id)).toBe(18);
    await expect(
      jobResults({ database, inspect }, { accountId, isTest: true }, id, { skip: 0, limit: 10 }),
    ).rejects.toMatchObject({
      code: "results_expired",
    });
  },
);

test("a job that expires long before its partition is deleted at once, and so is one without a partition", async () => {
  const date = await partitionFor(database.pool, 30);
  const early = await addJob({ rowsExpireOn: date, expiresAt: inDays(-1) });
  const unpartitioned = await addJob({ rowsExpireOn: null, expiresAt: inDays(-1) });
  expect(await eraseAll()).toBe(2);
  for (const id of [early, unpartitioned]) {
    expect(await countOf("results", id)).toBe(0);
    expect(await countOf("duplicates", id)).toBe(0);
    expect(await jobRow(id)).toEqual({ erased: true, date: null });
  }
});

test("partitions are created ahead, once, also by several processes at the same time", async () => {
  await using empty = await openTestDatabase();
  // Again where a lock was not available within a second.
  await vi.waitFor(async () => {
    await Promise.all([1, 2, 3, 4].map(() => prepareRetention(empty.pool, 30)));
    for (const table of TABLES) expect(await partitionDates(empty.pool, table)).toHaveLength(2);
  }, PATIENCE);
  expect(await partitionDates(empty.pool, "results")).toContain(await partitionFor(empty.pool, 30));
  // With another setting on demand.
  expect(await partitionFor(empty.pool, 90)).not.toBeNull();
  expect(await partitionDates(empty.pool, "results")).toHaveLength(3);
});

test("a job does not wait for a partition whose lock is not available: it uses the default one", async () => {
  await using other = await openTestDatabase();
  const reader = await other.pool.connect();
  await reader.query("begin; select from results_default; lock table results_default in access share mode");
  expect(await partitionFor(other.pool, 30)).toBeNull();
  await reader.query("commit");
  reader.release();
  expect(await partitionFor(other.pool, 30)).not.toBeNull();
});

test("rows that a worker of an earlier release stores are part of the results, and are deleted with them", async () => {
  const date = await partitionFor(database.pool, 30);
  const id = await addJob({ rowsExpireOn: date, rows: 100 });
  // As the earlier release: without a date. Half of the rows, instead of those that are stored.
  await database.pool.query('delete from results where job_id = $1 and "row" > 50', [id]);
  await database.pool.query("delete from duplicates where job_id = $1 and row > 50", [id]);
  await database.pool.query(
    `${INSERT_RESULTS}) select ${RESULT} ${RESULT_ROWS} and n > 50 on conflict do nothing`,
    [id, 100],
  );
  await database.pool.query(
    "insert into duplicates (job_id, row, first_row, email) select $1, n, n - 1, 'p@x.test' from generate_series(60, 100, 10) n",
    [id],
  );
  const read = async (skip: number) =>
    jobResults({ database, inspect }, { accountId, isTest: true }, id, { skip, limit: 60 });
  const rows = [...(await read(0)).results, ...(await read(60)).results].map(({ row }) => row);
  expect(rows).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
  expect((await readVerdicts(database.pool, { id, rowsExpireOn: date }, {}, 1, 101)).size).toBe(100);

  await database.pool.query("update jobs set expires_at = now() where id = $1", [id]);
  await eraseAll();
  expect(await countOf("results", id)).toBe(0);
  expect(await countOf("duplicates", id)).toBe(0);
});

test("rows of an earlier release's worker are deleted, too, when the rest is left to the drop of the partition", async () => {
  const date = "2020-01-02";
  await createPartitions(database.pool, TABLES, [date]);
  const id = await addJob({ rowsExpireOn: date, expiresAt: inDays(-1) });
  await database.pool.query('delete from results where job_id = $1 and "row" > 10', [id]);
  await database.pool.query("delete from duplicates where job_id = $1 and row > 10", [id]);
  await database.pool.query(`${INSERT_RESULTS}) select ${RESULT} ${RESULT_ROWS} and n > 10`, [id, 20]);
  await database.pool.query(
    "insert into duplicates (job_id, row, first_row, email) values ($1, 20, 19, 'p@x.test')",
    [id],
  );
  expect(await eraseAll()).toBe(1);
  expect(await partitionDates(database.pool, "results")).not.toContain(date);
  expect(await countOf("results", id)).toBe(0);
  expect(await countOf("duplicates", id)).toBe(0);
});

test("a database of an earlier release keeps its results, and gets partitions after they were looked through", async () => {
  await using old = await openTestDatabase();
  const { connection, pool } = old;
  await pool.query("drop schema public cascade; create schema public; drop schema pgboss cascade");
  const folder = new URL("../migrations", import.meta.url).pathname;
  const migrations = readMigrationFiles({ migrationsFolder: folder });
  const partitioning = migrations.findIndex(({ sql }) => sql.some((one) => one.includes("results_default")));
  const client = new pg.Client(connection);
  await client.connect();
  await client.query("create table migrations (id serial primary key, hash text, created_at bigint)");
  for (const { sql, hash, folderMillis } of migrations.slice(0, partitioning)) {
    for (const statement of sql) await client.query(statement);
    await client.query("insert into migrations (hash, created_at) values ($1, $2)", [hash, folderMillis]);
  }
  const id = randomUUID();
  await client.query(`${INSERT_RESULTS}) select ${RESULT} ${RESULT_ROWS}`, [id, 100]);
  // Prepared before and executed after the migration, as by a process that goes on.
  const insert = {
    name: "insert",
    text: `${INSERT_RESULTS}) select ${RESULT} ${RESULT_ROWS} on conflict do nothing`,
  };
  await client.query({ ...insert, values: [id, 20] });

  await migrate(connection);

  expect((await client.query({ ...insert, values: [id, 110] })).rowCount).toBe(9);
  expect((await client.query("select from results where job_id = $1", [id])).rowCount).toBe(99);
  await client.end();
  expect(await partitionFor(pool, 30)).toBeNull();
  await prepareRetention(pool, 30);
  expect(await partitionFor(pool, 30)).not.toBeNull();
  expect((await readVerdicts(pool, { id, rowsExpireOn: null }, {}, 1, 200)).size).toBe(99);
});

/** A change is visible some moments before its locks are released. */
const lockAtOnce = (reader: Holder, tables: string) =>
  vi.waitFor(async () => {
    await reader.query("savepoint before_lock", []);
    try {
      await reader.query(`lock table ${tables} in access share mode nowait`, []);
    } catch (error) {
      await reader.query("rollback to before_lock", []);
      throw error;
    }
  }, PATIENCE);

test("a statement that reads one table is not stopped by partitions of another, which are created or dropped meanwhile", async () => {
  await using other = await openTestDatabase();
  const { pool } = other;
  const date = "2031-01-01";
  const datesOf = (table: string) => partitionDates(pool, table);
  {
    // As a page of results does, which reads both tables.
    await using reader = await beginHolder(pool);
    await reader.query("lock table duplicates, duplicates_default in access share mode", []);
    const creating = createPartitions(pool, TABLES, [date]);
    await vi.waitFor(async () => expect(await datesOf("results")).toContain(date), PATIENCE);
    await lockAtOnce(reader, "results, results_default");
    await reader.commit();
    await creating; // or it gave up waiting for the reader
  }
  expect(await createPartitions(pool, TABLES, [date])).toBe(true);
  {
    await using reader = await beginHolder(pool);
    await reader.query("lock table results in access share mode", []);
    const dropping = dropPartitions(pool, TABLES, date);
    await vi.waitFor(async () => expect(await datesOf("duplicates")).not.toContain(date), PATIENCE);
    await lockAtOnce(reader, "duplicates");
    await reader.commit();
    await dropping;
  }
  expect(await dropPartitions(pool, TABLES, date)).toBe(true);
  expect(await datesOf("results")).not.toContain(date);
});

test("reading results locks the job's partition and not all of them, however often a connection does it", async () => {
  await using other = await openTestDatabase();
  const dates = Array.from({ length: 28 }, (_, day) => `2030-01-${String(day + 1).padStart(2, "0")}`);
  await createPartitions(other.pool, TABLES, dates);
  const client = await other.pool.connect();
  const locks = [];
  for (let n = 0; n < 8; n++) {
    await client.query("begin");
    await readVerdicts(client, { id: randomUUID(), rowsExpireOn: dates[0]! }, {}, 1, 1_000);
    const { rows } = await client.query(
      "select count(*)::int from pg_locks where pid = pg_backend_pid() and relation::regclass::text ~ '_2030'",
    );
    locks.push(rows[0].count);
    await client.query("commit");
  }
  client.release();
  expect(new Set(locks)).toEqual(new Set([4])); // two tables, each with its index
});

test("page 2,000 of the results reads as much of the database as page 1", async () => {
  const date = await partitionFor(database.pool, 30);
  const id = await addJob({ rowsExpireOn: date, rows: 100_000 });
  await database.pool.query("analyze results; analyze duplicates");
  const limit = 50;
  const job = await findReadableJob(database, { accountId, isTest: true }, id);
  const buffersOf = async (page: number) => {
    const bounds = { skip: 0, limit, afterRow: (page - 1) * limit };
    const { text, values } = pageStatement(job, {}, bounds);
    const { rows } = await database.pool.query(`explain (analyze, buffers, format json) ${text}`, values);
    const { Plan: plan } = rows[0]["QUERY PLAN"][0];
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  };
  await buffersOf(1); // reads the catalogue
  const [first, last] = [await buffersOf(1), await buffersOf(2_000)];
  expect(last).toBeLessThanOrEqual(first * 1.2);
});
