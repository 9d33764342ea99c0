/**
 * What data costs in PostgreSQL: bytes per cached address, bytes and WAL per row of a list, and the time to delete a
 * million results by dropping their partition, compared with deleting them row by row in the same run.
 *
 *   npm run bench:storage [cache|list|short|retention …]
 *
 * "list" has half of its rows at large domains, "short" has three at each domain, the long tail.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@mailvet/embedded-postgres";
import type { Evidence } from "@mailvet/engine";
import { type Lab, type MailWorld, mailDomain, mailHost, openLab } from "@mailvet/lab";
import pg from "pg";
import { openDatabase } from "../src/db/database.ts";
import { migrate } from "../src/db/migrate.ts";
import { createPartitions } from "../src/db/partitions.ts";
import { addressHash } from "../src/feedback/address-hash.ts";
import { eraseExpiredJobs } from "../src/jobs/retention.ts";
import { cachedPartOf } from "../src/validations/cached-evidence.ts";
import { createVerdictCache } from "../src/validations/verdict-cache.ts";
import { SERVICE_PROGRAM } from "../test/service-program.ts";
import { addressOf } from "./bench-service.ts";
import { createDatabase, databaseUrl, KEY, runList } from "./list-run.ts";

const CACHED = 99_900;
const ADDRESSES_PER_DOMAIN = [1, 3, 100];
const MAX_CACHED_BYTES = 250;
const LIST_ROWS = 20_000;
const WARM_UP_ROWS = 4_000;
const LARGE_DOMAINS = 5;
const ROWS_OF_SMALL_DOMAIN = 25;
const ROWS_OF_SMALLEST_DOMAIN = 3;
const MAX_WAL_PER_ROW = 1_000;
const RETAINED = 1_000_000;
const MAX_DROP_MS = 1_000;
/** Verdicts stored before the writes are awaited: fewer than the cache keeps waiting. */
const STORED_AT_ONCE = 10_000;

const INSERT_AS_BEFORE = `
  insert into verdicts (account_id, address_hash, evidence, checked_at, fresh_until)
  select $1::uuid, decode(hash, 'hex'), evidence, now(), now() + interval '3 days'
  from json_to_recordset($2::json) as one (hash text, evidence jsonb)
  on conflict do nothing`;

/** Indexes and TOAST count for their table, partitions for the partitioned table. */
const WAL_BY_TABLE = `
  select coalesce(regexp_replace(coalesce(owner.relname, t.relname, c.relname), '_(default|\\d{8})$', ''), 'other') as relation,
    sum(record_length)::float8 as bytes, sum(images)::float8 as images
  from (
    select relfilenode, record_length / count(*) over (partition by start_lsn) as record_length,
      coalesce(block_fpi_length, 0) as images
    from pg_get_wal_block_info($1, $2)
  ) b
  left join pg_class c on pg_relation_filenode(c.oid) = b.relfilenode
  left join pg_index i on i.indexrelid = c.oid
  left join pg_class t on t.oid = i.indrelid
  left join pg_class owner on owner.reltoastrelid = coalesce(t.oid, c.oid)
  group by 1 having sum(record_length) > 5 * ${LIST_ROWS}
  order by 2 desc`;

const PARTS = {
  cache: measureCache,
  list: (connection: pg.ClientConfig) => measureList(connection, mixedDomains),
  short: (connection: pg.ClientConfig) => measureList(connection, smallDomains),
  retention: measureRetention,
};
const wanted = process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), "mailvet-bench-"));
chmodSync(folder, 0o755); // as root, the database runs as another user, who needs access
const server = await startEmbeddedPostgres({ dataDirectory: join(folder, "data") });
try {
  for (const [name, measure] of Object.entries(PARTS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    await measure(await createDatabase(server));
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** The tables of the cache, and the same verdicts in the table of earlier releases. */
async function measureCache(connection: pg.ClientConfig): Promise<void> {
  await migrate(connection);
  const database = openDatabase({ connection });
  const { pool } = database;
  const { rows } = await pool.query(
    "insert into accounts (email, plan) values ('ann@example.com', 'payg') returning id",
  );
  const accountId = rows[0].id as string;
  console.log(`${n(CACHED)} cached addresses, bytes of tables and indexes for each`);
  for (const perDomain of ADDRESSES_PER_DOMAIN) {
    const log = (event: string, fields: unknown) => {
      throw new Error(`${event} ${JSON.stringify(fields)}`);
    };
    const addresses = Array.from(
      { length: CACHED },
      (_, i) => `person${i}@company${i % (CACHED / perDomain)}.test`,
    );
    const before: string[] = [];
    const nowMs = Date.now();
    for (let first = 0; first < CACHED; first += STORED_AT_ONCE) {
      const cache = createVerdictCache({ database, log });
      for (const address of addresses.slice(first, first + STORED_AT_ONCE)) {
        const evidence = evidenceOf(address);
        cache.store(accountId, address, evidence, nowMs);
        const hash = addressHash(accountId, address);
        before.push(JSON.stringify({ hash, evidence: cachedPartOf(evidence) }));
      }
      await cache.close();
    }
    for (let first = 0; first < CACHED; first += 500) {
      const values = [accountId, `[${before.slice(first, first + 500).join(",")}]`];
      await pool.query({ name: "before", text: INSERT_AS_BEFORE, values });
    }
    const count = await numberOf(pool, "select count(*) from cached_verdicts");
    if (count !== CACHED) throw new Error(`${count} rows`);
    const [verdicts, facts, earlier] = [
      await bytesOf(pool, "cached_verdicts"),
      await bytesOf(pool, "cached_facts"),
      await bytesOf(pool, "verdicts"),
    ].map((bytes) => bytes / CACHED) as [number, number, number];
    const total = verdicts + facts;
    console.log(
      `  ${String(perDomain).padStart(3)} per domain: ${n(total)} = ${n(verdicts)} verdicts + ${n(facts)} facts; ` +
        `with the facts in each row ${n(earlier)}   (wanted: less than ${MAX_CACHED_BYTES})`,
    );
    if (total >= MAX_CACHED_BYTES) process.exitCode = 1;
    await pool.query("truncate cached_verdicts, cached_facts, verdicts");
  }
  await database.close();
}

/** As of an ordinary check. One reply in five quotes the address, one in ten has an identifier; all quote the decoy. */
function evidenceOf(address: string): Evidence {
  const domain = address.slice(address.indexOf("@") + 1);
  const number = Number(/\d+/.exec(address)![0]);
  const ofDomain = /\d+/.exec(domain)![0];
  const decoy = `alice.do${ofDomain.padStart(4, "b")}sson`; // another one for every domain
  const mxHost =
    Number(ofDomain) % 2 === 0 ? `mx1.mail.${domain}` : `mx1.${domain.replace("company", "hosting")}`;
  const id = randomUUID().replaceAll("-", "").slice(0, 20);
  const replies: NonNullable<Evidence["mailbox"]>[] = [
    {
      answer: "not_found",
      reply: {
        code: 550,
        enhanced: "5.1.1",
        text: `<${address}>: Recipient address rejected: User unknown in virtual mailbox table`,
      },
    },
    {
      answer: "not_found",
      reply: {
        code: 550,
        enhanced: "5.1.1",
        text: `The email account that you tried to reach does not exist. Please try double-checking the recipient's email address for typos or unnecessary spaces. ${id} - gsmtp`,
      },
    },
  ];
  const accepted: NonNullable<Evidence["mailbox"]> = {
    answer: "accepted",
    reply: { code: 250, enhanced: "2.1.5", text: "Ok" },
  };
  return {
    email: address,
    route: {
      kind: "mail_hosts",
      implicit: false,
      hosts: [{ name: mxHost, preference: 10, addresses: ["192.0.2.1"] }],
      isPartial: false,
    },
    policies: { spf: true, dmarc: true, mtaSts: false },
    provider: "other",
    mailbox: { ...(number % 10 < 2 ? replies[0]! : number % 10 === 2 ? replies[1]! : accepted), mxHost },
    decoy: {
      answer: "not_found",
      reply: {
        code: 550,
        enhanced: "5.1.1",
        text: `<${decoy}@${domain}>: Recipient address rejected: User unknown in virtual mailbox table`,
      },
      mxHost,
      confidence: 0.97,
    },
  };
}

/** A whole list, on tables that already have rows, right after a checkpoint: so that full page images are included. */
async function measureList(connection: pg.ClientConfig, domainsOf: DomainsOf): Promise<void> {
  await using lab = await openLab(mailWorld(domainsOf(LIST_ROWS)));
  const client = new pg.Client(connection);
  const service = spawn(process.execPath, SERVICE_PROGRAM, {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl(connection),
      DATA_DIR: join(folder, `files of ${connection.database}`),
      ...settings(lab),
    },
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = async () => {
    if (service.exitCode !== null || service.signalCode !== null) return;
    service.kill("SIGTERM");
    await once(service, "exit");
  };
  try {
    const base = `${await addressOf(service)}/api/v1`;
    await client.connect();
    await client.query("create extension pg_walinspect");
    await runList(base, listOf(domainsOf(WARM_UP_ROWS), "former"));
    await client.query("checkpoint");
    const start = await positionOf(client);
    const { job } = await runList(base, listOf(domainsOf(LIST_ROWS), "person"));
    await stop(); // writes what is still to be written to the cache
    const end = await positionOf(client);

    const bytes = await numberOf(client, `select pg_wal_lsn_diff('${end}', '${start}')`);
    const perRow = bytes / LIST_ROWS;
    console.log(
      `\na list of ${n(LIST_ROWS)} rows, ${n(job.valid_count)} of them valid: ${n(perRow)} bytes of WAL per row ` +
        `  (wanted: less than ${n(MAX_WAL_PER_ROW)})`,
    );
    if (perRow >= MAX_WAL_PER_ROW) process.exitCode = 1;
    const { rows } = await client.query<{ relation: string; bytes: number; images: number }>(WAL_BY_TABLE, [
      start,
      end,
    ]);
    for (const { relation, bytes, images } of rows)
      console.log(
        `  ${n(bytes / LIST_ROWS).padStart(4)} ${relation}, ${n(images / LIST_ROWS)} of it full page images`,
      );
    const stored = LIST_ROWS + WARM_UP_ROWS;
    const sizes: string[] = [];
    for (const table of ["results", "cached_verdicts", "cached_facts"])
      sizes.push(`${table} ${n((await bytesOf(client, table)) / stored)}`);
    console.log(`  bytes on disk per row: ${sizes.join(", ")}`);
  } finally {
    await stop();
    await client.end();
  }
}

type ListDomain = { name: string; emails: number };
type DomainsOf = (rows: number) => ListDomain[];

/** Half of the rows at a few large domains, half at many small ones. */
function mixedDomains(rows: number): ListDomain[] {
  const half = rows / 2;
  const large = Array.from({ length: LARGE_DOMAINS }, (_, i) => ({
    name: `provider${i}.test`,
    emails: half / LARGE_DOMAINS,
  }));
  const small = Array.from({ length: half / ROWS_OF_SMALL_DOMAIN }, (_, i) => ({
    name: `company${i}.test`,
    emails: ROWS_OF_SMALL_DOMAIN,
  }));
  return [...large, ...small];
}

function smallDomains(rows: number): ListDomain[] {
  return Array.from({ length: Math.floor(rows / ROWS_OF_SMALLEST_DOMAIN) }, (_, i) => ({
    name: `company${i}.test`,
    emails: ROWS_OF_SMALLEST_DOMAIN,
  }));
}

function mailWorld(domains: readonly ListDomain[]): MailWorld {
  const users = ({ localPart }: { localPart: string }) => /^(person|former)\d*[^4]$/.test(localPart);
  return Object.fromEntries(
    domains.flatMap(({ name }) => [
      [`mx.${name}`, mailHost({})],
      [name, mailDomain({ mx: [`mx.${name}`], users })],
    ]),
  );
}

/** Interleaved, as in real lists. */
function listOf(domains: readonly ListDomain[], prefix: string): string {
  const rows = domains.reduce((sum, { emails }) => sum + emails, 0);
  const lines = ["id,name,email"];
  for (let person = 0; lines.length <= rows; person++) {
    for (const { name, emails } of domains) {
      if (person >= emails) continue;
      lines.push(`${lines.length},Customer ${lines.length},${prefix}${person}@${name}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function settings(lab: Lab): Record<string, string> {
  return {
    ...lab.env,
    CONNECTIONS_PER_HOST: "10",
    PORT: "0",
    BOOTSTRAP_API_KEY: KEY,
    ADMIN_CREDITS: "100000000",
    LOG_LEVEL: "warn",
    NODE_ENV: "production",
  };
}

/** Two jobs with as many rows: one in a partition of its own, one in the default partition. */
async function measureRetention(connection: pg.ClientConfig): Promise<void> {
  await migrate(connection);
  const database = openDatabase({ connection, queryTimeoutMs: 600_000 });
  const { pool } = database;
  const { rows } = await pool.query<{ date: string }>(
    "select (now() at time zone 'utc')::date::text as date",
  );
  const { date } = rows[0]!;
  await createPartitions(pool, ["results", "duplicates"], [date]);
  const deletes = async (table: string, rowsExpireOn: string | null) => {
    await addExpiredJob(pool, rowsExpireOn);
    await pool.query("checkpoint");
    const [start, startedAt] = [await positionOf(pool), performance.now()];
    const noFiles = { deletingWhatCanBe: () => ({ delete: async () => {} }) };
    if ((await eraseExpiredJobs(database, noFiles)) !== 1) throw new Error("not one job");
    const ms = performance.now() - startedAt;
    const wal = await numberOf(pool, `select pg_wal_lsn_diff('${await positionOf(pool)}', '${start}')`);
    const left = await numberOf(pool, `select coalesce(pg_total_relation_size(to_regclass('${table}')), 0)`);
    const dead = await numberOf(pool, `select coalesce(pg_stat_get_dead_tuples(to_regclass('${table}')), 0)`);
    console.log(
      `  ${table === "results_default" ? "row by row    " : "its partition "} ${n(ms).padStart(7)} ms, ` +
        `${n(wal / 1e6)} MB of WAL; left behind: ${n(left / 1e6)} MB, ${n(dead)} dead rows`,
    );
    return ms;
  };
  console.log(`\nretention of ${n(RETAINED)} results`);
  const dropMs = await deletes(`results_${date.replaceAll("-", "")}`, date);
  const deleteMs = await deletes("results_default", null);
  console.log(
    `  ratio ${n(deleteMs / dropMs)}   (wanted: dropping takes less than ${n(MAX_DROP_MS)} ms, and leaves nothing)`,
  );
  if (dropMs >= MAX_DROP_MS) process.exitCode = 1;
  await database.close();
}

async function addExpiredJob(pool: pg.Pool, rowsExpireOn: string | null): Promise<void> {
  const { rows } = await pool.query(
    `with account as (
       insert into accounts (email, plan) values (gen_random_uuid() || '@example.com', 'payg') returning id
     )
     insert into jobs (id, account_id, upload_id, is_test, status, filename, email_column, column_number, total_rows,
       total_emails, unique_emails, completed_at, expires_at, rows_expire_on)
     select gen_random_uuid(), id, gen_random_uuid(), true, 'completed', '', '', 0, $1, $1, $1, now(), now(), $2
     from account returning id`,
    [RETAINED, rowsExpireOn],
  );
  await pool.query(
    `insert into results
     select $1, n, 'person' || n || '@company' || n % 1000 || '.test', 'valid', '', 0.95, 97, true, true, null, 'other',
       false, false, false, false, 250, now(), coalesce($3, '1970-01-01'::date)
     from generate_series(1, $2::int) n`,
    [rows[0].id, RETAINED, rowsExpireOn],
  );
}

type Client = Pick<pg.Client, "query"> | Pick<pg.Pool, "query">;

async function numberOf(client: Client, query: string): Promise<number> {
  const { rows } = await (client as pg.Pool).query({ text: query, rowMode: "array" } as never);
  return Number((rows as unknown as unknown[][])[0]![0]);
}

async function positionOf(client: Client): Promise<string> {
  const { rows } = await (client as pg.Pool).query("select pg_current_wal_insert_lsn()::text as lsn");
  return rows[0].lsn;
}

/** Of a table with its indexes and TOAST, and of all its partitions. */
async function bytesOf(client: Client, table: string): Promise<number> {
  const partitions = `(select sum(pg_total_relation_size(relid)) from pg_partition_tree('${table}'))`;
  return numberOf(client, `select coalesce(${partitions}, pg_total_relation_size('${table}'))`);
}

function n(value: number): string {
  return Math.round(value).toLocaleString("en");
}
