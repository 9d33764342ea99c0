/**
 * Builds the programs and the web app when their sources are newer than the last build (`npm run build`).
 *
 * tsc checks the types and builds the libraries, bundle.mjs builds the programs, Vite the web app. They are started
 * only when a source file is newer, because starting them takes seconds.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PROGRAMS = ["contract", "engine", "lab", "embedded-postgres", "mcp", "service", "sdk", "cli"];

/**
 * What bundle.mjs builds: per output folder the entries, by file name without extension. What a program starts as a
 * process or thread of its own, rather than importing it, is an entry too.
 */
export const BUNDLES = {
  "cli/dist": { main: "cli/src/main.ts" },
  "service/dist": { main: "service/src/main.ts", "dump-cli": "service/src/dump-cli.ts" },
  "engine/dist/bundled": { "thread-main": "engine/src/threads/thread-main.ts" },
};
/** The sources of a bundle, written by bundle.mjs into the output folder. */
export const INPUTS = ".inputs.json";

const SCRIPTS = ["scripts/build.mjs", "scripts/bundle.mjs"];
const BUILT = join(ROOT, "node_modules/.cache/mailvet-built");
const WEB_BUILT = join(ROOT, "web/dist/index.de.html"); // written last by Vite
const WEB_FOLDERS = ["web/src", "web/public", "web/guide", "contract/src", "sdk/src", "docs"];
/** Pages of the guide that are outside docs/. */
const GUIDE_FILES = [
  "README.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "CONTRIBUTING.md",
  "sdk/README.md",
  "engine/README.md",
];
const WEB_FILES = [
  ...GUIDE_FILES,
  "web/index.html",
  "web/vite.config.ts",
  "web/language-plugin.ts",
  "web/package.json",
  "web/tsconfig.json",
];
const PROGRESS_EVERY_MS = 5_000;

export async function buildPrograms() {
  const settings = PROGRAMS.flatMap((name) => [`${name}/tsconfig.json`, `${name}/package.json`]);
  const sources = newestOf(
    PROGRAMS.map((name) => `${name}/src`),
    ["tsconfig.base.json", "package-lock.json", ...settings, ...SCRIPTS],
  );
  const outputs = [
    ...PROGRAMS.map((name) => join(name, "dist/.tsbuildinfo")),
    ...Object.keys(BUNDLES).map((folder) => join(folder, INPUTS)),
  ];
  const isComplete = outputs.every((path) => modifiedAt(join(ROOT, path)) > 0);
  if (isComplete && modifiedAt(BUILT) >= sources) return;
  const startedAt = new Date();
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  await run("building the programs", process.execPath, [tsc, "-b", ...PROGRAMS]);
  await run("bundling the programs", process.execPath, [join(ROOT, "scripts/bundle.mjs")]);
  mkdirSync(dirname(BUILT), { recursive: true });
  writeFileSync(BUILT, "");
  utimesSync(BUILT, startedAt, startedAt); // a file saved during the build is newer than it
}

/** For the command line in a checkout: looks only at the sources of its bundle, which takes a fifth of the time. */
export async function buildCommandLine() {
  const builtAt = modifiedAt(BUILT);
  const list = join(ROOT, "cli/dist", INPUTS);
  const inputs = builtAt > 0 && modifiedAt(list) > 0 ? JSON.parse(readFileSync(list, "utf8")) : [];
  const isCurrent = (path) => {
    const at = modifiedAt(join(ROOT, path));
    return at > 0 && at <= builtAt;
  };
  if (inputs.length === 0 || !inputs.every(isCurrent)) await buildPrograms();
}

export async function buildWebApp() {
  if (modifiedAt(WEB_BUILT) >= newestOf(WEB_FOLDERS, WEB_FILES)) return;
  const startedAt = new Date();
  const vite = dirname(createRequire(join(ROOT, "web/package.json")).resolve("vite/package.json"));
  const args = [join(vite, "bin/vite.js"), "build", "--logLevel=warn"];
  const env = { ...process.env, NODE_ENV: "production" }; // also when called by a test
  await run("building the web app", process.execPath, args, { cwd: join(ROOT, "web"), env });
  utimesSync(WEB_BUILT, startedAt, startedAt);
}

/** Runs a command with progress on standard error; standard output is for the program that runs afterwards. */
export async function run(what, command, args, options = {}) {
  const startedAt = Date.now();
  print(`${what} …`);
  const progress = setInterval(() => {
    print(`still ${what}, ${Math.round((Date.now() - startedAt) / 1000)} s …`);
  }, PROGRESS_EVERY_MS);
  const { spawn } = await import("node:child_process"); // not needed when everything is up to date
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", 2, 2], ...options });
  const stop = () => child.kill();
  process.once("exit", stop);
  const failure = await new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(code === 0 ? undefined : (signal ?? `exit code ${code}`)));
  });
  process.off("exit", stop);
  clearInterval(progress);
  if (failure === undefined) return;
  print(`${what} failed: ${failure}`);
  process.exit(1);
}

/** Modification time in milliseconds; 0 when there is no such file. */
export function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

export function print(text) {
  process.stderr.write(`mailvet: ${text}\n`);
}

function newestOf(folders, files) {
  const inside = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true }).map((entry) => join(folder, entry)),
  );
  return Math.max(...[...inside, ...files].map((path) => modifiedAt(join(ROOT, path))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await Promise.all([buildPrograms(), buildWebApp()]);
