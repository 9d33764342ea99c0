/**
 * Mailvet beside AfterShip's email-verifier (Go) and Reacher's check-if-email-exists (Rust): same lists, same lab, same
 * limit of connections per host, checkers in turn, ratios within a round. docs/benchmarks.md has the method.
 *
 *   npm run bench:peers
 *   npm run bench:peers -- --runs 3 --markdown           the tables of docs/benchmarks.md
 *   npm run bench:peers -- --shape tail --scale 0.2
 *
 * Everything runs in a network namespace without any network. Where Go, Rust or namespaces are missing it says so and
 * measures the rest. Progress goes to standard error, results to standard output.
 */
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { assertLoopbackOnly, NAMESPACE_PORTS, namespaceProblem, runInNamespace } from "./peers/namespace.ts";
import { buildPeers } from "./peers/peer-build.ts";
import { markdownTable, plainTable, type Round, rangeOf } from "./peers/summary.ts";
import {
  type Checker,
  CLI,
  LIBRARY,
  type Measurement,
  measure,
  RAW_CLIENT,
  SERVICE,
  stopOnSignals,
} from "./smtp/measure.ts";
import { describe, LATENCY_MS, type Shape, shapesNamed } from "./smtp/shapes.ts";
import { measureStolenTime } from "./smtp/stolen-time.ts";
import { printTable } from "./smtp/table.ts";

/** For each peer. More would not help: the shapes have 960 connections at most, or are limited by the CPU. */
const CHECKS_AT_ONCE = 1000;
const MAX_RUNS = 20;

stopOnSignals();
const { values } = parseArgs({
  options: {
    shape: { type: "string", multiple: true },
    scale: { type: "string", default: "1" },
    runs: { type: "string", default: "1" },
    markdown: { type: "boolean", default: false },
    /** Internal: name=program of each peer, when already inside the namespace. */
    peer: { type: "string", multiple: true, default: [] },
    inside: { type: "boolean", default: false },
  },
});
const runs = Number(values.runs);
if (!(Number.isInteger(runs) && runs >= 1 && runs <= MAX_RUNS))
  throw new Error(`--runs ${values.runs}: expected 1 to ${MAX_RUNS}`);
const shapes = shapesNamed(values.shape, values.scale);

if (values.inside) {
  assertLoopbackOnly();
  await compare(values.peer.map(peerChecker), NAMESPACE_PORTS);
} else {
  const problem = namespaceProblem();
  if (problem) {
    console.error(`without peers: no network namespace here (${problem.trim()})`);
    await compare([]);
  } else {
    const built = await buildPeers();
    for (const peer of built) if ("missing" in peer) console.error(`without ${peer.name}: ${peer.missing}`);
    const peers = built.flatMap((peer) =>
      "program" in peer ? ["--peer", `${peer.name}=${peer.program}`] : [],
    );
    const script = [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
    process.exitCode = await runInNamespace([process.execPath, ...script, "--inside", ...peers]);
  }
}

async function compare(peers: readonly Checker[], ports?: typeof NAMESPACE_PORTS): Promise<void> {
  const checkers = [RAW_CLIENT, LIBRARY, SERVICE, CLI, ...peers];
  const rounds = new Map<Shape, Round[]>(shapes.map((shape) => [shape, []]));
  const stolenTime = measureStolenTime();
  const loads: number[] = [];
  for (let run = 0; run < runs; run++) {
    for (const shape of shapes) {
      console.error(`\nrun ${run + 1} of ${runs}, ${describe(shape)}`);
      const round: Measurement[] = [];
      for (const checker of rotated(checkers, run)) {
        round.push(await measure(checker, shape, { ...(ports && { ports }) }));
        loads.push(loadavg()[0] ?? 0);
      }
      printTable(round, console.error);
      rounds.get(shape)?.push(round);
    }
  }
  console.log(
    `${new Date().toISOString().slice(0, 10)}, ${runs === 1 ? "1 run" : `${runs} runs`}, Node ${process.versions.node}, ${availableParallelism()} cores, load ${rangeOf(loads, 1)}${stolenTime()}, ` +
      `${LATENCY_MS} ms a round trip, peers with ${CHECKS_AT_ONCE.toLocaleString("en")} checks at once\n`,
  );
  const table = values.markdown ? markdownTable : plainTable;
  for (const [shape, of] of rounds) {
    console.log(`${values.markdown ? "### " : ""}${describe(shape)}\n\n${table(of)}\n`);
  }
}

function peerChecker(argument: string): Checker {
  const [name = "", program = ""] = argument.split("=", 2);
  return {
    name,
    command: ({ listFile, connections }) => ({
      command: program,
      args: [listFile, String(connections), String(CHECKS_AT_ONCE)],
    }),
  };
}

/** Every run begins with another checker, so that a change of load does not always meet the same one. */
function rotated<T>(list: readonly T[], by: number): T[] {
  return list.map((_, i) => list[(i + by) % list.length]!);
}
