/**
 * The probe planner against a prober with one connection per address: same addresses, hosts and connection limits, in
 * the lab. Every figure is measured in this run; the ratios are what counts.
 *
 *   npm run bench:smtp
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { RunRequest, RunResult } from "./smtp/run.ts";
import { CONNECTIONS_PER_HOST, DOMAINS, HOSTS, LATENCY_MS, type Seen } from "./smtp/world.ts";

const ADDRESSES = 10_000;
const MANY = 100_000;

const world = start("smtp/world-process.ts");
const [{ nameServer, smtpPort }] = (await once(world, "message")) as [
  { nameServer: string; smtpPort: number },
];

console.log(
  `${n(ADDRESSES)} addresses, ${DOMAINS} domains, ${HOSTS} mail hosts, ${LATENCY_MS} ms a round trip, ` +
    `${CONNECTIONS_PER_HOST} connections per host\n`,
);
const planner = await measure("planner", ADDRESSES);
const plain = await measure("plain", ADDRESSES);
const many = await measure("planner", MANY);
world.disconnect();

row("", "planner", "plain", "ratio");
row(
  "addresses/s",
  n(rate(planner)),
  n(rate(plain)),
  `${(rate(planner) / rate(plain)).toFixed(1)} ×   (wanted: 10)`,
);
row(
  "connections",
  n(planner.connections),
  n(plain.connections),
  `1/${(plain.connections / planner.connections).toFixed(1)}   (wanted: 1/10)`,
);
row(
  "commands",
  n(planner.commands),
  n(plain.commands),
  `1/${(plain.commands / planner.commands).toFixed(1)}`,
);
row(
  "round trips",
  n(planner.roundTrips),
  n(plain.roundTrips),
  `1/${(plain.roundTrips / planner.roundTrips).toFixed(1)}`,
);
row("most connections to a host", n(planner.mostAtOnce), n(plain.mostAtOnce), "");
row("left without QUIT", n(planner.withoutQuit), n(plain.withoutQuit), "");
row("peak RSS, MiB", n(planner.peakRssMiB), n(plain.peakRssMiB), "");
row("right verdicts", n(planner.right), n(plain.right), "");

const share = (run: Measured) => `${(busyShare(run) * 100).toFixed(0)} %`;
console.log(
  `\nshare of the physical limit (its round trips × ${LATENCY_MS} ms on all allowed connections at once,`,
);
console.log(`against the time it took): ${share(planner)}, and ${share(many)} of the long run   (aim: 70 %)`);
const growth = many.peakRssMiB / planner.peakRssMiB;
console.log(
  `peak RSS for ${n(MANY)} addresses: ${n(many.peakRssMiB)} MiB, × ${growth.toFixed(2)} (wanted: at most 1.3)`,
);
console.log(`rate for ${n(MANY)} addresses: ${n(rate(many))}/s, ${n(many.right)} right verdicts`);

const good =
  rate(planner) >= 10 * rate(plain) &&
  planner.connections * 10 <= plain.connections &&
  growth <= 1.3 &&
  planner.right === ADDRESSES &&
  many.right === MANY &&
  planner.mostAtOnce <= CONNECTIONS_PER_HOST;
for (const problem of [...planner.wrong, ...many.wrong]) console.log(`wrong: ${problem}`);
if (!good) process.exitCode = 1;

type Measured = RunResult & Seen & { addresses: number };

async function measure(how: RunRequest["how"], addresses: number): Promise<Measured> {
  const child = start("smtp/run.ts");
  child.send({ how, addresses, nameServer, smtpPort } satisfies RunRequest);
  await once(child, "message"); // warmed up
  const before = await seen();
  child.send("go");
  const [result] = (await once(child, "message")) as [RunResult];
  const after = await seen();
  return {
    ...result,
    addresses,
    connections: after.connections - before.connections,
    commands: after.commands - before.commands,
    roundTrips: after.roundTrips - before.roundTrips,
    withoutQuit: after.withoutQuit - before.withoutQuit,
    mostAtOnce: after.mostAtOnce,
  };
}

async function seen(): Promise<Seen> {
  world.send("what have you seen?");
  const [counts] = (await once(world, "message")) as [Seen];
  return counts;
}

/** Utilisation of the allowed connections: the round trips made, one after another on each of them. */
function busyShare({ roundTrips, seconds }: Measured): number {
  return (roundTrips * LATENCY_MS) / 1000 / (HOSTS * CONNECTIONS_PER_HOST) / seconds;
}

function start(file: string): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), { execArgv: process.execArgv });
}

function rate({ addresses, seconds }: Measured): number {
  return addresses / seconds;
}

function n(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function row(...cells: string[]): void {
  const [name = "", ours = "", theirs = "", ratio = ""] = cells;
  console.log(`${name.padEnd(28)}${ours.padStart(10)}${theirs.padStart(10)}   ${ratio}`);
}
