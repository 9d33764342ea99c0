/**
 * `npm run bench:results [ROWS]`: pages of the results of one job, by filter and order. Prints wall time and the CPU time of the
 * database process, each the median of several queries.
 */
import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@mailvet/embedded-postgres";
import { openDatabase } from "../src/db/database.ts";
import { migrate } from "../src/db/migrate.ts";
import type { PageBounds, ResultSelection } from "../src/jobs/results/result-query.ts";
import { readPage } from "../src/jobs/results/result-reader.ts";
import { jobs } from "../src/jobs/schema.ts";
import { createDatabase } from "./list-run.ts";
import { cpuSecondsOf } from "./process-figures.ts";

const ROWS = Number(process.argv[2] ?? 100_000);
const RUNS = 15;
const PAGE = 100;

/** Names and domains of different length; one row in 900 contains "zoe". */
const FILL = `
  insert into results (job_id, row, email, status, sub_status, confidence, score, is_valid, safe_to_send, provider,
    is_catchall, is_disposable, is_role_based, is_free, smtp_code, checked_at)
  select $1, n, case when n % 900 = 0 then 'zoe' else 'first.last' end || n || '@company' || n % 5000 || '.example.com',
    case when n % 5 = 0 then 'invalid' else 'valid' end, case when n % 5 = 0 then 'mailbox_not_found' else '' end,
    0.97, 50 + n % 50, n % 5 > 0, n % 5 > 0, 'google', false, false, false, false, 250, now()
  from generate_series(1, $2::int) n`;

const FIRST = { skip: 0, limit: PAGE, afterRow: 0 };
const PAGES: [name: string, ResultSelection, PageBounds][] = [
  ["page 1", {}, FIRST],
  [`page ${ROWS / PAGE} by after_row`, {}, { ...FIRST, afterRow: ROWS - PAGE }],
  [`page ${ROWS / PAGE} by skip`, {}, { ...FIRST, skip: ROWS - PAGE }],
  ["search, few matches", { q: "zoe" }, FIRST],
  ["search, all match", { q: "example" }, FIRST],
  ["domain", { domain: "company7.example.com" }, FIRST],
  ["status", { status: "invalid" }, FIRST],
  ["sort by score", { sort: "-score" }, FIRST],
];

const folder = mkdtempSync(join(tmpdir(), "mailvet-bench-"));
chmodSync(folder, 0o755); // as root, the database runs as another user, who needs access
const server = await startEmbeddedPostgres({ dataDirectory: join(folder, "data") });
try {
  const connection = await createDatabase(server);
  await migrate(connection);
  const database = openDatabase({ connection, maxConnections: 1 });
  const { pool, orm } = database;
  const { rows } = await pool.query(
    "insert into accounts (email, plan) values ('ann@example.com', 'payg') returning id",
  );
  const [job] = await orm
    .insert(jobs)
    .values({
      id: randomUUID(),
      accountId: rows[0].id,
      uploadId: randomUUID(),
      isTest: false,
      status: "completed",
      filename: "list.csv",
      emailColumn: "email",
      columnNumber: 0,
      totalRows: ROWS,
      totalEmails: ROWS,
      uniqueEmails: ROWS,
    })
    .returning();
  await pool.query(FILL, [job!.id, ROWS]);
  await pool.query("analyze");
  const { rows: backend } = await pool.query<{ pid: number }>("select pg_backend_pid() as pid");
  console.log(`${ROWS.toLocaleString("en")} results, pages of ${PAGE}, median of ${RUNS}`);
  for (const [name, selection, bounds] of PAGES) {
    const wallMs: number[] = [];
    const before = cpuSecondsOf(backend[0]!.pid);
    let total = 0;
    for (let run = 0; run < RUNS; run++) {
      const startedAt = performance.now();
      ({ total } = await readPage(pool, job!, selection, bounds));
      wallMs.push(performance.now() - startedAt);
    }
    const cpuMs = ((cpuSecondsOf(backend[0]!.pid) - before) / RUNS) * 1000;
    const median = wallMs.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)]!;
    console.log(
      `  ${name.padEnd(24)} ${median.toFixed(1).padStart(7)} ms, CPU ${cpuMs.toFixed(1).padStart(6)} ms on average, ${total.toLocaleString("en")} matches`,
    );
  }
  await database.close();
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
