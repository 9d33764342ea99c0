/**
 * `npm run fuzz:api`: Schemathesis against a fresh service, with all of its checks and phases.
 *
 * Twice: with an API key, and with the operator's session. The service runs in this process on an empty data directory,
 * its mail internet is the lab. Schemathesis is a Python program; its virtual environment is created outside the
 * repository on first use. schemathesis.toml beside this file has the exclusions with their reasons, docs/api-fuzzing.md
 * the method. Arguments are passed on: `npm run fuzz:api -- --max-examples 10`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { API_PREFIX } from "@mailvet/contract";
import { openLab } from "@mailvet/lab";
import { DEMO_WORLD } from "../demo/world.ts";
import { assemble } from "../src/assembly.ts";
import { createLog } from "../src/base/log.ts";
import { readConfig } from "../src/config.ts";

const SCHEMATHESIS = "4.32.5";
const CONFIG = fileURLToPath(new URL("schemathesis.toml", import.meta.url));
const HOOKS = fileURLToPath(new URL("hooks.py", import.meta.url));
const ENVIRONMENT = process.env.FUZZ_ENVIRONMENT ?? join(tmpdir(), `mailvet-schemathesis-${SCHEMATHESIS}`);
const OPERATOR = { email: "operator@team.example", password: "an operator's password" };
const KEY = "the-operator-chose-this-key";

const directory = mkdtempSync(join(tmpdir(), "mailvet-fuzz-"));
chmodSync(directory, 0o755); // started by root, PostgreSQL runs as another user
try {
  const program = await schemathesis();
  process.exitCode = await fuzz(program);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** The path of the program, installed when it is missing. */
async function schemathesis(): Promise<string> {
  const program = join(ENVIRONMENT, "bin", "schemathesis");
  if (!existsSync(program)) {
    console.log(`fuzz: installing Schemathesis ${SCHEMATHESIS} in ${ENVIRONMENT}`);
    await must("python3", ["-m", "venv", ENVIRONMENT]);
    await must(join(ENVIRONMENT, "bin", "pip"), ["install", "--quiet", `schemathesis==${SCHEMATHESIS}`]);
  }
  return program;
}

async function fuzz(program: string): Promise<number> {
  await using lab = await openLab(DEMO_WORLD);
  const config = readConfig(
    {
      DATA_DIR: join(directory, "data"),
      PORT: "0",
      ADMIN_EMAIL: OPERATOR.email,
      ADMIN_PASSWORD: OPERATOR.password,
      BOOTSTRAP_API_KEY: KEY,
      ...lab.env,
      TRUSTED_PROXIES: "127.0.0.1", // hooks.py sends every request from another network
      LOG_LEVEL: "error",
      SINGLE_BUDGET_SECONDS: "5",
      BULK_BUDGET_SECONDS: "5",
    },
    directory,
  );
  const service = await assemble(config, createLog(config.log), () => {});
  try {
    const listening = await service.app.listen({ host: config.host, port: config.port });
    const url = listening.replace("127.0.0.1", "localhost"); // at an IP address there are no passkeys
    await service.welcome();
    // For hooks.py, which makes what requests refer to.
    Object.assign(process.env, {
      FUZZ_API: `${url}${API_PREFIX}`,
      FUZZ_KEY: KEY,
      FUZZ_EMAIL: OPERATOR.email,
      FUZZ_PASSWORD: OPERATOR.password,
    });
    const runs = [
      { name: "with an API key", scheme: "apiKey", secret: KEY, headers: [] },
      {
        name: "with a session",
        scheme: "session",
        secret: await signIn(url),
        headers: ["--header", "Sec-Fetch-Site: same-origin"],
      },
    ];
    let failures = 0;
    for (const { name, scheme, secret, headers } of runs) {
      console.log(`\nfuzz: ${name}`);
      process.env.FUZZ_SESSION = scheme === "session" ? secret : "none";
      const configFile = join(directory, `${scheme}.toml`);
      writeFileSync(configFile, withCredentials(scheme, secret));
      const description = `${url}${API_PREFIX}/openapi.json`;
      failures += await run(program, [
        "--config-file",
        configFile,
        "run",
        description,
        ...headers,
        ...process.argv.slice(2),
      ]);
    }
    await printStatuses(url);
    return failures === 0 ? 0 : 1;
  } finally {
    await service.close();
  }
}

/** Without successes a run proves nothing. */
async function printStatuses(url: string): Promise<void> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const series =
    /^mailvet_http_request_duration_seconds_count\{method="(\w+)",route="([^"]+)",status="(\dxx)"\} (\d+)/gm;
  const counts = new Map<string, number>();
  const succeeded = new Set<string>();
  for (const [, method, route, status = "", count] of metrics.matchAll(series)) {
    counts.set(status, (counts.get(status) ?? 0) + Number(count));
    if (status === "2xx" && method !== "HEAD") succeeded.add(`${method} ${route}`);
  }
  const description = await (await fetch(`${url}${API_PREFIX}/openapi.json`)).json();
  const operations = Object.entries<Record<string, { operationId?: string }>>(description.paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId }]) =>
        operationId === undefined ? [] : [{ operationId, name: `${method} ${path}` }],
      ),
  );
  const plain = (name: string) => name.toLowerCase().replace(/:(\w+)|\{(\w+)\}/g, "*");
  const reached = new Set([...succeeded].map((name) => plain(name.replace(API_PREFIX, ""))));
  const missing = operations.filter(({ name }) => !reached.has(plain(name.replace(API_PREFIX, ""))));
  const statuses = [...counts].sort().map(([status, count]) => `${count} × ${status}`);
  console.log(`\nfuzz: ${statuses.join(", ")}`);
  console.log(
    `fuzz: ${operations.length - missing.length} of ${operations.length} operations succeeded at least once`,
  );
  if (missing.length > 0) console.log(`fuzz: never: ${missing.map((one) => one.operationId).join(", ")}`);
}

/** Schemathesis applies them as the OpenAPI document describes, and leaves them out where a check requires it. */
function withCredentials(scheme: string, secret: string): string {
  const config = readFileSync(CONFIG, "utf8");
  return `hooks = ${JSON.stringify(HOOKS)}\n${config}\n[auth.openapi.${scheme}]\napi_key = ${JSON.stringify(secret)}\n`;
}

/** The token of a new session. */
async function signIn(url: string): Promise<string> {
  const response = await fetch(`${url}${API_PREFIX}/auth/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(OPERATOR),
  });
  const [cookie = ""] = response.headers.getSetCookie();
  return cookie.slice(cookie.indexOf("=") + 1, cookie.indexOf(";"));
}

async function run(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { cwd: directory, stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

async function must(command: string, args: readonly string[]): Promise<void> {
  const code = await run(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed with exit code ${code}`);
}
