/**
 * The directory of the server's unix socket. A process that can enter it connects without a password, so only the
 * server's user can.
 */
import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DataPaths, shortHash } from "./data-directory.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { canEnter, changeOwner, type RunAsUser } from "./run-as-user.ts";

/** Part of the socket's file name only: the server listens on no TCP port. */
export const SOCKET_PORT = 5432;

/** Connection options for the server's unix socket; `ssl: false` overrides PGSSLMODE. */
export type EmbeddedConnection = {
  host: string;
  port: number;
  user: string;
  database: string;
  ssl: false;
};

export const SUPERUSER = "app";

export function connectionIn(socketDirectory: string): EmbeddedConnection {
  return { host: socketDirectory, port: SOCKET_PORT, user: SUPERUSER, database: "app", ssl: false };
}

/** Size of `sun_path` without its terminating zero byte. */
const MAX_SOCKET_PATH_BYTES = process.platform === "linux" ? 107 : 103;

/** In the data directory, or under the temporary directory when the path to there is too long for a socket. */
export function openSocketDirectory(paths: DataPaths, user: RunAsUser | undefined): string {
  const name = `pg-${shortHash(paths.directory)}`;
  for (const parent of [undefined, tmpdir(), "/tmp"]) {
    const directory = parent === undefined ? paths.sockets : join(parent, name);
    if (Buffer.byteLength(socketIn(directory)) > MAX_SOCKET_PATH_BYTES) continue;
    if (parent !== undefined && !canEnter(user, parent)) continue;
    createPrivate(directory, user);
    return directory;
  }
  throw new EmbeddedPostgresError(
    `The path of the data directory ${paths.directory} is too long for a socket, and so is that of the ` +
      "temporary directory.",
    { remedies: ["other_directory"] },
  );
}

export function socketIn(directory: string): string {
  return join(directory, `.s.PGSQL.${SOCKET_PORT}`);
}

/** Whether only the server's user can enter the directory. Under /tmp another user may have created it. */
export function isPrivate(directory: string, user: RunAsUser | undefined): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  const owner = user?.uid ?? process.geteuid?.();
  return found?.isDirectory() === true && found.uid === owner && (found.mode & 0o777) === 0o700;
}

function createPrivate(directory: string, user: RunAsUser | undefined): void {
  if (!lstatSync(directory, { throwIfNoEntry: false })) {
    mkdirSync(directory, { mode: 0o700 });
    changeOwner(user, directory);
  }
  if (isPrivate(directory, user)) return;
  throw new EmbeddedPostgresError(
    `${directory} is not a private directory of the database's user (mode 0700). Remove it and start again.`,
  );
}
