/**
 * PostgreSQL inside the service: one call makes the database in the data directory ready, whatever the last run left
 * there, and one call stops it.
 *
 * The server is a process of its own that listens on a unix socket only. Everything that runs on another PostgreSQL
 * (DATABASE_URL) runs on this one too; nothing but the connection differs.
 */
import { findPackage, readyBinaries } from "./binaries.ts";
import { readyCluster } from "./cluster.ts";
import { type Connection, SUPERUSER } from "./connection.ts";
import { type DataPlaces, openDataDirectory, placesIn } from "./data-directory.ts";
import { createDatabase } from "./greeting.ts";
import { chooseRunAsUser, type RunAsUser } from "./run-as-user.ts";
import { openServer, type Server } from "./server.ts";
import { takeServiceLock } from "./service-lock.ts";
import { openSocketDirectory } from "./socket-directory.ts";
import { EmbeddedPostgresTrouble } from "./trouble.ts";

export { EmbeddedPostgresTrouble };

export type EmbeddedPostgres = {
  /** What `pg` needs to connect. */
  connection: Connection;
  dataDirectory: string;
  /** Settles when the server has left: after `stop`, or because something else ended it. */
  exited: Promise<void>;
  /** Stops the server and waits until it has left. Safe to call twice. */
  stop(): Promise<void>;
};

/** Throws EmbeddedPostgresTrouble when the database cannot run here. */
export async function startEmbeddedPostgres(options: {
  dataDirectory: string;
  say?: (text: string) => void;
}): Promise<EmbeddedPostgres> {
  const { dataDirectory, say = () => {} } = options;
  try {
    const packageDirectory = findPackage(); // before anything is made where nothing can run
    const user = chooseRunAsUser(placesIn(dataDirectory).cluster);
    const places = openDataDirectory(dataDirectory, user);
    const lock = takeServiceLock(places.serviceLock, user);
    try {
      const server = await openDatabaseServer({ packageDirectory, places, user, say });
      let stopping: Promise<void> | undefined;
      const stop = () => {
        stopping ??= server.stop().finally(() => lock.release());
        return stopping;
      };
      return { connection: server.connection, dataDirectory: places.directory, exited: server.exited, stop };
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw inWords(error, dataDirectory);
  }
}

async function openDatabaseServer(options: {
  packageDirectory: string;
  places: DataPlaces;
  user: RunAsUser | undefined;
  say: (text: string) => void;
}): Promise<Server> {
  const { packageDirectory, places, user, say } = options;
  const binaries = readyBinaries({ packageDirectory, copyDirectory: places.binariesCopy, user, say });
  await readyCluster({ cluster: places.cluster, superuser: SUPERUSER, binaries, user, say });
  const socketDirectory = openSocketDirectory(places, user);
  const server = await openServer({ places, socketDirectory, binaries, user, say });
  try {
    if (!server.hasDatabase) await createDatabase(server.connection);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** A full disk, a directory that is closed to us, a file where a directory should be: what the system says, and a way out. */
function inWords(error: unknown, dataDirectory: string): unknown {
  if (!(error instanceof Error && "syscall" in error)) return error;
  return new EmbeddedPostgresTrouble(
    `The database in ${dataDirectory} cannot be opened (${error.message}). Set DATA_DIR to a directory that this ` +
      "user may write, or DATABASE_URL to a PostgreSQL server.",
    { cause: error },
  );
}
