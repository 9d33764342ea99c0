/**
 * Starts and stops a PostgreSQL server on a data directory, whatever state the last run left it in.
 *
 * The server is a separate process that listens on a unix socket only. It differs from any other PostgreSQL in nothing
 * but its connection. Why this exists although npm has a package of the same name: docs/decisions/0012.
 */
import { resolve } from "node:path";
import { readyCluster } from "./cluster.ts";
import { openDataDirectory, pathsIn } from "./data-directory.ts";
import { takeDirectoryLock } from "./directory-lock.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import type { OnEvent } from "./events.ts";
import { readyBinaries } from "./programs/binaries.ts";
import { choosePrograms } from "./programs/programs.ts";
import { chooseRunAsUser } from "./run-as-user.ts";
import { abortable, openServer, type Server, type ServerOptions } from "./server.ts";
import { createDatabase } from "./server-handshake.ts";
import { type EmbeddedConnection, openSocketDirectory, SUPERUSER } from "./socket-directory.ts";
import { supervise } from "./supervisor.ts";

export type EmbeddedPostgres = {
  /** Connection options for `pg`. */
  connection: EmbeddedConnection;
  dataDirectory: string;
  /** Settles when the server has exited: after `stop`, or by itself when it is not restarted. */
  exited: Promise<void>;
  /** Stops the server and waits until it has exited. Safe to call twice. */
  stop(): Promise<void>;
};

export type EmbeddedPostgresOptions = {
  dataDirectory: string;
  /** Of the programs of PostgreSQL; without it they are chosen (programs.ts). */
  binDirectory?: string | undefined;
  onEvent?: OnEvent;
  /** An abort ends the start: its reason is thrown, and no process is left running. */
  interrupted?: AbortSignal | undefined;
  /** Whether a server that exits by itself is started again, on the same socket. */
  restart?: boolean;
  /** How long the server outlives a parent that was killed; ORPHAN_GRACE_SECONDS by default. */
  orphanGraceSeconds?: number;
};

/** Throws EmbeddedPostgresError when the server cannot run here. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const {
    dataDirectory,
    binDirectory,
    onEvent = () => {},
    interrupted,
    restart,
    orphanGraceSeconds,
  } = options;
  try {
    const { cluster: clusterPath } = pathsIn(resolve(dataDirectory));
    const user = chooseRunAsUser(clusterPath);
    // First: nothing is created on an unsupported platform.
    const programs = choosePrograms({ cluster: clusterPath, binDirectory, user });
    const paths = openDataDirectory(dataDirectory, user);
    const lock = takeDirectoryLock(paths.directoryLock, user);
    try {
      const binaries =
        "binaries" in programs
          ? programs.binaries
          : readyBinaries({ ...programs, copyDirectory: paths.binariesCopy, user, onEvent });
      const cluster = { cluster: paths.cluster, superuser: SUPERUSER };
      await readyCluster({ ...cluster, binaries, user, onEvent, interrupted });
      const socketDirectory = openSocketDirectory(paths, user);
      const server = { paths, socketDirectory, binaries, user, onEvent, orphanGraceSeconds };
      const open = (signal: AbortSignal | undefined) =>
        openDatabaseServer({ ...server, interrupted: signal });
      const first = await open(interrupted);
      const running = restart ? supervise(first, open, onEvent) : first;
      let stopping: Promise<void> | undefined;
      const stop = () => {
        stopping ??= running.stop().finally(() => lock.release());
        return stopping;
      };
      return { connection: first.connection, dataDirectory: paths.directory, exited: running.exited, stop };
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw describeSystemError(error, dataDirectory);
  }
}

async function openDatabaseServer(options: ServerOptions): Promise<Server> {
  const server = await openServer(options);
  try {
    if (!server.hasDatabase) await abortable(createDatabase(server.connection), options.interrupted);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** A full disk, a directory without access, a file in place of a directory. */
function describeSystemError(error: unknown, dataDirectory: string): unknown {
  if (!(error instanceof Error && "syscall" in error)) return error;
  return new EmbeddedPostgresError(`The database in ${dataDirectory} cannot be opened (${error.message}).`, {
    cause: error,
    remedies: ["other_directory", "other_server"],
  });
}
