/**
 * Runs the tests on a machine that is busy with something else: four busy loops per core, at a higher priority than the
 * tests. A test that passes here waits for events, not for time. Or, with --stalls, on a machine whose processes stand still
 * now and then, each on its own: that finds tests that rely on what happens first.
 *
 *   npm run test:starved                     all tests but axe and budgets; needs Chromium, as test:browser does
 *   npm run test:starved -- FILE...          these test files only (any arguments of `vitest run`)
 *   npm run test:starved -- --stalls FILE... no busy loops: random processes of the tests are stopped for up to two seconds
 *
 * The load average is printed at the start, every minute and at the end. The exit code is that of the tests. The busy
 * loops end with this process, also when it is killed with -9.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, getPriority, loadavg, setPriority } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startStalls } from "./stalls.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LOOPS_PER_CORE = 4;
/**
 * Nice levels below the loops; a process may always lower its own priority. With 2 a core's one running test gets a
 * seventh of it. With 10 it got a fortieth, and the suite would take hours.
 */
const LOWER_PRIORITY = 2;
const SAMPLE_MS = 60_000;

/** Busy loop that exits when its parent is no longer the process whose id it was given. */
const BUSY_LOOP = `
  const parent = Number(process.argv[1]);
  while (process.ppid === parent) for (const end = Date.now() + 200; Date.now() < end; );
`;

const loads = [];
/** Of the last minute. */
const printLoad = (when) => {
  const [load] = loadavg();
  loads.push(load);
  process.stderr.write(`starved: load average ${load.toFixed(1)} ${when}\n`);
};
printLoad("at the start");

const [first, ...others] = process.argv.slice(2);
const hasStalls = first === "--stalls";
const given = hasStalls ? others : process.argv.slice(2);

const loopCount = hasStalls ? 0 : LOOPS_PER_CORE * availableParallelism();
const loops = Array.from({ length: loopCount }, () =>
  spawn(process.execPath, ["-e", BUSY_LOOP, String(process.pid)], { stdio: "ignore" }),
);
process.once("exit", () => {
  for (const loop of loops) loop.kill("SIGKILL");
});

setPriority(Math.min(19, getPriority() + LOWER_PRIORITY)); // the tests inherit it; the loops have started without
const selected = given.length > 0 ? given : ["--project", "!pages"];
const args = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", ...selected];
const startedAt = Date.now();
// In a process group of their own, with everything they start.
const tests = spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit", detached: true });
const stalls = hasStalls ? startStalls(tests.pid) : undefined;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => process.kill(-tests.pid, signal));
}

const secondsSoFar = () => Math.round((Date.now() - startedAt) / 1000);
const sampling = setInterval(() => printLoad(`after ${secondsSoFar()} s`), SAMPLE_MS);
const [code, signal] = await once(tests, "exit");
clearInterval(sampling);
stalls?.stop();
printLoad("at the end");

const [atStart, ...later] = loads;
const load = `load average ${atStart.toFixed(1)}, then ${Math.min(...later).toFixed(1)} to ${Math.max(...later).toFixed(1)}`;
const outcome = code === 0 ? "passed" : `failed (${signal ?? `exit code ${code}`})`;
const burden = stalls ? `${stalls.count()} stalls` : `${loops.length} busy loops`;
process.stderr.write(
  `starved: ${outcome} in ${secondsSoFar()} s; ${burden} on ${availableParallelism()} cores, ${load}\n`,
);
process.exit(code ?? 1);
