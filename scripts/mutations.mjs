/**
 * Applies the mutations of mutation-list.mjs, one at a time in a copy of the tree, and runs the nearest tests.
 * A mutation that no test detects has survived. Two at a time; a few minutes.
 *
 *   npm run test:mutations               all of them
 *   npm run test:mutations -- TEXT...    those whose file name contains one of the texts
 *
 * Fails when more than two survive, and when a text is no longer found in its file exactly once, so that the list stays current.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MUTATIONS } from "./mutation-list.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const COPIES = 2;
const MAY_SURVIVE = 2;

/** For the tests without a mutation: that of vitest.config.ts. A mutation may well hang a test, so it gets less. */
const LIMIT_MS = 600_000;
const CONFIG = `
const conditions = ["source"];
const limitMs = Number(process.env.LIMIT_MS);
export default {
  resolve: { conditions, alias: { "@node-rs/argon2": process.cwd() + "/service/test/quick-argon2.ts" } },
  ssr: { resolve: { conditions } },
  test: {
    isolate: false,
    maxWorkers: 1,
    testTimeout: limitMs,
    hookTimeout: limitMs,
    expect: { poll: { timeout: limitMs / 2 } },
    globalSetup: process.argv.some((name) => name.startsWith("service/test/")) ? ["service/test/shared-postgres.ts"] : [],
  },
};
`;

const texts = process.argv.slice(2);
const wanted = MUTATIONS.filter(([file]) => texts.length === 0 || texts.some((text) => file.includes(text)));
if (wanted.length === 0) {
  console.error(`no mutation of a file whose name contains ${texts.join(" or ")}`);
  process.exit(2);
}
const stale = wanted.filter(
  ([file, from]) => readFileSync(join(ROOT, file), "utf8").split(from).length !== 2,
);
for (const [file, from] of stale) console.error(`not in ${file} exactly once: ${from}`);
if (stale.length > 0) process.exit(2);

const copies = Array.from({ length: COPIES }, makeCopy);
const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

const all = [...new Set(wanted.flatMap(([, , , ...tests]) => tests))];
const startedAt = performance.now();
if ((await runTests(copies[0], all, [], LIMIT_MS)) !== 0) {
  console.error("the tests fail without any mutation");
  process.exit(2);
}
/** Longer than all tests together took on this machine: what takes more, hangs. */
const limitMs = Math.min(LIMIT_MS, 60_000 + 2 * (performance.now() - startedAt));

const left = [...wanted];
let killed = 0;
await Promise.all(
  copies.map(async (copy) => {
    for (let next = left.shift(); next; next = left.shift()) if (await isKilled(copy, next)) killed++;
  }),
);
console.log(`${killed} of ${wanted.length} killed`);
process.exit(wanted.length - killed > MAY_SURVIVE ? 1 : 0);

async function isKilled(copy, [file, from, to, ...tests]) {
  const path = join(copy, file);
  const original = readFileSync(path, "utf8");
  writeFileSync(
    path,
    original.replace(from, () => to),
  );
  const code = await runTests(copy, tests, ["--bail=1"], limitMs);
  writeFileSync(path, original);
  const isNoticed = code !== 0;
  console.log(
    `${isNoticed ? "killed  " : "SURVIVED"}  ${file}  ${JSON.stringify(from)} -> ${JSON.stringify(to)}`,
  );
  return isNoticed;
}

/** The exit code of vitest. */
async function runTests(copy, tests, options, limitMs) {
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--config=mutations.config.mjs", "--reporter=dot", ...options, ...tests];
  const env = { ...process.env, LIMIT_MS: String(limitMs) };
  const child = spawn(process.execPath, args, { cwd: copy, env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const words = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => words.push(chunk));
  const [code] = await once(child, "close");
  running.delete(child);
  const text = Buffer.concat(words).toString();
  if (/No test files found|Startup Error/.test(text)) throw new Error(text);
  if (code !== 0 && options.length === 0) console.error(text);
  return code;
}

/** The tracked files as they are now, with the packages of this checkout and the workspaces of the copy. */
function makeCopy() {
  const copy = mkdtempSync(join(tmpdir(), "mailvet-mutations-"));
  const { stdout } = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  for (const file of stdout.split("\0").filter((name) => name !== "")) {
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(copy, file));
  }
  const packages = join(copy, "node_modules");
  mkdirSync(join(packages, "@mailvet"), { recursive: true });
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const own = new Map(
    workspaces.map((name) => [JSON.parse(readFileSync(join(ROOT, name, "package.json"), "utf8")).name, name]),
  );
  for (const [name, workspace] of own) {
    symlinkSync(join(copy, workspace), join(packages, name));
    // The global setup is not loaded from the sources, unlike the tests.
    const built = join(ROOT, workspace, "dist");
    if (existsSync(built)) symlinkSync(built, join(copy, workspace, "dist"));
  }
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name === "@mailvet" || own.has(name)) continue;
    symlinkSync(join(ROOT, "node_modules", name), join(packages, name));
  }
  writeFileSync(join(copy, "mutations.config.mjs"), CONFIG);
  return copy;
}
