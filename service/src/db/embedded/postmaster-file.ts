/** PostgreSQL's own lock file, `postmaster.pid`: which server runs on a cluster, and whether it still does. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beginningOf, worksIn } from "./process-identity.ts";

export type Postmaster = {
  pid: number;
  socketDirectory: string;
  /** By its own word, it takes connections: it is neither starting nor stopping. */
  isReady: boolean;
};

/** Who wrote the file, living or dead; undefined when there is none, or one that was cut off while being written. */
export function readPostmasterFile(cluster: string): Postmaster | undefined {
  const path = postmasterFileOf(cluster);
  if (!existsSync(path)) return undefined;
  // Lines: pid, data directory, start time, port, socket directory, listen address, shared memory, status.
  const [pid = "", , , , socketDirectory = "", , , status = ""] = readFileSync(path, "utf8").split("\n");
  if (!/^\d{1,10}$/.test(pid)) return undefined;
  return { pid: Number(pid), socketDirectory, isReady: status.trim() === "ready" };
}

/** PostgreSQL takes any process with that number for the server; a zombie or a stranger with a reused one is not. */
export function isServerOf(cluster: string, pid: number): boolean {
  return beginningOf(pid) !== undefined && worksIn(pid, cluster);
}

export function postmasterFileOf(cluster: string): string {
  return join(cluster, "postmaster.pid");
}
