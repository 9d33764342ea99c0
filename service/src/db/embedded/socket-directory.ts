/**
 * The directory of the server's unix socket. Whoever can enter it is let into the database without a password, so it
 * is closed to everybody but the server's user.
 */
import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DataPlaces, shortHash } from "./data-directory.ts";
import { canEnter, handOver, type RunAsUser } from "./run-as-user.ts";
import { EmbeddedPostgresError } from "./trouble.ts";

/** Only names the socket file: the server listens on no TCP port. */
export const SOCKET_PORT = 5432;

/** What fits into the system's `sun_path`, its final zero byte not counted. */
const MAX_SOCKET_PATH_BYTES = process.platform === "linux" ? 107 : 103;

/** In the data directory, or under the temporary directory when the path to there is too long for a socket. */
export function openSocketDirectory(places: DataPlaces, user: RunAsUser | undefined): string {
  const name = `mailvet-${shortHash(places.directory)}`;
  for (const parent of [undefined, tmpdir(), "/tmp"]) {
    const directory = parent === undefined ? places.sockets : join(parent, name);
    if (Buffer.byteLength(socketIn(directory)) > MAX_SOCKET_PATH_BYTES) continue;
    if (parent !== undefined && !canEnter(user, parent)) continue;
    createPrivate(directory, user);
    return directory;
  }
  throw new EmbeddedPostgresError(
    `The path of the data directory ${places.directory} is too long for a socket, and so is that of the ` +
      "temporary directory: set DATA_DIR to a shorter path.",
  );
}

export function socketIn(directory: string): string {
  return join(directory, `.s.PGSQL.${SOCKET_PORT}`);
}

/** Is this a directory that only the server's user can enter? Under /tmp anybody may have put something in its place. */
export function isPrivate(directory: string, user: RunAsUser | undefined): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  const owner = user?.uid ?? process.geteuid?.();
  return found?.isDirectory() === true && found.uid === owner && (found.mode & 0o777) === 0o700;
}

function createPrivate(directory: string, user: RunAsUser | undefined): void {
  if (!lstatSync(directory, { throwIfNoEntry: false })) {
    mkdirSync(directory, { mode: 0o700 });
    handOver(user, directory);
  }
  if (isPrivate(directory, user)) return;
  throw new EmbeddedPostgresError(
    `${directory} is not a directory that only the database's user may enter (mode 0700): remove it and start again.`,
  );
}
