/** A deployment that things are done to: a PostgreSQL, an API process and two workers, each of which can be killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../src/db/embedded/embedded-postgres.ts";
import { killServer } from "../test/embedded-world.ts";

export const VICTIMS = ["api", "worker 1", "worker 2", "database"] as const;
export type Victim = (typeof VICTIMS)[number];

export type Deployment = AsyncDisposable & {
  /** Where the API is, also after it was killed and started again. */
  url: string;
  /** kill -9, and a fresh start at once, as a supervisor would do it. */
  kill(victim: Victim): Promise<void>;
  /** What the processes have complained about since the last time. */
  complaints(): string[];
};

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));

export async function openDeployment(env: Record<string, string>): Promise<Deployment> {
  const folder = mkdtempSync(join(tmpdir(), "mailvet-chaos-"));
  chmodSync(folder, 0o755); // root runs the database as somebody else, who must get there
  const dataDirectory = join(folder, "data");
  let database: EmbeddedPostgres = await startEmbeddedPostgres({ dataDirectory });
  const { host, user, database: name } = database.connection;
  const port = await freePort();
  const said: string[] = [];
  const children = new Map<Victim, ChildProcess>();

  const start = async (victim: Exclude<Victim, "database">): Promise<void> => {
    const isApi = victim === "api";
    const child = spawn(process.execPath, [MAIN], {
      env: {
        PATH: process.env.PATH,
        ...env,
        DATABASE_URL: `postgres://${encodeURIComponent(host)}/${name}?user=${user}`,
        ROLE: isApi ? "api" : "worker",
        ...(isApi ? { PORT: String(port) } : {}),
        LOG_LEVEL: "warn",
      },
      cwd: folder,
    });
    children.set(victim, child);
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout!, child.stderr!]) {
        let words = "";
        stream.setEncoding("utf8").on("data", (chunk: string) => {
          words += chunk;
          if (/The API is described at|mailvet works on jobs/.test(words)) resolve();
          if (stream === child.stderr) said.push(`${victim}: ${chunk.trim()}`);
        });
      }
      child.once("exit", (code) => reject(new Error(`${victim} ended with ${code}: ${said.join("\n")}`)));
    });
  };
  for (const victim of VICTIMS) if (victim !== "database") await start(victim);

  return {
    url: `http://127.0.0.1:${port}`,
    async kill(victim) {
      if (victim === "database") {
        await killServer(dataDirectory);
        await database.stop();
        database = await startEmbeddedPostgres({ dataDirectory });
        return;
      }
      const child = children.get(victim)!;
      children.delete(victim);
      child.kill("SIGKILL");
      await once(child, "exit");
      await start(victim);
    },
    complaints: () => said.splice(0),
    async [Symbol.asyncDispose]() {
      for (const [victim, child] of children) {
        children.delete(victim);
        child.kill("SIGTERM");
        if (child.exitCode === null) await once(child, "exit");
      }
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
