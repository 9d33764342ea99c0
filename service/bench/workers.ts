/**
 * Whether a second worker doubles the throughput: one job at many slow mail hosts, first with one worker process, then
 * with two on the same PostgreSQL. And whether two workers together respect the connection limit of a few hosts that
 * both need at once. Connections are counted at the hosts.
 *
 *   npm run bench:workers
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@mailvet/embedded-postgres";
import { type Lab, type MailWorld, mailDomain, mailHost, openLab } from "@mailvet/lab";
import { SERVICE_PROGRAM } from "../test/service-program.ts";
import { createDatabase, databaseUrl, KEY, runList } from "./list-run.ts";

const DOMAINS = 120;
const EMAILS_PER_DOMAIN = 150; // enough that each domain is a slice
const LATENCY_MS = 150;
const CONNECTIONS_PER_HOST = 2;
const WORKER_SLOTS = 4;
const WARM_UP_DOMAINS = 8;
/** One host per domain, or few hosts shared by many domains. */
const MANY_HOSTS = { hosts: DOMAINS, domains: DOMAINS };
const FEW_HOSTS = { hosts: 5, domains: 48 };
const SAMPLE_EVERY_MS = 50;

const hostName = (number: number) => `mx${number}.hosting.test`;
const domainName = (number: number) => `domain${number}.test`;

const folder = mkdtempSync(join(tmpdir(), "mailvet-bench-"));
chmodSync(folder, 0o755); // as root, the database runs as another user, who needs access
const server = await startEmbeddedPostgres({ dataDirectory: join(folder, "data") });
try {
  console.log(
    `${EMAILS_PER_DOMAIN} emails a domain, ${LATENCY_MS} ms a round trip, ${CONNECTIONS_PER_HOST} connections per host; ` +
      `each worker takes ${WORKER_SLOTS} domains at a time\n`,
  );
  const one = await measure({ ...MANY_HOSTS, workers: 1 });
  const two = await measure({ ...MANY_HOSTS, workers: 2 });
  const crowd = await measure({ ...FEW_HOSTS, workers: 2 });
  const ratio = two.rowsPerSecond / one.rowsPerSecond;
  const mostAtOnce = Math.max(one.mostAtOnce, two.mostAtOnce, crowd.mostAtOnce);
  const turnedAway = one.turnedAway + two.turnedAway + crowd.turnedAway;
  console.log(`\ntwo workers against one: ${ratio.toFixed(2)} ×   (wanted: at least 1.8)`);
  console.log(
    `most connections a host saw at once: ${mostAtOnce}   (allowed: ${CONNECTIONS_PER_HOST}); turned away: ${turnedAway}`,
  );
  if (ratio < 1.8 || mostAtOnce > CONNECTIONS_PER_HOST || turnedAway > 0) process.exitCode = 1;
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

type Deployment = { workers: number; hosts: number; domains: number };
type Measured = { rowsPerSecond: number; mostAtOnce: number; turnedAway: number };

/** On its own database and simulated internet, so that nothing is cached from one run to the next. */
async function measure({ workers, hosts, domains }: Deployment): Promise<Measured> {
  await using lab = await openLab(mailWorld(hosts, domains));
  const children: ChildProcess[] = [];
  try {
    const env = { DATABASE_URL: databaseUrl(await createDatabase(server)), ...engineSettings(lab) };
    const api = await start(children, { ...env, ROLE: "api", BOOTSTRAP_API_KEY: KEY });
    await Promise.all(Array.from({ length: workers }, () => start(children, { ...env, ROLE: "worker" })));
    const base = `${/listens on (http:\/\/\S+)/.exec(api)![1]}/api/v1`;
    await run(base, listOf(0, WARM_UP_DOMAINS)); // the measured run uses other domains

    const watch = watchConnections(lab, hosts);
    const rows = (domains - WARM_UP_DOMAINS) * EMAILS_PER_DOMAIN;
    const seconds = await run(base, listOf(WARM_UP_DOMAINS, domains));
    const mean = watch.stop();
    const seen = counts(lab, hosts);
    const measured = {
      rowsPerSecond: rows / seconds,
      mostAtOnce: Math.max(...seen.map((host) => host.maxConcurrentConnections)),
      turnedAway: seen.reduce((total, host) => total + host.refusedConnections, 0),
    };
    // Idle sessions and those sending QUIT come on top of the connections in use by slots.
    const slots = workers * WORKER_SLOTS * CONNECTIONS_PER_HOST;
    const caps = hosts * CONNECTIONS_PER_HOST;
    const bound =
      slots < caps
        ? `the workers' slots (${slots} connections at work; the hosts would allow ${caps})`
        : `what the hosts allow (${caps} connections; the workers' slots would take ${slots})`;
    console.log(
      `${workers} worker${workers > 1 ? "s" : ""}, ${hosts} hosts: ${n(measured.rowsPerSecond)} rows/s ` +
        `(${n(rows)} rows in ${seconds.toFixed(1)} s), ${mean.toFixed(1)} connections on average; bound by ${bound}`,
    );
    return measured;
  } finally {
    for (const child of children.reverse()) await stop(child);
  }
}

function mailWorld(hosts: number, domains: number): MailWorld {
  const world: MailWorld = {};
  for (let i = 0; i < hosts; i++) {
    world[hostName(i)] = mailHost({ latencyMs: LATENCY_MS, connectionCap: CONNECTIONS_PER_HOST });
  }
  for (let i = 0; i < domains; i++) {
    const users = ({ localPart }: { localPart: string }) => /^person\d+$/.test(localPart);
    world[domainName(i)] = mailDomain({ mx: [hostName(i % hosts)], users });
  }
  return world;
}

/** The rows of these domains, interleaved as in real lists. */
function listOf(firstDomain: number, endDomain: number): string {
  const rows: string[] = [];
  for (let person = 0; person < EMAILS_PER_DOMAIN; person++) {
    for (let i = firstDomain; i < endDomain; i++) rows.push(`person${person}@${domainName(i)}`);
  }
  return `email\n${rows.join("\n")}\n`;
}

function engineSettings(lab: Lab): Record<string, string> {
  return {
    DNS_SERVERS: lab.nameServer,
    SMTP_PORT: String(lab.smtpPort),
    EGRESS_ALLOW: "127.0.0.0/8",
    CONNECTIONS_PER_HOST: String(CONNECTIONS_PER_HOST),
    WORKER_SLOTS: String(WORKER_SLOTS),
    PORT: "0",
    ADMIN_CREDITS: "100000000",
    LOG_LEVEL: "warn",
    NODE_ENV: "production",
  };
}

/** Resolves with its output once it is ready. */
async function start(children: ChildProcess[], env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, SERVICE_PROGRAM, {
    env: { PATH: process.env.PATH, ...env },
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout!.on("data", (chunk) => {
      output += chunk;
      if (/The API is described at|mailvet works on jobs/.test(output)) resolve(output);
    });
    child.once("exit", () => reject(new Error(`${env.ROLE} did not start: ${output}`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** Seconds from confirmation to completion. Throws unless every row is valid. */
async function run(base: string, list: string): Promise<number> {
  const { job, seconds } = await runList(base, list);
  if (job.valid_count !== job.total_rows) throw new Error(JSON.stringify(job));
  return seconds;
}

function counts(lab: Lab, hosts: number) {
  return Array.from({ length: hosts }, (_, i) => lab.counts(hostName(i)));
}

/** Average number of open connections over all hosts. */
function watchConnections(lab: Lab, hosts: number): { stop(): number } {
  const seen: number[] = [];
  const timer = setInterval(() => {
    seen.push(counts(lab, hosts).reduce((sum, host) => sum + host.openConnections, 0));
  }, SAMPLE_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return seen.reduce((sum, count) => sum + count, 0) / Math.max(1, seen.length);
    },
  };
}

function n(value: number): string {
  return Math.round(value).toLocaleString("en");
}
