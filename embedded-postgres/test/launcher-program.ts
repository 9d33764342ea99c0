/** Data directories for embedded databases, services that run on them, and cleanup. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pathsIn } from "../src/data-directory.ts";
import type { EmbeddedPostgresEvent } from "../src/events.ts";
import { isServerOf, readPostmasterFile } from "../src/postmaster-file.ts";
import { isRunning } from "../src/process-identity.ts";
import { processIdentity, type RunAsUser } from "../src/run-as-user.ts";

/** Ends a program when this process ends. */
const LEAVE_WITH_PARENT = [
  "--import",
  new URL("../../scripts/preload-leave-with-parent.mjs", import.meta.url).href,
];

const PROGRAM = fileURLToPath(new URL("./embedded-service.mjs", import.meta.url));
/** `nobody`, as on every Linux. */
export const ORDINARY_USER = { name: "nobody", uid: 65_534, gid: 65_534 };

export type TestService = {
  process: ChildProcess;
  output(): string;
  /** Resolves when the output matches. */
  waitFor(what: RegExp): Promise<void>;
  /** The signal that ended it, if one did. */
  exited: Promise<NodeJS.Signals | null>;
  kill(): Promise<void>;
};

export function openEmbeddedWorld() {
  const folder = mkdtempSync(join(tmpdir(), "embedded-pg-"));
  chmodSync(folder, 0o755); // as root, the database's user needs access
  const directories = new Set<string>();
  const services: TestService[] = [];

  return {
    folder,
    directory(name: string): string {
      const path = join(folder, name);
      directories.add(path);
      return path;
    },
    startService(...options: Parameters<typeof startService>): TestService {
      const service = startService(...options);
      services.push(service);
      return service;
    },
    async close(): Promise<void> {
      for (const service of services) await service.kill();
      for (const directory of directories) await endServerOf(directory);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The process of the database server on this data directory, while it runs. */
export function serverPid(dataDirectory: string): number | undefined {
  const { cluster } = pathsIn(dataDirectory);
  const pid = readPostmasterFile(cluster)?.pid;
  return pid !== undefined && isServerOf(cluster, pid) ? pid : undefined;
}

export async function killServer(dataDirectory: string): Promise<void> {
  const pid = serverPid(dataDirectory)!;
  process.kill(pid, "SIGKILL");
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5)); // timing: poll interval
}

async function endServerOf(dataDirectory: string): Promise<void> {
  const pid = serverPid(dataDirectory);
  if (pid === undefined) return;
  process.kill(pid, "SIGQUIT");
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5)); // timing: poll interval
}

/** Long enough for a test to use the server of a service that it has killed. */
const LONG_GRACE_SECONDS = 600;

function startService(
  dataDirectory: string,
  user?: RunAsUser,
  orphanGraceSeconds = LONG_GRACE_SECONDS,
  fatalEvent: EmbeddedPostgresEvent["event"] | "" = "",
): TestService {
  const child = spawn(
    process.execPath,
    [...LEAVE_WITH_PARENT, PROGRAM, dataDirectory, String(orphanGraceSeconds), fatalEvent],
    {
      ...processIdentity(user),
      env: { PATH: process.env.PATH },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const exited = once(child, "exit").then(([, signal]) => signal);
  let output = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
      for (const listener of listeners) listener();
    });
  }
  return {
    process: child,
    output: () => output,
    exited,
    waitFor: (what) =>
      new Promise((resolve, reject) => {
        const listen = () => {
          if (what.test(output)) resolve();
          else if (child.exitCode !== null) reject(new Error(`It ended without saying ${what}: ${output}`));
        };
        listeners.add(listen);
        child.once("close", listen);
        listen();
      }),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
