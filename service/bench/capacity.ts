/**
 * The measured inputs of the capacity model (docs/scaling.md): a list at mail hosts of the lab, then the same list again,
 * answered by the verdict cache, through an API and a worker process. CPU time of the service and of PostgreSQL, WAL and
 * bytes per row, claim time, connections, memory.
 *
 *   npm run bench:capacity [-- ROWS]
 *
 * Or with three addresses per host, each session encrypted: what the long tail and providers with short sessions cost.
 *
 *   npm run bench:capacity -- --short-sessions [ROWS]
 */
import { readdirSync, statSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type MailWorld, mailDomain, mailHost, openLab } from "@mailvet/lab";
import pg from "pg";
import { openBenchServer } from "./deployment.ts";
import { KEY, processList, runList, uploadList } from "./list-run.ts";
import { cpuSecondsOf, cpuSecondsOfTree, peakOf } from "./process-figures.ts";

const SHORT_SESSIONS = "--short-sessions";
const isShort = process.argv.includes(SHORT_SESSIONS);
const [wanted] = process.argv.slice(2).filter((word) => word !== SHORT_SESSIONS);
const ROWS = Number(wanted ?? (isShort ? 3_000 : 24_000));
const EMAILS_PER_DOMAIN = isShort ? 3 : 200;
const DOMAINS = Math.ceil(ROWS / EMAILS_PER_DOMAIN);
const HOSTS = isShort ? DOMAINS : Math.min(40, DOMAINS);
const WARM_UP_DOMAINS = 4;
const LATENCY_MS = 40;
const CONNECTIONS_PER_HOST = 2;
const TLS = isShort ? ({ temper: { tls: "self_signed" } } as const) : {};
const SAMPLE_EVERY_MS = 250;
/** Rows in the verdict cache and the throttle state are written with a delay. */
const SETTLE_MS = 2_000;

type Step = {
  name: string;
  seconds: number;
  apiCpu: number;
  workerCpu: number;
  postgresCpu: number;
  wal: number;
};

const before = loadavg()[0]!;
await using server = await openBenchServer();
await using lab = await openLab(mailWorld());
await using deployment = await server.deploy({
  lab,
  workers: 1,
  env: { CONNECTIONS_PER_HOST: String(CONNECTIONS_PER_HOST), MAX_CSV_EMAILS: String(Math.max(ROWS, 1000)) },
});
const { base, api, workers } = deployment;
const worker = workers[0]!;
const database = new pg.Client(deployment.connection);
await database.connect();
const steps: Step[] = [];
try {
  await runList(base, listOf("warm-up", DOMAINS, DOMAINS + WARM_UP_DOMAINS));
  await settle();

  const claimsBefore = await claims();
  const bytesBefore = await bytesByTable();
  const filesBefore = bytesIn(deployment.directory);
  const connections = watchConnections();
  const list = listOf("person", 0, DOMAINS);
  const preview = await step("upload", () => uploadList(base, list));
  const fileBytes = bytesIn(deployment.directory) - filesBefore;
  const job = await step("check at mail hosts", () => processList(base, preview));
  const bytes = await bytesByTable();
  const again = await uploadList(base, list);
  await step("check, all from the cache", () => processList(base, again));
  await step("download", () => download(`${base}/bulk/jobs/${job.id}/download`));
  const mostConnections = await connections.stop();
  const claimsAfter = await claims();

  const rows = preview.total_rows;
  const each = (value: number) => value / rows;
  console.log(
    `${n(rows)} rows, ${DOMAINS} domains on ${HOSTS} hosts, ${LATENCY_MS} ms a round trip, ${CONNECTIONS_PER_HOST} connections per host${isShort ? ", STARTTLS" : ""}\n` +
      `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${availableParallelism()} cores, load ${before.toFixed(1)} to ${loadavg()[0]!.toFixed(1)}\n`,
  );
  print([
    ["step", "rows/s", "CPU ms per row: API", "worker", "PostgreSQL", "rows/s per core", "WAL bytes per row"],
    ...steps.map(({ name, seconds, apiCpu, workerCpu, postgresCpu, wal }) => [
      name,
      n(rows / seconds),
      each(apiCpu * 1000).toFixed(3),
      each(workerCpu * 1000).toFixed(3),
      each(postgresCpu * 1000).toFixed(3),
      n(rows / (apiCpu + workerCpu + postgresCpu)),
      n(each(wal)),
    ]),
  ]);
  const growth = [...bytes]
    .map(([table, size]) => [table, each(size - (bytesBefore.get(table) ?? 0))] as const)
    .filter(([, size]) => size >= 1)
    .sort(([, a], [, b]) => b - a);
  print([
    ["stored", "bytes per row"],
    ...growth.map(([table, size]) => [`table ${table}, with its indexes`, n(size)]),
    ["uploaded file", each(fileBytes).toFixed(1)],
  ]);
  const count = claimsAfter.count - claimsBefore.count;
  print([
    ["figure", "value"],
    [
      "claims of tasks",
      `${n(count)}, ${(((claimsAfter.sum - claimsBefore.sum) / count) * 1000).toFixed(1)} ms each`,
    ],
    ["database connections of one API and one worker process, at most", n(mostConnections)],
    ["peak memory of the API process", `${n(peakOf(api.pid!))} MiB`],
    ["peak memory of the worker process", `${n(peakOf(worker.pid!))} MiB`],
  ]);
} finally {
  await database.end();
}

async function download(url: string): Promise<string> {
  const answer = await fetch(url, { headers: { "x-api-key": KEY } });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.text();
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const start = await spent();
  const startedAt = performance.now();
  const result = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  await settle();
  const end = await spent();
  steps.push({
    name,
    seconds,
    apiCpu: end.api - start.api,
    workerCpu: end.worker - start.worker,
    postgresCpu: end.postgres - start.postgres,
    wal: end.wal - start.wal,
  });
  return result;
}

function settle(): Promise<void> {
  return pause(SETTLE_MS);
}

async function spent() {
  const { rows } = await database.query<{ wal: string }>("select pg_current_wal_insert_lsn() - '0/0' as wal");
  return {
    api: cpuSecondsOf(api.pid!),
    worker: cpuSecondsOf(worker.pid!),
    postgres: cpuSecondsOfTree(server.pid()),
    wal: Number(rows[0]!.wal),
  };
}

/** Partitions count for their table. */
async function bytesByTable(): Promise<Map<string, number>> {
  const { rows } = await database.query<{ name: string; size: string }>(`
    select coalesce(pg_partition_root(oid), oid)::regclass::text as name, sum(pg_total_relation_size(oid)) as size
    from pg_class where relkind = 'r' and relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
    group by 1`);
  return new Map(rows.map(({ name, size }) => [name, Number(size)]));
}

/** Histogram of claims in the worker's metrics, all queues together. */
async function claims(): Promise<{ sum: number; count: number }> {
  const text = await (await fetch(`${deployment.workerUrl}/metrics`)).text();
  const total = (suffix: string) =>
    [
      ...text.matchAll(new RegExp(`^mailvet_queue_claim_duration_seconds_${suffix}\\{[^}]*\\} (\\S+)`, "gm")),
    ].reduce((sum, [, value]) => sum + Number(value), 0);
  return { sum: total("sum"), count: total("count") };
}

/** The largest number of connections to the database, without the one of this program. */
function watchConnections(): { stop(): Promise<number> } {
  let most = 0;
  let isOver = false;
  const over = (async () => {
    while (!isOver) {
      const { rows } = await database.query<{ count: string }>(
        "select count(*) from pg_stat_activity where datname = current_database()",
      );
      most = Math.max(most, Number(rows[0]!.count) - 1);
      await pause(SAMPLE_EVERY_MS);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await over;
      return most;
    },
  };
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function mailWorld(): MailWorld {
  const world: MailWorld = {};
  for (let i = 0; i < HOSTS; i++) {
    world[`mx${i}.hosting.test`] = mailHost({
      latencyMs: LATENCY_MS,
      connectionCap: CONNECTIONS_PER_HOST,
      ...TLS,
    });
  }
  const users = ({ localPart }: { localPart: string }) => /^(person|warm-up)\d+$/.test(localPart);
  for (let i = 0; i < DOMAINS + WARM_UP_DOMAINS; i++) {
    world[`domain${i}.test`] = mailDomain({ mx: [`mx${i % HOSTS}.hosting.test`], users });
  }
  return world;
}

/** With two more columns, as lists of customers have. Interleaved by domain, as in real lists. */
function listOf(name: string, firstDomain: number, endDomain: number): string {
  const rows: string[] = [];
  for (let person = 0; person < EMAILS_PER_DOMAIN; person++) {
    for (let i = firstDomain; i < endDomain; i++) {
      rows.push(`${rows.length + 1},Customer ${person} of ${i},${name}${person}@domain${i}.test`);
    }
  }
  return `id,name,email\n${rows.join("\n")}\n`;
}

/** As a Markdown table. */
function print(rows: readonly (readonly string[])[]): void {
  const [header = [], ...others] = rows;
  for (const cells of [header, header.map(() => "---"), ...others]) console.log(`| ${cells.join(" | ")} |`);
  console.log("");
}

function n(value: number): string {
  return Math.round(value).toLocaleString("en");
}
