/** The service as its own process, as npm start runs it, on an embedded database in a directory of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { killServer, serverPid } from "../../embedded-postgres/test/launcher-program.ts";
import { SERVICE_PROGRAM } from "./service-program.ts";

export type Program = {
  child: ChildProcess;
  /** Its output so far. */
  output(): string;
  /** Its URL; empty if it did not start listening. */
  readonly url: string;
  /** Resolves when it has ended. */
  exit(): Promise<number | null>;
};

export type ProgramInstallation = AsyncDisposable & {
  folder: string;
  dataDirectory: string;
  /** Resolves when it listens, or has ended. */
  start(env?: Record<string, string>, cwd?: string): Promise<Program>;
  /** The same without waiting. Its standard output goes to `stdout`, a file descriptor, when that is given. */
  launch(env?: Record<string, string>, options?: { cwd?: string; stdout?: number }): Program;
};

/** So that a busy machine neither cuts a clean shutdown short nor looks like overload. */
const PATIENCE = { STOP_TIMEOUT_SECONDS: "45", OVERLOAD_DELAY_SECONDS: "600" };

const STARTED = /The API is described at|mailvet works on jobs/;

export function openProgramInstallation(
  folder = mkdtempSync(join(tmpdir(), "mailvet-program-")),
): ProgramInstallation {
  chmodSync(folder, 0o755); // as root, the database runs as another user, who needs access
  const dataDirectory = join(folder, "data");
  const started: ChildProcess[] = [];

  const launch: ProgramInstallation["launch"] = (env = {}, { cwd = folder, stdout } = {}) => {
    const child = spawn(process.execPath, SERVICE_PROGRAM, {
      env: { PATH: process.env.PATH, PORT: "0", DATA_DIR: dataDirectory, ...PATIENCE, ...env },
      cwd,
      stdio: ["ignore", stdout ?? "pipe", "pipe"],
    });
    started.push(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk) => {
        output += chunk;
        child.emit("output");
      });
    }
    return {
      child,
      output: () => output,
      get url() {
        return /listens on (http:\S+)/.exec(output)?.[1] ?? "";
      },
      exit: async () => {
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
        return child.exitCode;
      },
    };
  };

  return {
    folder,
    dataDirectory,
    launch,
    async start(env, cwd) {
      const program = launch(env, cwd === undefined ? {} : { cwd });
      await hasStarted(program);
      return program;
    },
    async [Symbol.asyncDispose]() {
      for (const child of started) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      if (serverPid(dataDirectory) !== undefined) await killServer(dataDirectory);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves when it has printed its start message, or has ended. */
export async function hasStarted({ child, output }: Program): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = () => STARTED.test(output()) && resolve();
    child.on("output", look);
    child.once("close", () => resolve());
    look();
  });
}

/** Waits until this many requests are in flight. */
export async function untilUnderWay({ url }: Pick<Program, "url">, requests: number): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (Number(/^mailvet_http_requests_under_way (\d+)/m.exec(metrics)?.[1]) === requests) return;
    await pause(20); // timing: poll interval
  }
}

/** Processes whose working directory is in the data directory: the database server and initdb. */
export function processesIn(dataDirectory: string): string[] {
  return processes((pid) => `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${dataDirectory}/`));
}

/** Processes with the data directory on their command line. */
export function processesNaming(dataDirectory: string): string[] {
  return processes((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(dataDirectory));
}

function processes(isIt: (pid: string) => boolean): string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && isIt(name);
    } catch {
      return false; // it has just ended, or only its zombie is left
    }
  });
}

/** Below those that the system gives out by itself: otherwise another test may get it before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
