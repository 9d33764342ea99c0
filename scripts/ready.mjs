/**
 * For the commands that work on a fresh clone: installs packages when the lock file is newer than node_modules, builds
 * (build.mjs), and runs a program in this process, so that signals reach it.
 *
 *   node scripts/ready.mjs                              all packages, for `npm test` and the demo
 *   node scripts/ready.mjs --run service/dist/main.js   production packages only, then the program
 *
 * Plain JavaScript, because it runs before anything is installed or compiled.
 */
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildCommandLine, buildPrograms, buildWebApp, modifiedAt, print, ROOT, run } from "./build.mjs";

const LOCK_FILE = join(ROOT, "package-lock.json");
const INSTALLED = join(ROOT, "node_modules/.package-lock.json"); // npm writes it last
/** A development package: when it is there, the last install was a complete one. */
const DEV_PACKAGE = join(ROOT, "node_modules/vitest/package.json");

/** For the command line in a checkout (cli/bin/mailvet.mjs). */
export async function makeReadyToRun() {
  await install({ withDevPackages: false });
  await buildCommandLine();
}

async function install({ withDevPackages }) {
  requireNode(20, 19);
  const isCurrent = modifiedAt(INSTALLED) >= modifiedAt(LOCK_FILE);
  const hasDevPackages = modifiedAt(DEV_PACKAGE) > 0;
  if (isCurrent && (hasDevPackages || !withDevPackages)) return;
  const all = withDevPackages || hasDevPackages;
  const args = ["ci", ...(all ? [] : ["--omit=dev"]), "--no-audit", "--no-fund", "--loglevel=error"];
  await run(all ? "installing all packages" : "installing the production packages", "npm", args);
}

function requireNode(major, minor) {
  const [haveMajor = 0, haveMinor = 0] = process.versions.node.split(".").map(Number);
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return;
  print(`needs Node ${major}.${minor} or newer; this is ${process.versions.node}`);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const parent = process.ppid;
  const [option, program] = process.argv.slice(2);
  await install({ withDevPackages: option !== "--run" });
  await Promise.all([buildPrograms(), buildWebApp()]);
  if (program) {
    // npm forwards a signal to the shell that started this process, and the shell exits without forwarding it.
    const isFromNpm = process.env.npm_lifecycle_event !== undefined && process.platform !== "win32";
    if (isFromNpm && process.ppid !== parent) process.exit(1); // the shell exited meanwhile
    if (isFromNpm) (await import("./leave-with-parent.mjs")).leaveWithParent(parent);
    await import(pathToFileURL(join(ROOT, program)).href);
  }
}
