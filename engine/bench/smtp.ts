/**
 * The engine in several shapes of list, through the library, a service and the command line, beside a raw client that is
 * the limit. All in the lab, 40 ms a round trip. Every figure is measured in this run; ratios and CPU time are what counts.
 *
 *   npm run bench:smtp
 *   npm run bench:smtp -- --shape tail --scale 0.2 --checker library --cpu-prof /tmp/profiles --set ENGINE_THREADS=1
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import {
  CLI,
  LIBRARY,
  type Measurement,
  measure,
  RAW_CLIENT,
  SERVICE,
  stopOnSignals,
} from "./smtp/measure.ts";
import { describe, shapesNamed } from "./smtp/shapes.ts";
import { measureStolenTime } from "./smtp/stolen-time.ts";
import { printTable } from "./smtp/table.ts";

stopOnSignals();
const { values } = parseArgs({
  options: {
    shape: { type: "string", multiple: true },
    checker: { type: "string", multiple: true, default: ["raw", "library", "service", "cli"] },
    scale: { type: "string", default: "1" },
    list: { type: "string", default: "1" },
    "cpu-prof": { type: "string" },
    set: { type: "string", multiple: true, default: [] },
  },
});
const CHECKERS = { raw: RAW_CLIENT, library: LIBRARY, service: SERVICE, cli: CLI };
const settings = Object.fromEntries(values.set.map((one) => one.split(/=(.*)/s, 2) as [string, string]));

let isGood = true;
for (const shape of shapesNamed(values.shape, values.scale, values.list)) {
  console.log(`\n${describe(shape)}; Node ${process.versions.node}`);
  const stolenTime = measureStolenTime();
  const measurements: Measurement[] = [];
  for (const key of values.checker) {
    const checker = CHECKERS[key as keyof typeof CHECKERS];
    if (!checker) throw new Error(`--checker ${key}: expected ${Object.keys(CHECKERS).join(", ")}`);
    measurements.push(await measure(checker, shape, { profileDirectory: values["cpu-prof"], settings }));
  }
  printTable(measurements);
  console.log(`load ${loadavg()[0]?.toFixed(1)}${stolenTime()}`);
  isGood &&= measurements.every(
    ({ right, addresses, mostAtOnce }) => right === addresses && mostAtOnce <= shape.connections,
  );
}
if (!isGood) {
  console.log("\nA verdict was wrong, or a host saw more connections than allowed.");
  process.exitCode = 1;
}
