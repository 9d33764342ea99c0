/**
 * One service per data directory: the lock that says which one, and that dies with it.
 *
 * The lock is a list that is only ever appended to: `+ pid beginning nonce` when a service comes, `- nonce` when it
 * goes. The first one on the list that still lives holds the lock. Appending is atomic, so everybody reads the same
 * order and exactly one of two that come at the same instant finds itself first. A service that was killed needs no
 * clearing up: it no longer lives (process-identity.ts), and nobody has to remove a lock that a third one may just
 * have taken. A lock file that is replaced has the hole that this list does not.
 */
import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { beginningOf } from "./process-identity.ts";
import { handOverIfNew, type RunAsUser } from "./run-as-user.ts";
import { EmbeddedPostgresError } from "./trouble.ts";

export type ServiceLock = { release(): void };

/** Beyond this size the holder starts a new list: some hundred starts. */
const LONG_LIST_BYTES = 32 * 1024;

/** Takes the lock, or says who has it. */
export function takeServiceLock(path: string, user?: RunAsUser): ServiceLock {
  const nonce = randomUUID();
  const arrival = `\n+ ${process.pid} ${beginningOf(process.pid)} ${nonce}\n`;
  const list = openList(path);
  try {
    handOverIfNew(user, list);
    writeSync(list, arrival);
    // Read by its name: were the list begun anew this moment, we would not be on it, and so not win.
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

/** The first on the list that has not left and still lives. */
function findHolder(list: string): Arrival | undefined {
  const departed = new Set(Array.from(list.matchAll(/^- (\S+)$/gm), ([, nonce]) => nonce));
  for (const [, pid, beginning, nonce = ""] of list.matchAll(/^\+ (\d{1,10}) (\S+) (\S+)$/gm)) {
    if (!departed.has(nonce) && beginningOf(Number(pid)) === beginning) return { pid: Number(pid), nonce };
  }
  return undefined;
}

function leave(path: string, nonce: string): void {
  try {
    const list = openList(path);
    writeSync(list, `- ${nonce}\n`);
    closeSync(list);
  } catch {
    // The disk is full or the directory gone. What we hold ends with this process at the latest.
  }
}

/** The directory may belong to the database's user while we are root: a link planted there is not followed. */
function openList(path: string): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  return openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
}

/** Only the holder does this. Whoever came to the old list meanwhile would have been refused there too. */
function startNewList(path: string, arrival: string, user: RunAsUser | undefined): void {
  const next = `${path}.new`;
  rmSync(next, { force: true });
  const list = openSync(next, "wx", 0o600);
  handOverIfNew(user, list);
  writeSync(list, arrival);
  closeSync(list);
  renameSync(next, path);
}

function alreadyTaken(path: string, pid: number | undefined): EmbeddedPostgresError {
  const who = pid === undefined ? "Another service" : `Another service (process ${pid})`;
  return new EmbeddedPostgresError(
    `${who} is running on the data directory ${dirname(path)}: stop it first, or give this one ` +
      "a directory of its own with DATA_DIR. To run several services on one database, set DATABASE_URL.",
  );
}
