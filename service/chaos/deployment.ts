/**
 * The deployment under test: a primary with a synchronous replica behind PgBouncer, two API processes and two workers.
 *
 * Everything it starts ends with it, also when the run fails: the processes watch their parent, and the database server
 * has its own watchdog.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { EmbeddedPostgres } from "@mailvet/embedded-postgres";
import { freePort } from "../test/program.ts";
import { openReplicatedPostgres } from "../test/replicated-postgres.ts";

export const PROCESSES = ["api 1", "api 2", "worker 1", "worker 2"] as const;
export type ProcessName = (typeof PROCESSES)[number];

export type Deployment = AsyncDisposable & {
  /** Of the API processes, also after they were started again. */
  urls: readonly string[];
  /** Of the current primary, for direct queries. */
  readonly connection: EmbeddedPostgres["connection"];
  /** Whether the disk under the database can be filled: only where a file system can be mounted. */
  canFillDisk: boolean;
  /** An orderly stop, and a start of the program that it has by then. */
  replace(name: ProcessName): Promise<void>;
  /** kill -9 and an immediate restart, as a supervisor does. */
  kill(name: ProcessName): Promise<void>;
  /** SIGSTOP for a while: the process keeps its connections and locks but does not respond. */
  freeze(name: ProcessName, ms: number): Promise<void>;
  /** kill -9 of the database server, and a restart. */
  killDatabase(): Promise<void>;
  /** An immediate shutdown, and a restart. */
  restartDatabase(): Promise<void>;
  /** kill -9 of the primary, and promotion of the replica. */
  failOver(): Promise<void>;
  /** kill -9 of PgBouncer, and a restart. */
  killPgBouncer(): Promise<void>;
  /** No room for data files and WAL for a while. */
  fillDisk(ms: number): Promise<void>;
  /** How often a process has ended without being killed. */
  unexpectedExits(): number;
  /** What the processes have printed to standard error since the last time. */
  complaints(): string[];
};

/** Holds the tables of a long run, and is full after some hundred megabytes more. */
const DISK_MEGABYTES = 2_500;
const CHUNK = Buffer.alloc(1024 * 1024);
const READY = /The API is described at|mailvet works on jobs/;
const RESTART_PAUSE_MS = 500;

/** `programOf` has the arguments for Node; it is asked at every start. */
export async function openDeployment(
  env: Record<string, string>,
  programOf: (name: ProcessName) => readonly string[],
): Promise<Deployment> {
  const folder = mkdtempSync(join(tmpdir(), "mailvet-chaos-"));
  chmodSync(folder, 0o755); // as root, the database runs as another user, who needs access
  const disk = join(folder, "disk");
  mkdirSync(disk);
  const canFillDisk = mount(disk);
  chmodSync(disk, 0o755);
  const database = await openReplicatedPostgres(disk);
  const ports = new Map(
    await Promise.all(PROCESSES.map(async (process) => [process, await freePort()] as const)),
  );
  const said: string[] = [];
  const children = new Map<ProcessName, ChildProcess>();
  let unexpectedExits = 0;
  let isClosing = false;

  const start = async (process_: ProcessName): Promise<void> => {
    const isApi = process_.startsWith("api");
    const child = spawn(process.execPath, programOf(process_), {
      env: {
        PATH: process.env.PATH,
        ...env,
        ...database.env,
        DATA_DIR: join(disk, "files"),
        ROLE: isApi ? "api" : "worker",
        PORT: String(ports.get(process_)),
        LOG_LEVEL: "warn",
      },
      cwd: folder,
    });
    children.set(process_, child);
    await new Promise<void>((resolve) => {
      for (const stream of [child.stdout!, child.stderr!]) {
        let output = "";
        stream.setEncoding("utf8").on("data", (chunk: string) => {
          output = (output + chunk).slice(-10_000);
          if (READY.test(output)) resolve();
          if (stream === child.stderr) said.push(`${process_}: ${chunk.trim()}`);
        });
      }
      // A process that cannot start while the database is down is restarted, as a supervisor does.
      child.once("exit", (code) => {
        if (isClosing || children.get(process_) !== child) return resolve();
        said.push(`${process_}: exit code ${code}`);
        unexpectedExits++;
        void delay(RESTART_PAUSE_MS)
          .then(() => (isClosing ? undefined : start(process_)))
          .then(resolve);
      });
    });
  };

  const restart = async (process_: ProcessName, signal: "SIGTERM" | "SIGKILL"): Promise<void> => {
    const child = children.get(process_)!;
    children.delete(process_);
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    await start(process_);
  };

  const close = async () => {
    isClosing = true;
    for (const child of children.values()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGCONT");
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await database[Symbol.asyncDispose]();
    if (canFillDisk) spawnSync("umount", ["-l", disk]);
    rmSync(folder, { recursive: true, force: true });
  };

  try {
    for (const process_ of PROCESSES) await start(process_);
  } catch (error) {
    await close();
    throw error;
  }

  return {
    urls: PROCESSES.filter((one) => one.startsWith("api")).map((one) => `http://127.0.0.1:${ports.get(one)}`),
    get connection() {
      return database.connection;
    },
    canFillDisk,
    replace: (process_) => restart(process_, "SIGTERM"),
    kill: (process_) => restart(process_, "SIGKILL"),
    async freeze(process_, ms) {
      const child = children.get(process_)!;
      child.kill("SIGSTOP");
      await delay(ms);
      child.kill("SIGCONT");
    },
    killDatabase: () => database.restartPrimary("SIGKILL"),
    restartDatabase: () => database.restartPrimary("SIGQUIT"),
    failOver: () => database.failOver(),
    killPgBouncer: () => database.killPgBouncer(),
    async fillDisk(ms) {
      const filler = join(disk, "filler");
      fill(filler);
      await delay(ms);
      rmSync(filler, { force: true });
      await database.startStopped();
    },
    unexpectedExits: () => unexpectedExits,
    complaints: () => said.splice(0),
    [Symbol.asyncDispose]: close,
  };
}

function mount(disk: string): boolean {
  if (process.platform !== "linux" || process.geteuid?.() !== 0) return false;
  const options = `size=${DISK_MEGABYTES}m`;
  return spawnSync("mount", ["-t", "tmpfs", "-o", options, "mailvet-chaos", disk]).status === 0;
}

function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (let megabytes = 0; megabytes < 2 * DISK_MEGABYTES; megabytes++) writeSync(file, CHUNK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(file);
  }
}
