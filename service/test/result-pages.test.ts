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
    });
