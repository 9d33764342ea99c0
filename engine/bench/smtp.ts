/**
 * The engine in four shapes of list, through the library and the command line, beside a raw client that is the limit. All
 * in the lab, 40 ms a round trip. Every figure is measured in this run; ratios and CPU time are what counts.
 *
 *   npm run bench:smtp
 *   npm run bench:smtp -- --shape tail --scale 0.2 --checker library --cpu-prof /tmp/profiles --set ENGINE_THREADS=1
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { CLI, LIBRARY, type Measurement, measure, RAW_CLIENT } from "./smtp/measure.ts";
import { listOf, SHAPES, scaled } from "./smtp/shapes.ts";
import { printTable } from "./smtp/table.ts";

const { values } = parseArgs({
  options: {
    shape: { type: "string", multiple: true, default: SHAPES.map(({ name }) => name) },
    checker: { type: "string", multiple: true, default: ["raw", "library", "cli"] },
    scale: { type: "string", default: "1" },
    "cpu-prof": { type: "string" },
    set: { type: "string", multiple: true, default: [] },
  },
});
const CHECKERS = { raw: RAW_CLIENT, library: LIBRARY, cli: CLI };
const settings = Object.fromEntries(values.set.map((one) => one.split("=", 2) as [string, string]));
const scale = Number(values.scale);
if (!(scale > 0 && scale <= 100)) throw new Error(`--scale ${values.scale}: expected a number up to 100`);

let isGood = true;
for (const name of values.shape) {
  const found = SHAPES.find((one) => one.name === name);
  if (!found) throw new Error(`--shape ${name}: expected ${SHAPES.map((one) => one.name).join(", ")}`);
  const shape = scaled(found, scale);
  console.log(
    `\n${shape.name}: ${shape.title}. ${listOf(shape).length.toLocaleString("en")} addresses, ${shape.domains} domains, ` +
      `${shape.hosts} hosts, at most ${shape.connections} connections to each, load ${loadavg()[0]?.toFixed(1)}`,
  );
  const measurements: Measurement[] = [];
  for (const key of values.checker) {
    const checker = CHECKERS[key as keyof typeof CHECKERS];
    if (!checker) throw new Error(`--checker ${key}: expected ${Object.keys(CHECKERS).join(", ")}`);
    measurements.push(await measure(checker, shape, { profileDirectory: values["cpu-prof"], settings }));
  }
  printTable(measurements);
  isGood &&= measurements.every(
    ({ right, addresses, mostAtOnce }) => right === addresses && mostAtOnce <= shape.connections,
  );
}
if (!isGood) {
  console.log("\nA verdict was wrong, or a host saw more connections than allowed.");
  process.exitCode = 1;
}
