/** Pages of results that a filter selects: complete, in order and counted, whether it selects few rows or many. */
import { randomUUID } from "node:crypto";
import type { ResultSort } from "@mailvet/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JobRow } from "../src/jobs/job-record.ts";
import type { ResultSelection } from "../src/jobs/results/result-query.ts";
import { readPage } from "../src/jobs/results/result-reader.ts";
import { jobs } from "../src/jobs/schema.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

const ROWS = 3000;
/** Every tenth row repeats the one before. */
const isDuplicate = (row: number) => row % 10 === 0;
const scoreOf = (row: number) => (firstOf(row) * 7) % 100;
const firstOf = (row: number) => (isDuplicate(row) ? row - 1 : row);
const statusOf = (row: number) => (firstOf(row) % 3 === 0 ? "invalid" : "valid");

let database: TestDatabase;
let job: JobRow;
beforeAll(async () => {
  database = await openTestDatabase();
  const { pool, orm } = database;
  const { rows } = await pool.query(
    "insert into accounts (email, plan) values ('ann@example.com', 'payg') returning id",
  );
  const counts = { totalRows: ROWS, totalEmails: ROWS, uniqueEmails: ROWS * 0.9 };
  const file = { filename: "list.csv", emailColumn: "email", columnNumber: 0 };
  const ids = { id: randomUUID(), accountId: rows[0].id, uploadId: randomUUID() };
  [job] = (await orm
    .insert(jobs)
    .values({ ...ids, ...file, ...counts, isTest: false, status: "completed" })
    .returning()) as [JobRow];
  await pool.query(
    `insert into results (job_id, row, email, status, sub_status, confidence, score, is_valid, safe_to_send, provider,
       is_catchall, is_disposable, is_role_based, is_free, smtp_code, checked_at)
     select $1, n, 'Person' || n || '@example.com', case when n % 3 = 0 then 'invalid' else 'valid' end, '', 0.97,
       n * 7 % 100, true, true, 'google', false, false, false, false, 250, now()
     from generate_series(1, $2::int) n where n % 10 > 0`,
    [job.id, ROWS],
  );
  await pool.query(
    `insert into duplicates (job_id, row, first_row, email) select $1, n, n - 1, 'person' || n - 1 || '@EXAMPLE.com'
     from generate_series(10, $2::int, 10) n`,
    [job.id, ROWS],
  );
});
afterAll(() => database.close());

const ALL = Array.from({ length: ROWS }, (_, n) => n + 1);

const ORDERS: Readonly<Partial<Record<ResultSort, (a: number, b: number) => number>>> = {
  row: (a, b) => a - b,
  "-row": (a, b) => b - a,
  score: (a, b) => scoreOf(a) - scoreOf(b) || a - b,
  "-score": (a, b) => scoreOf(b) - scoreOf(a) || a - b,
};

const FILTERS: [name: string, ResultSelection, (row: number) => boolean][] = [
  ["no filter", {}, () => true],
  ["a search that finds all", { q: "EXAMPLE" }, () => true],
  ["a status of many", { status: "valid" }, (row) => statusOf(row) === "valid"],
  ["a search that finds few", { q: "person12" }, (row) => String(firstOf(row)).startsWith("12")],
  ["a search that finds nothing", { q: "zoe" }, () => false],
];

for (const [name, filter, selects] of FILTERS)
  for (const [sort, compare] of Object.entries(ORDERS))
    test(`${name}, sorted by ${sort}: pages by row and by number`, async () => {
      const selection = { ...filter, sort: sort as ResultSort };
      const expected = ALL.filter(selects).sort(compare);
      const limit = 700;
      const read: number[] = [];
      for (let afterRow = 0; ; afterRow = read.at(-1)!) {
        const { rows, total } = await readPage(database.pool, job, selection, { skip: 0, limit, afterRow });
        expect(total).toBe(expected.length);
        read.push(...rows.map(({ row }) => row));
        if (rows.length < limit) break;
      }
      expect(read).toEqual(expected);
      const skip = Math.max(0, expected.length - 5);
      const { rows } = await readPage(database.pool, job, selection, { skip, limit, afterRow: 0 });
      expect(rows.map(({ row }) => row)).toEqual(expected.slice(skip));
      const far = { skip: 2 ** 31 - 1, limit, afterRow: 0 };
      expect(await readPage(database.pool, job, selection, far)).toEqual({
        rows: [],
        total: expected.length,
      });
    });

/** A job that runs: 30 rows, each third a duplicate that spells the domain of the one before differently. */
async function openRunning(): Promise<JobRow> {
  const counts = { totalRows: 30, totalEmails: 30, uniqueEmails: 20, isPlanned: true };
  const { id: _, ...copied } = job;
  const values = {
    ...copied,
    ...counts,
    id: randomUUID(),
    uploadId: randomUUID(),
    status: "processing" as const,
  };
  const [running] = (await database.orm.insert(jobs).values(values).returning()) as [JobRow];
  for (let row = 1; row <= 30; row++) {
    const email = `p${(row * 7) % 30}@xn--bcher-kva.example`;
    if (row % 3 > 0) {
      await database.pool.query("insert into slices (job_id, number, emails) values ($1, $2, $3)", [
        running.id,
        row,
        JSON.stringify([[row, email]]),
      ]);
    } else {
      await database.pool.query(
        "insert into duplicates (job_id, row, first_row, email) values ($1, $2, $3, $4)",
        [running.id, row, row - 1, `p${((row - 1) * 7) % 30}@bücher.example`],
      );
    }
  }
  return running;
}

/** Some of the rows get their verdict. */
async function settle({ id }: JobRow, rows: readonly number[]): Promise<void> {
  const { rows: found } = await database.pool.query(
    "delete from slices where job_id = $1 and number = any($2) returning number, emails->0->>1 as email",
    [id, rows],
  );
  for (const { number, email } of found)
    await database.pool.query(
      `insert into results (job_id, row, email, status, sub_status, confidence, score, is_valid, safe_to_send, provider,
         is_catchall, is_disposable, is_role_based, is_free, smtp_code, checked_at)
       values ($1, $2, $3, 'valid', '', 0.97, 97, true, true, 'google', false, false, false, false, 250, now())`,
      [id, number, email],
    );
}

for (const sort of ["row", "-row", "email", "-email", "domain", "-domain"] as const)
  test(`of a job whose rows get verdicts between pages, sorted by ${sort}, no row is skipped or repeated`, async () => {
    const running = await openRunning();
    const read: number[] = [];
    for (let afterRow = 0; ; afterRow = read.at(-1)!) {
      const { rows } = await readPage(database.pool, running, { sort }, { skip: 0, limit: 4, afterRow });
      read.push(...rows.map(({ row }) => row));
      if (rows.length < 4) break;
      await settle(running, [read.at(-1)!, read.at(-1)! - 1, (read.length * 5) % 30]);
    }
    expect(read).toHaveLength(30);
    expect(new Set(read).size).toBe(30);
  });

test("a page begins after a row that the filter does not select any more", async () => {
  const running = await openRunning();
  const selection = { sort: "email", status: "pending" } as const;
  const pending = (afterRow: number, limit: number) =>
    readPage(database.pool, running, selection, { skip: 0, limit, afterRow });
  const before = (await pending(0, 100)).rows.map(({ row }) => row);
  expect(before).toHaveLength(30);
  const last = before.findIndex((row, n) => n > 3 && row % 3 === 1);
  await settle(running, [before[last]!]);
  expect((await pending(before[last]!, 100)).rows.map(({ row }) => row)).toEqual(before.slice(last + 1));
});

test("a page after a row that is in no order any more is refused, and not empty", async () => {
  const running = await openRunning();
  await database.pool.query("delete from slices where job_id = $1 and number = 1", [running.id]);
  const bounds = { skip: 0, limit: 4, afterRow: 1 };
  await expect(readPage(database.pool, running, { sort: "email" }, bounds)).rejects.toMatchObject({
    code: "validation_failed",
    message: "/after_row is a row without a result, which has no place in this order.",
  });
  expect((await readPage(database.pool, running, {}, bounds)).rows).toHaveLength(4);
});
