/**
 * Whether a second worker doubles the throughput: one job at many slow mail hosts, first with one worker process, then
 * with two and with four on the same PostgreSQL. And whether two workers together respect the connection limit of a few hosts that
 * both need at once. Connections are counted at the hosts.
 *
 *   npm run bench:workers
 *
 * With --identities, whether a second egress identity doubles the throughput of one worker at hosts that limit the
 * connections of each client address, and whether each identity respects that limit: shared with the other process, which
 * needs leases, and owned by the worker, which paces in memory.
 *
 *   npm run bench:workers -- --identities
 */
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Lab, type MailWorld, mailDomain, mailHost, openLab } from "@mailvet/lab";
import { openBenchServer } from "./deployment.ts";
import { runList } from "./list-run.ts";

const DOMAINS = 120;
const EMAILS_PER_DOMAIN = 150; // enough that each domain is a slice
const LATENCY_MS = 150;
const CONNECTIONS_PER_HOST = 2;
const WORKER_SLOTS = 4;
const WARM_UP_DOMAINS = 8;
/** One host per domain, or few hosts shared by many domains. */
const MANY_HOSTS = { hosts: DOMAINS, domains: DOMAINS };
const FEW_HOSTS = { hosts: 5, domains: 48 };
/** Two capped hosts that all slots of a worker need at once, so slow that the CPU does not matter. */
const CAPPED_HOSTS = { hosts: 2, domains: 88, latencyMs: 1500, slots: 40 };
const SOURCES = ["127.0.0.2", "127.0.0.3"];
const OWNER = "bench-worker";
const SAMPLE_EVERY_MS = 50;

const hostName = (number: number) => `mx${number}.hosting.test`;
const domainName = (number: number) => `domain${number}.test`;

const { values: flags } = parseArgs({ options: { identities: { type: "boolean", default: false } } });
await using server = await openBenchServer();
await (flags.identities ? compareIdentities() : compareWorkers());

async function compareWorkers(): Promise<void> {
  console.log(
    `${EMAILS_PER_DOMAIN} emails a domain, ${LATENCY_MS} ms a round trip, ${CONNECTIONS_PER_HOST} connections per host; ` +
      `each worker takes ${WORKER_SLOTS} domains at a time\n`,
  );
  const one = await measure({ ...MANY_HOSTS, workers: 1 });
  const two = await measure({ ...MANY_HOSTS, workers: 2 });
  const four = await measure({ ...MANY_HOSTS, workers: 4 });
  const crowd = await measure({ ...FEW_HOSTS, workers: 2 });
  const all = [one, two, four, crowd];
  const ratio = two.rowsPerSecond / one.rowsPerSecond;
  const mostAtOnce = Math.max(...all.map((measured) => measured.mostAtOnce));
  const turnedAway = all.reduce((sum, measured) => sum + measured.turnedAway, 0);
  console.log(`\ntwo workers against one: ${ratio.toFixed(2)} ×   (wanted: at least 1.8)`);
  console.log(`four workers against one: ${(four.rowsPerSecond / one.rowsPerSecond).toFixed(2)} ×`);
  console.log(
    `most connections a host saw at once: ${mostAtOnce}   (allowed: ${CONNECTIONS_PER_HOST}); turned away: ${turnedAway}`,
  );
  if (ratio < 1.8 || mostAtOnce > CONNECTIONS_PER_HOST || turnedAway > 0) process.exitCode = 1;
}

async function compareIdentities(): Promise<void> {
  const { hosts, latencyMs } = CAPPED_HOSTS;
  console.log(
    `${hosts} hosts, ${latencyMs} ms a round trip, ${CONNECTIONS_PER_HOST} connections for each client address\n`,
  );
  const one = await measure({ ...CAPPED_HOSTS, workers: 1, identities: 1 });
  const shared = await measure({ ...CAPPED_HOSTS, workers: 1, identities: 2 });
  const owned = await measure({ ...CAPPED_HOSTS, workers: 1, identities: 2, isOwned: true });
  console.log(
    `\nload average ${loadavg()
      .map((load) => load.toFixed(1))
      .join(", ")}`,
  );
  for (const [name, two] of Object.entries({ shared, owned })) {
    const ratio = two.rowsPerSecond / one.rowsPerSecond;
    console.log(
      `two ${name} identities against one: ${ratio.toFixed(2)} ×   (wanted: at least 1.9); most connections of one ` +
        `identity at a host: ${two.mostOfOneSource}   (allowed: ${CONNECTIONS_PER_HOST}); turned away: ${two.turnedAway}`,
    );
    if (ratio < 1.9 || two.mostOfOneSource > CONNECTIONS_PER_HOST || two.turnedAway > 0) process.exitCode = 1;
  }
}

type Deployment = {
  workers: number;
  hosts: number;
  domains: number;
  latencyMs?: number;
  /** Domains that each worker takes at a time. */
  slots?: number;
  /** Egress identities; by default the address of the machine. */
  identities?: number;
  /** By the worker; the other process then has one of its own. */
  isOwned?: boolean;
};
type Measured = { rowsPerSecond: number; mostAtOnce: number; mostOfOneSource: number; turnedAway: number };

/** On its own database and simulated internet, so that nothing is cached from one run to the next. */
async function measure(options: Deployment): Promise<Measured> {
  const { workers, hosts, domains, latencyMs = LATENCY_MS, slots: workerSlots = WORKER_SLOTS } = options;
  const sources = options.identities ?? 1;
  await using lab = await openLab(mailWorld(hosts, domains, latencyMs));
  const env = {
    ...egressSettings(options),
    CONNECTIONS_PER_HOST: String(CONNECTIONS_PER_HOST),
    WORKER_SLOTS: String(workerSlots),
  };
  await using deployment = await server.deploy({ lab, workers, env, workerEnv: { PROCESS_NAME: OWNER } });
  await run(0, WARM_UP_DOMAINS); // the measured run uses other domains

  const watch = watchConnections(lab, hosts);
  const rows = (domains - WARM_UP_DOMAINS) * EMAILS_PER_DOMAIN;
  const seconds = await run(WARM_UP_DOMAINS, domains);
  const mean = watch.stop();
  const seen = counts(lab, hosts);
  const measured = {
    rowsPerSecond: rows / seconds,
    mostAtOnce: Math.max(...seen.map((host) => host.maxConcurrentConnections)),
    mostOfOneSource: Math.max(
      ...seen.flatMap(({ clients }) =>
        Object.values(clients).map(({ maxConcurrentConnections }) => maxConcurrentConnections),
      ),
    ),
    turnedAway: seen.reduce((total, host) => total + host.refusedConnections, 0),
  };
  // Idle sessions and those sending QUIT come on top of the connections in use by slots.
  const slots = workers * workerSlots * CONNECTIONS_PER_HOST * sources;
  const caps = hosts * CONNECTIONS_PER_HOST * sources;
  const bound =
    slots < caps
      ? `the workers' slots (${slots} connections at work; the hosts would allow ${caps})`
      : `what the hosts allow (${caps} connections; the workers' slots would take ${slots})`;
  const identities = sources > 1 ? `, ${sources} ${options.isOwned ? "owned" : "shared"} identities` : "";
  console.log(
    `${workers} worker${workers > 1 ? "s" : ""}, ${hosts} hosts${identities}: ${n(measured.rowsPerSecond)} rows/s ` +
      `(${n(rows)} rows in ${seconds.toFixed(1)} s), ${mean.toFixed(1)} connections on average; bound by ${bound}`,
  );
  return measured;

  async function run(firstDomain: number, endDomain: number): Promise<number> {
    const { job, seconds } = await runList(deployment.base, listOf(firstDomain, endDomain));
    if (job.valid_count !== job.total_rows) throw new Error(JSON.stringify(job));
    return seconds;
  }
}

/** EGRESS_FILE, where the deployment has identities. */
function egressSettings({ identities, isOwned }: Deployment): Record<string, string> {
  if (identities === undefined) return {};
  const path = join(server.folder, "egress.json");
  const owner = isOwned ? { owner: OWNER } : {};
  const entries = SOURCES.slice(0, identities).map((address, index) => ({
    name: `source-${index + 1}`,
    ehlo_name: `source-${index + 1}.bench.test`,
    source_address: address,
    ...owner,
  }));
  const others = isOwned
    ? [{ name: "api", ehlo_name: "api.bench.test", source_address: "127.0.0.4", owner: "api" }]
    : [];
  writeFileSync(path, JSON.stringify({ identities: [...entries, ...others] }));
  return { EGRESS_FILE: path, PROCESS_NAME: "api" };
}

function mailWorld(hosts: number, domains: number, latencyMs: number): MailWorld {
  const world: MailWorld = {};
  for (let i = 0; i < hosts; i++) {
    world[hostName(i)] = mailHost({ latencyMs, connectionCap: CONNECTIONS_PER_HOST });
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
