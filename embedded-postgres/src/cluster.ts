/**
 * The database cluster: PostgreSQL's data directory, created by initdb on the first start.
 *
 * It is created under a temporary name and renamed when it is complete and synced, so a directory with the final name is
 * always complete, also after a kill in the middle.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import type { OnEvent } from "./events.ts";
import type { Binaries } from "./programs/binaries.ts";
import { changeOwner, processIdentity, type RunAsUser } from "./run-as-user.ts";
import { SERVER_ENVIRONMENT } from "./server-arguments.ts";

export async function readyCluster(options: {
  cluster: string;
  superuser: string;
  binaries: Binaries;
  user: RunAsUser | undefined;
  onEvent: OnEvent;
  interrupted?: AbortSignal | undefined;
}): Promise<void> {
  const { cluster, user, onEvent } = options;
  if (existsSync(cluster) && readdirSync(cluster).length > 0) return checkCluster(cluster, user);
  options.interrupted?.throwIfAborted();
  onEvent({ event: "cluster_creating" });
  for (const unfinished of unfinishedBeside(cluster)) removeUnfinished(unfinished);
  const fresh = `${cluster}.new-${randomUUID().slice(0, 8)}`;
  mkdirSync(fresh, { mode: 0o700 });
  changeOwner(user, fresh);
  await initdb({ ...options, directory: fresh });
  renameSync(fresh, cluster);
  syncDirectory(dirname(cluster));
}

function checkCluster(cluster: string, user: RunAsUser | undefined): void {
  if (!existsSync(join(cluster, "PG_VERSION"))) {
    throw new EmbeddedPostgresError(
      `${cluster} contains files, but not a PostgreSQL database. Move them elsewhere.`,
      { remedies: ["other_directory"] },
    );
  }
  const owner = lstatSync(cluster).uid;
  if (user && owner !== user.uid) changeOwner(user, cluster); // for example restored from a backup by root
  if (!user && owner !== process.geteuid?.()) {
    throw new EmbeddedPostgresError(
      `The database in ${cluster} belongs to another user (uid ${owner}). Start as that user.`,
      { remedies: ["other_directory"] },
    );
  }
}

function unfinishedBeside(cluster: string): string[] {
  const beginning = `${basename(cluster)}.new-`;
  return readdirSync(dirname(cluster))
    .filter((name) => name.startsWith(beginning))
    .map((name) => join(dirname(cluster), name));
}

/** An initdb that outlived its parent may still write there. It fails by itself, and the next start removes the rest. */
function removeUnfinished(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
  } catch {
    // Harmless: every attempt has its own name.
  }
}

/**
 * Runs initdb with its default sync to disk: a power failure soon after would otherwise lose the database. initdb and its
 * children are killed when the start is interrupted or this process exits; the directory is then removed, here or by
 * the next start.
 */
async function initdb(options: {
  directory: string;
  superuser: string;
  binaries: Binaries;
  user: RunAsUser | undefined;
  interrupted?: AbortSignal | undefined;
}): Promise<void> {
  const { directory, superuser, binaries, user, interrupted } = options;
  const child = spawn(
    binaries.initdb,
    [
      "-D",
      directory,
      "-U",
      superuser,
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C",
      "--data-checksums",
      "--no-instructions",
    ],
    {
      ...processIdentity(user),
      cwd: directory,
      env: SERVER_ENVIRONMENT,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // its own process group, so that it can be killed as a whole
    },
  );
  let words = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      words = (words + chunk).slice(-2000);
    });
  }
  const kill = () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid, "SIGKILL");
  };
  interrupted?.addEventListener("abort", kill);
  process.on("exit", kill);
  const [code, signal] = await once(child, "close").finally(() => {
    interrupted?.removeEventListener("abort", kill);
    process.off("exit", kill);
  });
  if (code === 0) return;
  if (child.pid !== undefined) await untilGroupIsGone(child.pid);
  removeUnfinished(directory);
  interrupted?.throwIfAborted();
  throw new EmbeddedPostgresError(
    `The database could not be created (initdb ended with ${signal ?? code}): ${words.trim()}`,
  );
}

/** A child of initdb that was killed with it exists until the kernel has released its memory. */
async function untilGroupIsGone(group: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      process.kill(-group, 0);
    } catch {
      return;
    }
    await sleep(10);
  }
}

function syncDirectory(directory: string): void {
  const handle = openSync(directory, "r");
  fsyncSync(handle);
  closeSync(handle);
}
