/** Reads PostgreSQL's lock file, `postmaster.pid`: which server runs on a cluster, and whether it still does. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startTimeOf, worksIn } from "./process-identity.ts";

export type Postmaster = {
  pid: number;
  socketDirectory: string;
  /** Its status line says that it accepts connections: it is neither starting nor stopping. */
  isReady: boolean;
};

/** The server that wrote the file, running or not; undefined when there is no complete file. */
export function readPostmasterFile(cluster: string): Postmaster | undefined {
  const path = postmasterFileOf(cluster);
  if (!existsSync(path)) return undefined;
  // Lines: pid, data directory, start time, port, socket directory, listen address, shared memory, status.
  const [pid = "", , , , socketDirectory = "", , , status = ""] = readFileSync(path, "utf8").split("\n");
  if (!/^\d{1,10}$/.test(pid)) return undefined;
  return { pid: Number(pid), socketDirectory, isReady: status.trim() === "ready" };
}

/** Stricter than PostgreSQL's own check: a zombie, or another process with a reused pid, does not count. */
export function isServerOf(cluster: string, pid: number): boolean {
  return startTimeOf(pid) !== undefined && worksIn(pid, cluster);
}

export function postmasterFileOf(cluster: string): string {
  return join(cluster, "postmaster.pid");
}
