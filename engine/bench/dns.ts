/**
 * CPU time of the DNS part of a check: mail route, SPF, DMARC and MTA-STS of 2,000 domains on 1,738 mail hosts.
 *
 * The lab's name server runs in its own process. Each run is a process of its own, and the builds take turns, so that a
 * busy machine affects them alike; the ratios are what counts.
 *
 *   npm run bench:dns [-- DIST...]    the dist directories of other builds, compared with this one
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { DnsRunRequest, DnsRunResult } from "./dns/run.ts";

const ROUNDS = 5;
const DOMAINS = 2000;

const builds = [...process.argv.slice(2), fileURLToPath(new URL("../dist", import.meta.url))];
const world = start("dns/world-process.ts");
const [nameServer] = (await once(world, "message")) as [string];

const runs = new Map<string, DnsRunResult[]>(builds.map((build) => [build, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const build of builds) {
    const child = start("dns/run.ts");
    child.send({ build, nameServer, domains: DOMAINS } satisfies DnsRunRequest);
    child.once("exit", (code) => code === 0 || process.exit(1)); // its error is on the terminal
    const [result] = (await once(child, "message")) as [DnsRunResult];
    runs.get(build)!.push(result);
  }
}
world.disconnect();

console.log(`${DOMAINS} domains, ${ROUNDS} runs each; CPU in ms per domain, lowest / median / highest\n`);
const [first = Number.NaN] = builds.map((build) => median(runs.get(build)!));
for (const build of builds) {
  const results = runs.get(build)!;
  const cpu = sorted(results).map((ms) => ms.toFixed(3));
  const { questions, found, firstRouteAfter, facts } = results[0]!;
  console.log(build);
  console.log(`  CPU            ${cpu[0]} / ${cpu[cpu.length >> 1]} / ${cpu.at(-1)}`);
  console.log(`  ratio          ${(median(results) / first).toFixed(2)} of the first build's`);
  console.log(`  queries        ${questions} (${(questions / DOMAINS).toFixed(1)} a domain)`);
  console.log(`  first route    known when ${firstRouteAfter} of them had been requested`);
  console.log(`  routes found   ${found}, checksum of all facts ${facts}`);
}

function sorted(results: readonly DnsRunResult[]): number[] {
  return results.map(({ cpuMs }) => cpuMs / DOMAINS).sort((a, b) => a - b);
}

function median(results: readonly DnsRunResult[]): number {
  return sorted(results)[results.length >> 1]!;
}

function start(file: string): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), { execArgv: process.execArgv });
}
