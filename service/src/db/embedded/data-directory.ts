/**
 * Where the embedded database keeps its files, and what stands where in that directory.
 */
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { canEnter, chooseRunAsUser, handOver, type RunAsUser } from "./run-as-user.ts";
import { EmbeddedPostgresError } from "./trouble.ts";

/** Where the embedded database lives when DATA_DIR is not set. */
export function defaultDataDirectory(cwd: string): string {
  const beside = join(resolve(cwd), "data");
  const user = chooseRunAsUser(placesIn(beside).cluster);
  if (!user || canEnter(user, nearestExisting(beside))) return beside;
  // Started by root in a directory closed to others, such as root's home.
  const home = dirname(beside);
  return join("/var/lib/mailvet", `${basename(home)}-${shortHash(home)}`);
}

export type DataPlaces = ReturnType<typeof placesIn>;

export function placesIn(directory: string) {
  return {
    directory,
    cluster: join(directory, "postgres"),
    sockets: join(directory, "run"),
    log: join(directory, "postgres.log"),
    serviceLock: join(directory, "service.lock"),
    serverOwner: join(directory, "postgres.owner"),
    binariesCopy: join(directory, "postgres-binaries"),
  };
}

/** Creates the directory when it is missing, and makes sure that the database's user can get there. */
export function openDataDirectory(path: string, user: RunAsUser | undefined): DataPlaces {
  const directory = resolve(path);
  if (!canEnter(user, nearestExisting(directory))) throw cannotGetTo(directory, user);
  createMissing(directory, user);
  return placesIn(realpathSync(directory)); // the system names a process's directory without links
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
    if (user) chmodSync(parent, 0o755); // root's umask may be strict, and the user has to pass
  }
  mkdirSync(directory, { mode: 0o700 });
  handOver(user, directory);
}

function nearestExisting(path: string): string {
  let place = path;
  while (!existsSync(place) && place !== dirname(place)) place = dirname(place);
  return place;
}

function cannotGetTo(directory: string, user: RunAsUser | undefined): EmbeddedPostgresError {
  if (!user) {
    return new EmbeddedPostgresError(
      `The data directory ${directory} is closed to this user: set DATA_DIR to one that is not.`,
    );
  }
  return new EmbeddedPostgresError(
    `The database does not run as root but as the user ${user.name}, who cannot get to the data directory ` +
      `${directory}. Set DATA_DIR to a place such as /var/lib/mailvet, open the way (chmod o+x on each closed ` +
      "directory above it), or start the service as an ordinary user.",
  );
}
