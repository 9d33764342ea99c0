/** A running server as a process: detects its exit and stops it. */
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { isServerOf } from "./postmaster-file.ts";
import { isRunning } from "./process-identity.ts";

export type ServerProcess = {
  /** Undefined when the spawn failed. */
  pid: number | undefined;
  /** Settles when it has exited, for whatever reason. */
  exited: Promise<void>;
  hasExited(): boolean;
  signal(name: NodeJS.Signals): void;
};

/** A server launched by this process. It does not keep the event loop alive. */
export function launchedProcess(child: ChildProcess): ServerProcess {
  let isGone = false;
  const exited = new Promise<void>((resolve) => {
    const onExit = () => {
      isGone = true;
      resolve();
    };
    child.once("exit", onExit);
    child.on("error", () => {
      if (child.pid === undefined) onExit(); // the spawn failed
    });
  });
  child.unref();
  const signal = (name: NodeJS.Signals) => void child.kill(name);
  return endWithThisProcess({ pid: child.pid, exited, hasExited: () => isGone, signal });
}

/**
 * Ends the server when this process exits (except by kill -9, see watchdog.ts). An exit handler has no time for more than
 * SIGQUIT: the server exits at once and recovers at its next start.
 */
function endWithThisProcess(server: ServerProcess): ServerProcess {
  const quit = () => server.signal("SIGQUIT");
  process.on("exit", quit);
  void server.exited.then(() => process.off("exit", quit));
  return server;
}

/** Of a server that runs, and of one that was told to stop. */
const WATCH_INTERVAL_MS = 1_000;
const STOP_WATCH_INTERVAL_MS = 50;

/** A server launched by an earlier process. Its exit is polled, because it is not a child of this one. */
export function orphanProcess(pid: number, cluster: string): ServerProcess {
  const hasExited = () => !isRunning(pid);
  let watchAgain = () => {};
  let intervalMs = WATCH_INTERVAL_MS;
  const exited = new Promise<void>((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const watch = () => {
      if (hasExited()) resolve();
      else timer = setTimeout(watch, intervalMs).unref();
    };
    watchAgain = () => {
      clearTimeout(timer);
      watch();
    };
    watch();
  });
  const signal = (name: NodeJS.Signals) => {
    if (!isServerOf(cluster, pid)) return;
    process.kill(pid, name);
    intervalMs = STOP_WATCH_INTERVAL_MS;
    watchAgain();
  };
  return endWithThisProcess({ pid, exited, hasExited, signal });
}

/** SIGINT is a clean "fast shutdown"; SIGQUIT, when that takes too long, leaves recovery to the next start. */
const STOP_SIGNALS = [
  { signal: "SIGINT", timeoutMs: 30_000 },
  { signal: "SIGQUIT", timeoutMs: 10_000 },
] as const;

/** Resolves when it has exited, or did not react to either signal. */
export async function stopProcess(server: ServerProcess): Promise<void> {
  for (const { signal, timeoutMs } of STOP_SIGNALS) {
    if (server.hasExited()) return;
    server.signal(signal);
    const alarm = new AbortController();
    await Promise.race([server.exited, sleep(timeoutMs, undefined, alarm).catch(() => {})]);
    alarm.abort();
  }
}
