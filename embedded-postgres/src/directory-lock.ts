/**
 * Exclusive lock on the data directory, released when its holder exits or is killed.
 *
 * The lock is an append-only file: `+ pid start-time nonce` on acquire, `- nonce` on release. The first entry whose process
 * still runs holds the lock. Appends are atomic, so all processes read the same order, and exactly one of two concurrent
 * starts is first. Entries of killed processes are ignored (process-identity.ts) and need no removal, which avoids the
 * race of a lock file that is deleted and created again.
 */
import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { startTimeOf } from "./process-identity.ts";
import { changeOwnerIfNew, type RunAsUser } from "./run-as-user.ts";

export type DirectoryLock = { release(): void };

/** Above this size (some hundred starts) the holder starts a new file. */
const LONG_LIST_BYTES = 32 * 1024;

/** Acquires the lock, or throws with the pid of its holder. */
export function takeDirectoryLock(path: string, user?: RunAsUser): DirectoryLock {
  const nonce = randomUUID();
  const arrival = `\n+ ${process.pid} ${startTimeOf(process.pid)} ${nonce}\n`;
  const list = openList(path);
  try {
    changeOwnerIfNew(user, list);
    writeSync(list, arrival);
    // Read by path: if the holder has just replaced the file, this entry is not in it and the lock is refused.
    const text = readFileSync(path, "utf8");
    const holder = findHolder(text);
    if (holder?.nonce !== nonce) {
      writeSync(list, `- ${nonce}\n`);
      throw alreadyTaken(path, holder?.pid);
    }
    if (text.length > LONG_LIST_BYTES) startNewList(path, arrival, user);
    return { release: () => leave(path, nonce) };
  } finally {
    closeSync(list);
  }
}

type Arrival = { pid: number; nonce: string };

/** The first entry that is not released and whose process runs. */
function findHolder(list: string): Arrival | undefined {
  const departed = new Set(Array.from(list.matchAll(/^- (\S+)$/gm), ([, nonce]) => nonce));
  for (const [, pid, beginning, nonce = ""] of list.matchAll(/^\+ (\d{1,10}) (\S+) (\S+)$/gm)) {
    if (!departed.has(nonce) && startTimeOf(Number(pid)) === beginning) return { pid: Number(pid), nonce };
  }
  return undefined;
}

function leave(path: string, nonce: string): void {
  try {
    const list = openList(path);
    writeSync(list, `- ${nonce}\n`);
    closeSync(list);
  } catch {
    // The disk is full or the directory removed. The lock ends with this process at the latest.
  }
}

/** The directory may belong to the database's user while this process is root: symbolic links are not followed. */
function openList(path: string): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  return openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
}

/** Only called by the holder. A process that still reads the old file is refused there too. */
function startNewList(path: string, arrival: string, user: RunAsUser | undefined): void {
  const next = `${path}.new`;
  rmSync(next, { force: true });
  const list = openSync(next, "wx", 0o600);
  changeOwnerIfNew(user, list);
  writeSync(list, arrival);
  closeSync(list);
  renameSync(next, path);
}

function alreadyTaken(path: string, pid: number | undefined): EmbeddedPostgresError {
  const who = pid === undefined ? "Another process" : `Another process (${pid})`;
  return new EmbeddedPostgresError(`${who} is using the data directory ${dirname(path)}. Stop it first.`, {
    remedies: ["other_directory", "other_server"],
  });
}
