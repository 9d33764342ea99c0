/** API and worker processes on one PostgreSQL, each deployment on a database of its own, for benchmarks. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@mailvet/embedded-postgres";
import type { Lab } from "@mailvet/lab";
import type pg from "pg";
import { serverPid } from "../../embedded-postgres/test/launcher-program.ts";
import { SERVICE_PROGRAM } from "../test/service-program.ts";
import { createDatabase, databaseUrl, KEY } from "./list-run.ts";

const CREDITS = 100_000_000;

export type BenchDeployment = AsyncDisposable & {
  /** Of the API, with its version. */
  base: string;
  api: ChildProcess;
  workers: ChildProcess[];
  /** URL of the first worker, if it listens. */
  workerUrl: string | undefined;
  connection: pg.ClientConfig;
  /** DATA_DIR of all processes. */
  directory: string;
};

type DeployOptions = {
  lab: Lab;
  workers: number;
  env?: Record<string, string>;
  /** Of workers only, above `env`. */
  workerEnv?: Record<string, string>;
};

export type BenchServer = AsyncDisposable & {
  /** For files of the benchmark; deleted at the end. */
  folder: string;
  pid(): number;
  deploy(options: DeployOptions): Promise<BenchDeployment>;
};

export async function openBenchServer(): Promise<BenchServer> {
  const folder = mkdtempSync(join(tmpdir(), "mailvet-bench-"));
  chmodSync(folder, 0o755); // as root, the database runs as another user, who needs access
  const dataDirectory = join(folder, "data");
  const server = await startEmbeddedPostgres({ dataDirectory });
  return {
    folder,
    pid: () => serverPid(dataDirectory)!,
    deploy: async (options) => {
      const connection = await createDatabase(server);
      return deploy(connection, join(folder, connection.database!), options);
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function deploy(
  connection: pg.ClientConfig,
  directory: string,
  { lab, workers: count, env, workerEnv }: DeployOptions,
): Promise<BenchDeployment> {
  const settings = {
    DATABASE_URL: databaseUrl(connection),
    DATA_DIR: directory,
    ...lab.env,
    PORT: "0",
    ADMIN_CREDITS: String(CREDITS),
    LOG_LEVEL: "warn",
    NODE_ENV: "production",
    ...env,
  };
  const children: ChildProcess[] = [];
  const stopAll = async () => {
    for (const child of children.reverse()) await stop(child);
  };
  try {
    const api = await start(children, { ...settings, ROLE: "api", BOOTSTRAP_API_KEY: KEY });
    const workers = await Promise.all(
      Array.from({ length: count }, () => start(children, { ...settings, ROLE: "worker", ...workerEnv })),
    );
    const base = `${urlIn(api.output)}/api/v1`;
    return {
      base,
      api: api.child,
      workers: workers.map(({ child }) => child),
      workerUrl: urlIn(workers[0]?.output ?? ""),
      connection,
      directory,
      [Symbol.asyncDispose]: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** Resolves with its output once it is ready. */
async function start(
  children: ChildProcess[],
  env: Record<string, string>,
): Promise<{ child: ChildProcess; output: string }> {
  const child = spawn(process.execPath, SERVICE_PROGRAM, {
    env: { PATH: process.env.PATH, ...env },
    cwd: tmpdir(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout!.on("data", (chunk) => {
      output += chunk;
      if (/The API is described at|mailvet works on jobs/.test(output)) resolve({ child, output });
    });
    child.once("exit", () => reject(new Error(`${env.ROLE} did not start: ${output}`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

const urlIn = (output: string) => /(http:\/\/[^\s/]+)/.exec(output)?.[1];
