/**
 * Overhead of the service over plain HTTP: a cached check and a sandbox check against a bare Fastify route that returns
 * the same bytes, in one run, with the server on one core. Also a thousand cached addresses in one request.
 *
 *   npm run bench:api
 */
import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { mailDomain, openLab } from "@mailvet/lab";
import autocannon from "autocannon";
import { startBenchService } from "./bench-service.ts";
import { KEY } from "./list-run.ts";

const CONNECTIONS = 100;
// Many short alternating rounds, because the speed of a shared machine varies over time.
const ROUND_SECONDS = 2;
const ROUNDS = 9;
const BULK_SIZE = 1000;
/** Below it something has become slower: 0.27 to 0.36 was measured with Node 24. */
const WANTED_RATIO = 0.25;
const CORES = availableParallelism(); // read before this process is pinned, which lowers it

const users = Array.from({ length: BULK_SIZE }, (_, index) => `person${index}`);
await using lab = await openLab({ "bench.test": mailDomain({ users }) });
await using service = await startBenchService(lab.env);
const base = service.url;
const isPinned = keepOnOneCore(service.pid);

const remembered = `${base}/api/v1/validation/single?email=person0@bench.test`;
const sandboxed = `${base}/api/v1/validation/single?email=valid@mailvet.test`;
await get(remembered);
const sample = await get(remembered);
if (!JSON.parse(sample).metadata.cached) throw new Error("the second answer was not cached");
const bare = fork(fileURLToPath(new URL("bare.ts", import.meta.url)), { execArgv: process.execArgv });
bare.send(sample);
const [bareUrl] = (await once(bare, "message")) as [string];
keepOnOneCore(bare.pid!);

const seen = { remembered: [] as Load[], sandboxed: [] as Load[], bare: [] as Load[] };
for (const url of [bareUrl, remembered, sandboxed]) await load(url); // warm
for (let round = 0; round < ROUNDS; round++) {
  seen.bare.push(await load(bareUrl));
  seen.remembered.push(await load(remembered));
  seen.sandboxed.push(await load(sandboxed));
}
bare.kill();

console.log(
  `${CONNECTIONS} connections, ${ROUNDS} rounds of ${ROUND_SECONDS} s in turn, medians` +
    `${isPinned ? ", server on one core" : ""}; ${sample.length} bytes an answer\n`,
);
const report = (name: string, loads: Load[]) => {
  const rate = median(loads.map((one) => one.rate));
  const p99 = median(loads.map((one) => one.p99Ms));
  const ratio = median(loads.map((one, round) => one.rate / seen.bare[round]!.rate));
  console.log(
    `${name.padEnd(34)} ${Math.round(rate).toString().padStart(7)}/s   p99 ${p99.toFixed(1).padStart(6)} ms   ` +
      `${ratio.toFixed(2)} × bare`,
  );
  return ratio;
};
report("bare Fastify route, same bytes", seen.bare);
const ratio = report("single check, from memory, charged", seen.remembered);
report("sandbox check with a live key", seen.sandboxed);
console.log(`cached against bare: ${ratio.toFixed(2)}   (wanted: at least ${WANTED_RATIO})`);

const emails = users.map((user) => `${user}@bench.test`);
await bulk(base, emails);
const times = [];
for (let round = 0; round < 7; round++) times.push(await bulk(base, emails));
const bulkMs = median(times);
console.log(
  `bulk of ${BULK_SIZE} remembered addresses: ${bulkMs.toFixed(0)} ms, slowest ${Math.max(...times).toFixed(0)} ms` +
    "   (wanted: under 250)",
);
if (ratio < WANTED_RATIO || bulkMs >= 250) process.exitCode = 1;

type Load = { rate: number; p99Ms: number };

async function load(url: string): Promise<Load> {
  const headers = { "x-api-key": KEY };
  const seen = await autocannon({ url, headers, connections: CONNECTIONS, duration: ROUND_SECONDS });
  if (seen.non2xx > 0 || seen.errors > 0)
    throw new Error(`${url}: ${seen.non2xx} refused, ${seen.errors} failed`);
  return { rate: seen.requests.average, p99Ms: seen.latency.p99 };
}

async function get(url: string): Promise<string> {
  const answer = await fetch(url, { headers: { "x-api-key": KEY } });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.text();
}

async function bulk(base: string, emails: string[]): Promise<number> {
  const started = performance.now();
  const answer = await fetch(`${base}/api/v1/validation/bulk`, {
    method: "POST",
    headers: { "x-api-key": KEY, "content-type": "application/json" },
    body: JSON.stringify({ emails }),
  });
  const summary = (await answer.json()) as { valid_count: number };
  if (summary.valid_count !== emails.length)
    throw new Error(`bulk: ${JSON.stringify(summary).slice(0, 300)}`);
  return performance.now() - started;
}

/** Pins the server to the first core where taskset is available; its database and this program use the others. */
function keepOnOneCore(pid: number): boolean {
  if (process.platform !== "linux" || CORES < 2) return false;
  const pin = (pids: string, to: string) => spawnSync("taskset", ["-acp", to, pids]).status === 0;
  const others = `1-${CORES - 1}`;
  const children = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" }).stdout.split("\n");
  for (const child of children.filter(Boolean)) {
    pin(child, others);
    for (const worker of spawnSync("pgrep", ["-P", child], { encoding: "utf8" }).stdout.split("\n")) {
      if (worker) pin(worker, others);
    }
  }
  return pin(String(process.pid), others) && pin(String(pid), "0");
}

function median(numbers: number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}
