/**
 * The cluster: PostgreSQL's own directory, made by initdb on the first start.
 *
 * It is made under another name and gets its own when it is complete and on disk, so that whatever carries its name is
 * a whole one, also when we were killed in the middle.
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
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { handOver, processIdentity, type RunAsUser } from "./run-as-user.ts";
import { SERVER_ENVIRONMENT } from "./server-settings.ts";
import { EmbeddedPostgresError } from "./trouble.ts";

export async function readyCluster(options: {
  cluster: string;
  superuser: string;
  binaries: Binaries;
  user: RunAsUser | undefined;
  say: (text: string) => void;
  interrupted?: AbortSignal | undefined;
}): Promise<void> {
  const { cluster, binaries, user, say } = options;
  if (existsSync(cluster) && readdirSync(cluster).length > 0) return checkCluster(cluster, binaries, user);
  options.interrupted?.throwIfAborted();
  say("creating the database");
  for (const unfinished of unfinishedBeside(cluster)) removeUnfinished(unfinished);
  const fresh = `${cluster}.new-${randomUUID().slice(0, 8)}`;
  mkdirSync(fresh, { mode: 0o700 });
  handOver(user, fresh);
  await initdb({ ...options, directory: fresh });
  renameSync(fresh, cluster);
  syncDirectory(dirname(cluster));
}

function checkCluster(cluster: string, { version }: Binaries, user: RunAsUser | undefined): void {
  const file = join(cluster, "PG_VERSION");
  const found = existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
  if (found === undefined) {
    throw new EmbeddedPostgresError(
      `${cluster} holds something that is not a PostgreSQL database: move it away, or set DATA_DIR to another place.`,
    );
  }
  if (found !== String(version.major)) {
    throw new EmbeddedPostgresError(
      `The database in ${cluster} was made by PostgreSQL ${found}, and this release of the service brings ` +
        `PostgreSQL ${version.major}: go back to the release that made it, or set DATABASE_URL to a server of ` +
        "your own.",
    );
  }
  const owner = lstatSync(cluster).uid;
  if (user && owner !== user.uid) handOver(user, cluster); // brought back by root from a backup, say
  if (!user && owner !== process.geteuid?.()) {
    throw new EmbeddedPostgresError(
      `The database in ${cluster} belongs to another user (number ${owner}): start the service as that user, ` +
        "or set DATA_DIR to another place.",
    );
  }
}

function unfinishedBeside(cluster: string): string[] {
  const beginning = `${basename(cluster)}.new-`;
  return readdirSync(dirname(cluster))
    .filter((name) => name.startsWith(beginning))
    .map((name) => join(dirname(cluster), name));
}

/** An initdb that outlived its service may still write there. It fails by itself, and the next start clears up. */
function removeUnfinished(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
  } catch {
    // In nobody's way: every attempt has a name of its own.
  }
}

/**
 * Syncs to disk, as it does unless told otherwise: power lost soon after would cost the whole database. It is killed with
 * the programs it runs when the start is interrupted or this process exits; the directory is then removed, here or by the
 * next start.
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
    ["-D", directory, "-U", superuser, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-instructions"],
    {
      ...processIdentity(user),
      cwd: directory,
      env: SERVER_ENVIRONMENT,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // a process group of its own, to be killed as a whole
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
  removeUnfinished(directory);
  interrupted?.throwIfAborted();
  throw new EmbeddedPostgresError(
    `The database could not be created (initdb ended with ${signal ?? code}): ${words.trim()}`,
  );
}

function syncDirectory(directory: string): void {
  const handle = openSync(directory, "r");
  fsyncSync(handle);
  closeSync(handle);
}
