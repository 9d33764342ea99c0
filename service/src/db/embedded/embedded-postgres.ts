/**
 * PostgreSQL inside the service: one call makes the database in the data directory ready, whatever the last run left
 * there, and one call stops it.
 *
 * The server is a process of its own that listens on a unix socket only. Everything that runs on another PostgreSQL
 * (DATABASE_URL) runs on this one too; nothing but the connection differs.
 */
import { abortable } from "../../abortable.ts";
import { findPackage, readyBinaries } from "./binaries.ts";
import { readyCluster } from "./cluster.ts";
import { type EmbeddedConnection, SUPERUSER } from "./connection.ts";
import { openDataDirectory, placesIn } from "./data-directory.ts";
import { createDatabase } from "./greeting.ts";
import { chooseRunAsUser } from "./run-as-user.ts";
import { openServer, type Server, type ServerOptions } from "./server.ts";
import { takeServiceLock } from "./service-lock.ts";
import { openSocketDirectory } from "./socket-directory.ts";
import { supervise } from "./supervisor.ts";
import { EmbeddedPostgresError } from "./trouble.ts";

export { EmbeddedPostgresError };

export type EmbeddedPostgres = {
  /** What `pg` needs to connect. */
  connection: EmbeddedConnection;
  dataDirectory: string;
  /** Settles when the server has left: after `stop`, or because something else ended it and it is not restarted. */
  exited: Promise<void>;
  /** Stops the server and waits until it has left. Safe to call twice. */
  stop(): Promise<void>;
};

export type EmbeddedPostgresOptions = {
  dataDirectory: string;
  say?: (text: string) => void;
  /** Ends the start when it is aborted: its reason is thrown, and nothing stays running. */
  interrupted?: AbortSignal | undefined;
  /** When given, a server that ends by itself is started again, on the same socket, and this hears of it. */
  onRestart?: (text: string) => void;
  /** How long the server outlives a service that is killed; some seconds unless told otherwise. */
  orphanGraceSeconds?: number;
};

/** Throws EmbeddedPostgresTrouble when the database cannot run here. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDirectory, say = () => {}, interrupted, onRestart, orphanGraceSeconds } = options;
  try {
    const packageDirectory = findPackage(); // before anything is made where nothing can run
    const user = chooseRunAsUser(placesIn(dataDirectory).cluster);
    const places = openDataDirectory(dataDirectory, user);
    const lock = takeServiceLock(places.serviceLock, user);
    try {
      const binaries = readyBinaries({ packageDirectory, copyDirectory: places.binariesCopy, user, say });
      const cluster = { cluster: places.cluster, superuser: SUPERUSER };
      await readyCluster({ ...cluster, binaries, user, say, interrupted });
      const socketDirectory = openSocketDirectory(places, user);
      const server = { places, socketDirectory, binaries, user, say, orphanGraceSeconds };
      const open = (signal: AbortSignal | undefined) =>
        openDatabaseServer({ ...server, interrupted: signal });
      const first = await open(interrupted);
      const running = onRestart ? supervise(first, open, onRestart) : first;
      let stopping: Promise<void> | undefined;
      const stop = () => {
        stopping ??= running.stop().finally(() => lock.release());
        return stopping;
      };
      return { connection: first.connection, dataDirectory: places.directory, exited: running.exited, stop };
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw inWords(error, dataDirectory);
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

/** A full disk, a directory that is closed to us, a file where a directory should be: what the system says, and a way out. */
function inWords(error: unknown, dataDirectory: string): unknown {
  if (!(error instanceof Error && "syscall" in error)) return error;
  return new EmbeddedPostgresError(
    `The database in ${dataDirectory} cannot be opened (${error.message}). Set DATA_DIR to a directory that this ` +
      "user may write, or DATABASE_URL to a PostgreSQL server.",
    { cause: error },
  );
}
