/**
 * Makes a checkout ready to run: installs when the lock file is newer than node_modules, builds when a source is newer
 * than the last build (the programs with tsc, the web app with Vite, both at a time), and otherwise does nothing and takes
 * milliseconds. Then it becomes the program that is named, in the same process, so that whoever stops it stops the
 * program:
 *
 *   node scripts/ready.mjs [service/dist/main.js]
 *
 * Plain JavaScript on purpose: it runs before anything is installed or compiled.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { leaveWithParent } from "./leave-with-parent.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const INSTALLED = join(ROOT, "node_modules/.package-lock.json"); // npm writes it last, after every install
const BUILT = join(ROOT, "node_modules/.cache/mailvet-built");
const SOURCE_TREES = ["contract", "engine", "lab", "service", "sdk", "cli"];
const WEB_BUILT = join(ROOT, "web/dist/index.html"); // Vite writes it with the rest, when nothing has failed
/** What the web app is made of. Vite takes the sources of our own packages, not what tsc makes of them. */
const WEB_SOURCES = ["web/src", "web/public", "contract/src", "sdk/src"];
const WEB_FILES = ["web/index.html", "web/vite.config.ts", "web/package.json", "web/tsconfig.json"];

/** Ready for the programs, which is all that the command line needs. */
export function makeReady() {
  install();
  buildPrograms();
}

function install() {
  requireNode(20, 19);
  if (modified(INSTALLED) >= modified(join(ROOT, "package-lock.json"))) return;
  say("installing packages (once, and again when package-lock.json changes) …");
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
}

function buildPrograms() {
  if (builtAt() >= newestSource()) return;
  say("building …");
  const started = new Date();
  run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-b"]);
  mkdirSync(dirname(BUILT), { recursive: true });
  writeFileSync(BUILT, "");
  utimesSync(BUILT, started, started); // what is saved during the build is newer than it
}

/** Runs by itself, beside what is done meanwhile. */
export async function buildWebApp() {
  if (modified(WEB_BUILT) >= newestWebSource()) return;
  say("building the web app …");
  const started = new Date();
  const vite = dirname(createRequire(join(ROOT, "web/package.json")).resolve("vite/package.json"));
  const args = [join(vite, "bin/vite.js"), "build", "--logLevel=warn"];
  // Whoever starts us may be a test: the app that is served is not.
  const env = { ...process.env, NODE_ENV: "production" };
  const child = spawn(process.execPath, args, { cwd: join(ROOT, "web"), env, stdio: ["ignore", 2, 2] });
  const stop = () => child.kill();
  process.once("exit", stop);
  const [status] = await once(child, "exit");
  process.off("exit", stop);
  if (status !== 0) fail("building the web app failed", status);
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

/** When everything was last built; 0 when any of it is gone. */
function builtAt() {
  const isWhole = SOURCE_TREES.every((tree) => modified(join(ROOT, tree, "dist/.tsbuildinfo")) > 0);
  return isWhole ? modified(BUILT) : 0;
}

function newestSource() {
  const settings = SOURCE_TREES.flatMap((tree) => [`${tree}/tsconfig.json`, `${tree}/package.json`]);
  return newest(
    SOURCE_TREES.map((tree) => `${tree}/src`),
    ["tsconfig.base.json", ...settings],
  );
}

function newestWebSource() {
  return newest(WEB_SOURCES, WEB_FILES);
}

/** When any of these was last written, in milliseconds. */
function newest(trees, files) {
  const inside = trees.flatMap((tree) =>
    readdirSync(join(ROOT, tree), { recursive: true }).map((entry) => join(tree, entry)),
  );
  return Math.max(...[...inside, ...files].map((path) => modified(join(ROOT, path))));
}

function run(command, args) {
  // Everything goes to standard error: whoever started us may be reading our standard output.
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: ["ignore", 2, 2] });
  if (status !== 0) fail(`${command} ${args.join(" ")} failed${error ? `: ${error.message}` : ""}`, status);
}

function fail(text, status) {
  say(text);
  process.exit(status ?? 1);
}

function say(text) {
  process.stderr.write(`mailvet: ${text}\n`);
}

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) {
  const shell = process.ppid;
  install();
  const webApp = buildWebApp();
  buildPrograms();
  await webApp;
  const [program] = process.argv.slice(2);
  if (program) {
    leaveWith(shell);
    await import(pathToFileURL(join(ROOT, program)).href);
  }
}

/** npm passes a signal to the shell it started us with, and the shell dies of it without telling us. */
function leaveWith(shell) {
  if (!process.env.npm_lifecycle_event || process.platform === "win32") return;
  if (process.ppid !== shell) process.exit(1); // it died while we were installing
  leaveWithParent(shell);
}
