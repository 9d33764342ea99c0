/**
 * The user the server runs as. PostgreSQL refuses to run as root, so when root starts it, it runs as an unprivileged
 * user, who then needs access to its files.
 */
import { spawnSync } from "node:child_process";
import { fchownSync, fstatSync, lchownSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

export type RunAsUser = { name: string; uid: number; gid: number };

/** Tried in this order. The user needs an entry in /etc/passwd: initdb looks its own name up. */
const PREFERRED = ["postgres", "nobody"];

/** Undefined when the server runs as the current user. */
export function chooseRunAsUser(cluster: string): RunAsUser | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  const users = readUsers();
  // A cluster keeps its owner, also when a preferred user has been created since.
  const owner = lstatSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) {
    const name = users.find((user) => user.uid === owner.uid)?.name ?? `uid ${owner.uid}`;
    return { name, uid: owner.uid, gid: owner.gid };
  }
  for (const name of PREFERRED) {
    const user = users.find((one) => one.name === name && one.uid > 0 && one.gid > 0);
    if (user) return user;
  }
  throw new EmbeddedPostgresError(
    "PostgreSQL does not run as root, and this machine has neither a user postgres nor nobody.",
    { remedies: ["other_user", "other_server"] },
  );
}

/** Whether the user may enter this directory. Tested as that user, so modes, groups and ACLs all count. */
export function canEnter(user: RunAsUser | undefined, directory: string): boolean {
  const { status, error } = spawnSync("/bin/sh", ["-c", 'test -x "$1"', "sh", directory], {
    ...processIdentity(user),
    cwd: "/",
    stdio: "ignore",
  });
  if (error) throw cannotRunAs(user, error);
  return status === 0;
}

/** `spawn` options that run a program as this user. */
export function processIdentity(user: RunAsUser | undefined): { uid?: number; gid?: number } {
  return user ? { uid: user.uid, gid: user.gid } : {};
}

/** Changes the owner of a file, or of a directory and everything in it. Symbolic links are not followed. */
export function changeOwner(user: RunAsUser | undefined, path: string): void {
  if (!user) return;
  try {
    lchownSync(path, user.uid, user.gid);
    if (!lstatSync(path).isDirectory()) return;
    for (const entry of readdirSync(path, { recursive: true, encoding: "utf8" })) {
      lchownSync(join(path, entry), user.uid, user.gid);
    }
  } catch (error) {
    throw cannotRunAs(user, error);
  }
}

/** Changes the owner of a file that was just created, so that the user can start the server on his own later. */
export function changeOwnerIfNew(user: RunAsUser | undefined, descriptor: number): void {
  if (user && fstatSync(descriptor).size === 0) fchownSync(descriptor, user.uid, user.gid);
}

function cannotRunAs(user: RunAsUser | undefined, cause: unknown): EmbeddedPostgresError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EmbeddedPostgresError(
    `PostgreSQL cannot be run as the user ${user?.name ?? "of this process"} (${why}).`,
    { cause, remedies: ["other_user", "other_server"] },
  );
}

function readUsers(): RunAsUser[] {
  return readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .filter((fields) => fields.length >= 4)
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
