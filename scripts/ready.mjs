/**
 * Makes a checkout ready: installs packages when the lock file is newer than node_modules, and builds what is older than
 * its sources. When there is nothing to do it takes milliseconds.
 *
 *   node scripts/ready.mjs                              everything, for tests, benchmarks and the demo
 *   node scripts/ready.mjs --run service/dist/main.js   what running needs, then becomes that program, in this process,
 *                                                       so that a signal to it reaches the program
 *
 * Plain JavaScript, because it runs before anything is installed or compiled.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { leaveWithParent } from "./leave-with-parent.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LOCK_FILE = join(ROOT, "package-lock.json");
const INSTALLED = join(ROOT, "node_modules/.package-lock.json"); // npm writes it last, after every install
/** A package that only tests need: without it the last install was one for running. */
const TEST_PACKAGE = join(ROOT, "node_modules/vitest/package.json");
const BUILT = join(ROOT, "node_modules/.cache/mailvet-built");
const PROGRAMS = ["contract", "engine", "lab", "embedded-postgres", "service", "sdk", "cli"];
const WEB_BUILT = join(ROOT, "web/dist/index.html"); // Vite writes it with the rest, when nothing has failed
const WEB_SOURCES = ["web/src", "web/public", "contract/src", "sdk/src"];
const WEB_FILES = ["web/index.html", "web/vite.config.ts", "web/package.json", "web/tsconfig.json"];
const TELL_EVERY_MS = 5_000;

/** What the command line needs. */
export async function makeReadyToRun() {
  await install("running");
  await buildPrograms();
}

/** `purpose` is "running" (packages of the programs, and what builds them) or "testing" (all). */
async function install(purpose) {
  requireNode(20, 19);
  const isCurrent = modified(INSTALLED) >= modified(LOCK_FILE);
  const hasTestPackages = modified(TEST_PACKAGE) > 0;
  if (isCurrent && (purpose === "running" || hasTestPackages)) return;
  const all = purpose === "testing" || hasTestPackages;
  const what = all ? "all packages" : "the packages that running needs";
  const omit = all ? [] : ["--omit=dev"];
  await run(`installing ${what}`, "npm", ["ci", ...omit, "--no-audit", "--no-fund", "--loglevel=error"]);
}

async function buildPrograms() {
  if (builtAt() >= newestOf(...programSources())) return;
  const started = new Date();
  await run("building the programs", process.execPath, [
    join(ROOT, "node_modules/typescript/bin/tsc"),
    "-b",
    ...PROGRAMS,
  ]);
  mkdirSync(dirname(BUILT), { recursive: true });
  writeFileSync(BUILT, "");
  utimesSync(BUILT, started, started); // what is saved during the build is newer than it
}

export async function buildWebApp() {
  if (modified(WEB_BUILT) >= newestOf(WEB_SOURCES, WEB_FILES)) return;
  const started = new Date();
  const vite = dirname(createRequire(join(ROOT, "web/package.json")).resolve("vite/package.json"));
  const args = [join(vite, "bin/vite.js"), "build", "--logLevel=warn"];
  // NODE_ENV may be that of a test: the app that is served is built for production.
  const env = { ...process.env, NODE_ENV: "production" };
  await run("building the web app", process.execPath, args, { cwd: join(ROOT, "web"), env });
  utimesSync(WEB_BUILT, started, started);
}

function requireNode(major, minor) {
  const [haveMajor = 0, haveMinor = 0] = process.versions.node.split(".").map(Number);
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return;
  say(`needs Node ${major}.${minor} or newer; this is ${process.versions.node}`);
  process.exit(1);
}

/** When the file was last written, in milliseconds; 0 when it is not there. */
function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** When the programs were last built; 0 when any of them is gone. */
function builtAt() {
  const isWhole = PROGRAMS.every((name) => modified(join(ROOT, name, "dist/.tsbuildinfo")) > 0);
  return isWhole ? modified(BUILT) : 0;
}

function programSources() {
  const settings = PROGRAMS.flatMap((name) => [`${name}/tsconfig.json`, `${name}/package.json`]);
  return [PROGRAMS.map((name) => `${name}/src`), ["tsconfig.base.json", ...settings]];
}

/** When any of these was last written, in milliseconds. */
function newestOf(trees, files) {
  const inside = trees.flatMap((tree) =>
    readdirSync(join(ROOT, tree), { recursive: true }).map((entry) => join(tree, entry)),
  );
  return Math.max(...[...inside, ...files].map((path) => modified(join(ROOT, path))));
}

/** Says what it does, and every few seconds that it is still at it. A command that fails ends this process. */
async function run(what, command, args, options = {}) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  say(`${what} …`);
  const telling = setInterval(() => say(`still ${what}, ${seconds()} s …`), TELL_EVERY_MS);
  // Everything goes to standard error: standard output belongs to the program that is started afterwards.
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", 2, 2], ...options });
  const stop = () => child.kill();
  process.once("exit", stop);
  const failure = await new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) =>
      resolve(code === 0 ? undefined : `${signal ?? `exit code ${code}`}`),
    );
  });
  process.off("exit", stop);
  clearInterval(telling);
  if (failure === undefined) return;
  say(`${what} failed: ${failure}`);
  process.exit(1);
}

function say(text) {
  process.stderr.write(`mailvet: ${text}\n`);
}

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) {
  const shell = process.ppid;
  const [option, program] = process.argv.slice(2);
  // npm passes a signal to the shell it started us with, and the shell dies of it without telling us.
  const isFromNpm = process.env.npm_lifecycle_event !== undefined && process.platform !== "win32";
  await install(option === "--run" ? "running" : "testing");
  await Promise.all([buildPrograms(), buildWebApp()]);
  if (program) {
    if (isFromNpm && process.ppid !== shell) process.exit(1); // it died meanwhile
    if (isFromNpm) leaveWithParent(shell);
    await import(pathToFileURL(join(ROOT, program)).href);
  }
}
