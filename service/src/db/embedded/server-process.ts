/** A running server as a process: knowing when it has left, and making it leave. */
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { isServerOf } from "./postmaster-file.ts";
import { isRunning } from "./process-identity.ts";

export type ServerProcess = {
  /** Undefined when it could not even be spawned. */
  pid: number | undefined;
  /** Settles when it has left, for whatever reason. */
  exited: Promise<void>;
  hasExited(): boolean;
  signal(name: NodeJS.Signals): void;
};

/** A server that we launched. It does not keep us running. */
export function launchedProcess(child: ChildProcess): ServerProcess {
  let isGone = false;
  const exited = new Promise<void>((resolve) => {
    const leave = () => {
      isGone = true;
      resolve();
    };
    child.once("exit", leave);
    child.on("error", () => {
      if (child.pid === undefined) leave(); // it could not even be spawned
    });
  });
  child.unref();
  const signal = (name: NodeJS.Signals) => void child.kill(name);
  return endedWithUs({ pid: child.pid, exited, hasExited: () => isGone, signal });
}

/**
 * However this process exits, short of kill -9, its server does not stay behind. There is no time for more than SIGQUIT:
 * the server ends at once and recovers at its next start.
 */
function endedWithUs(server: ServerProcess): ServerProcess {
  const quit = () => server.signal("SIGQUIT");
  process.on("exit", quit);
  void server.exited.then(() => process.off("exit", quit));
  return server;
}

const WATCH_INTERVAL_MS = 100;

/** A server that an earlier service launched. We are not its parent, so nobody tells us when it leaves. */
export function orphanProcess(pid: number, cluster: string): ServerProcess {
  const hasExited = () => !isRunning(pid);
  const exited = new Promise<void>((resolve) => {
    const watch = setInterval(() => {
      if (!hasExited()) return;
      clearInterval(watch);
      resolve();
    }, WATCH_INTERVAL_MS).unref();
  });
  const signal = (name: NodeJS.Signals) => {
    if (isServerOf(cluster, pid)) process.kill(pid, name);
  };
  return endedWithUs({ pid, exited, hasExited, signal });
}

/** SIGINT ends it in good order; SIGQUIT, when that takes too long, leaves it to recover at its next start. */
const WAYS_TO_STOP = [
  { signal: "SIGINT", patienceMs: 30_000 },
  { signal: "SIGQUIT", patienceMs: 10_000 },
] as const;

/** Resolves when it has left, or will not. */
export async function stopProcess(server: ServerProcess): Promise<void> {
  for (const { signal, patienceMs } of WAYS_TO_STOP) {
    if (server.hasExited()) return;
    server.signal(signal);
    const alarm = new AbortController();
    await Promise.race([server.exited, sleep(patienceMs, undefined, alarm).catch(() => {})]);
    alarm.abort();
  }
}
