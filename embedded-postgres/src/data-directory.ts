/** Layout of the data directory, and its creation with the right owner. */
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { canEnter, changeOwner, chooseRunAsUser, type RunAsUser } from "./run-as-user.ts";

/**
 * `data` in the working directory. Started by root in a directory closed to the database's user (such as root's home),
 * a directory below `systemParent` instead.
 */
export function defaultDataDirectory(cwd: string, systemParent: string): string {
  const beside = join(resolve(cwd), "data");
  const user = chooseRunAsUser(pathsIn(beside).cluster);
  if (!user || canEnter(user, nearestExisting(beside))) return beside;
  const home = dirname(beside);
  return join(systemParent, `${basename(home)}-${shortHash(home)}`);
}

export type DataPaths = ReturnType<typeof pathsIn>;

export function pathsIn(directory: string) {
  return {
    directory,
    cluster: join(directory, "postgres"),
    sockets: join(directory, "run"),
    log: join(directory, "postgres.log"),
    directoryLock: join(directory, "service.lock"),
    serverOwner: join(directory, "postgres.owner"),
    binariesCopy: join(directory, "postgres-binaries"),
  };
}

/** Creates the directory when it is missing, and checks that the database's user can reach it. */
export function openDataDirectory(path: string, user: RunAsUser | undefined): DataPaths {
  const directory = resolve(path);
  if (!canEnter(user, nearestExisting(directory))) throw noAccess(directory, user);
  createMissing(directory, user);
  return pathsIn(realpathSync(directory)); // procfs shows working directories without symbolic links
}

export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

function createMissing(directory: string, user: RunAsUser | undefined): void {
  if (existsSync(directory)) return;
  let parent = nearestExisting(directory);
  for (const name of relative(parent, dirname(directory)).split(sep).filter(Boolean)) {
    parent = join(parent, name);
    mkdirSync(parent);
    if (user) chmodSync(parent, 0o755); // root's umask may be strict, and the user needs to traverse it
  }
  mkdirSync(directory, { mode: 0o700 });
  changeOwner(user, directory);
}

function nearestExisting(path: string): string {
  let parent = path;
  while (!existsSync(parent) && parent !== dirname(parent)) parent = dirname(parent);
  return parent;
}

function noAccess(directory: string, user: RunAsUser | undefined): EmbeddedPostgresError {
  if (!user) {
    return new EmbeddedPostgresError(`This user has no access to the data directory ${directory}.`, {
      remedies: ["other_directory"],
    });
  }
  return new EmbeddedPostgresError(
    `PostgreSQL does not run as root but as the user ${user.name}, who has no access to the data directory ` +
      `${directory}. Grant it (chmod o+x on each closed parent directory).`,
    { remedies: ["other_directory", "other_user"] },
  );
}
