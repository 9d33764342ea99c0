/**
 * Makes a checkout ready to run: installs when the lock file is newer than node_modules, builds when a
 * source is newer than the last build, and otherwise does nothing and takes milliseconds. Then it becomes the program
 * that is named, in the same process, so that whoever stops it stops the program:
 *
 *   node scripts/ready.mjs [service/dist/main.js]
 *
 * Plain JavaScript on purpose: it runs before anything is installed or compiled.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const INSTALLED = join(ROOT, "node_modules/.package-lock.json"); // npm writes it last, after every install
const BUILT = join(ROOT, "node_modules/.cache/mailvet-built");
const SOURCE_TREES = ["contract", "engine", "lab", "service", "sdk", "cli"];

export function makeReady() {
  requireNode(20, 19);
  if (modified(INSTALLED) < modified(join(ROOT, "package-lock.json"))) {
    say("installing packages (once, and again when package-lock.json changes) …");
    run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  }
  if (builtAt() < newestSource()) {
    say("building …");
    const started = new Date();
    run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-b"]);
    mkdirSync(dirname(BUILT), { recursive: true });
    writeFileSync(BUILT, "");
    utimesSync(BUILT, started, started); // what is saved during the build is newer than it
  }
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
  let newest = modified(join(ROOT, "tsconfig.base.json"));
  for (const tree of SOURCE_TREES) {
    newest = Math.max(
      newest,
      modified(join(ROOT, tree, "tsconfig.json")),
      modified(join(ROOT, tree, "package.json")),
    );
    for (const entry of readdirSync(join(ROOT, tree, "src"), { recursive: true })) {
      newest = Math.max(newest, modified(join(ROOT, tree, "src", entry)));
    }
  }
  return newest;
}

function run(command, args) {
  // Everything goes to standard error: whoever started us may be reading our standard output.
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: ["ignore", 2, 2] });
  if (status === 0) return;
  say(`${command} ${args.join(" ")} failed${error ? `: ${error.message}` : ""}`);
  process.exit(status ?? 1);
}

function say(text) {
  process.stderr.write(`mailvet: ${text}\n`);
}

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) {
  const shell = process.ppid;
  makeReady();
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
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch); // once: the program takes its time to finish what was begun
    process.kill(process.pid, "SIGTERM");
  }, 250).unref();
}
