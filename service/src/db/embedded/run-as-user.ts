/**
 * Who the database server runs as. PostgreSQL refuses to run as root, so a service that root started hands the
 * server to a user without privileges, who must then be able to get to its files.
 */
import { spawnSync } from "node:child_process";
import { fchownSync, fstatSync, lchownSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedPostgresError } from "./trouble.ts";

export type RunAsUser = { name: string; uid: number; gid: number };

/** Asked in this order. Both need an entry in the list of users: initdb looks its own name up. */
const PREFERRED = ["postgres", "nobody"];

/** Undefined when the server simply runs as ourselves. */
export function chooseRunAsUser(cluster: string): RunAsUser | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  const users = readUsers();
  // A cluster stays with the user who made it, whoever else has arrived on this machine since.
  const owner = lstatSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) {
    const name = users.find((user) => user.uid === owner.uid)?.name ?? `number ${owner.uid}`;
    return { name, uid: owner.uid, gid: owner.gid };
  }
  for (const name of PREFERRED) {
    const user = users.find((one) => one.name === name && one.uid > 0 && one.gid > 0);
    if (user) return user;
  }
  throw new EmbeddedPostgresError(
    "PostgreSQL does not run as root, and this machine has neither a user postgres nor nobody: " +
      "start the service as an ordinary user, or set DATABASE_URL.",
  );
}

/** May the user walk into this directory? The system is asked, as that user: it knows about modes, groups and ACLs. */
export function canEnter(user: RunAsUser | undefined, directory: string): boolean {
  const { status, error } = spawnSync("/bin/sh", ["-c", 'test -x "$1"', "sh", directory], {
    ...processIdentity(user),
    cwd: "/",
    stdio: "ignore",
  });
  if (error) throw cannotBecome(user, error);
  return status === 0;
}

/** What `spawn` needs to run a program as this user. */
export function processIdentity(user: RunAsUser | undefined): { uid?: number; gid?: number } {
  return user ? { uid: user.uid, gid: user.gid } : {};
}

/** Hands a file, or a directory and everything in it, to the user. Links are handed over, never followed. */
export function handOver(user: RunAsUser | undefined, path: string): void {
  if (!user) return;
  try {
    lchownSync(path, user.uid, user.gid);
    if (!lstatSync(path).isDirectory()) return;
    for (const entry of readdirSync(path, { recursive: true, encoding: "utf8" })) {
      lchownSync(join(path, entry), user.uid, user.gid);
    }
  } catch (error) {
    throw cannotBecome(user, error);
  }
}

/** Hands over a file that we have just made, so that its user can one day start the service himself. */
export function handOverIfNew(user: RunAsUser | undefined, descriptor: number): void {
  if (user && fstatSync(descriptor).size === 0) fchownSync(descriptor, user.uid, user.gid);
}

function cannotBecome(user: RunAsUser | undefined, cause: unknown): EmbeddedPostgresError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EmbeddedPostgresError(
    `The database cannot be run as the user ${user?.name ?? "of this process"} (${why}): ` +
      "start the service as an ordinary user, or set DATABASE_URL.",
    { cause },
  );
}

function readUsers(): RunAsUser[] {
  return readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .filter((fields) => fields.length >= 4)
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
