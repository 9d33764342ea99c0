/**
 * The server on a cluster: the orphan that an earlier service left running, or else one that we launch.
 *
 * The caller holds the service lock, so whatever server runs here is nobody's. One that answers and is of our version
 * is adopted as it is; any other is stopped first.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { abortable } from "../../abortable.ts";
import type { Binaries } from "./binaries.ts";
import { connectionIn, type EmbeddedConnection } from "./connection.ts";
import type { DataPlaces } from "./data-directory.ts";
import { greet } from "./greeting.ts";
import { isServerOf, type Postmaster, readPostmasterFile } from "./postmaster-file.ts";
import { processIdentity, type RunAsUser } from "./run-as-user.ts";
import { openServerLog, type ServerLog } from "./server-log.ts";
import { launchedProcess, orphanProcess, type ServerProcess, stopProcess } from "./server-process.ts";
import { SERVER_ENVIRONMENT, serverArguments } from "./server-settings.ts";
import { isPrivate, socketIn } from "./socket-directory.ts";
import { removeStaleLocks } from "./stale-locks.ts";
import { EmbeddedPostgresError } from "./trouble.ts";
import { startWatchdog } from "./watchdog.ts";

export type Server = {
  connection: EmbeddedConnection;
  hasDatabase: boolean;
  /** Settles when the server has left, for whatever reason. */
  exited: Promise<void>;
  stop(): Promise<void>;
};

export type ServerOptions = {
  places: DataPlaces;
  socketDirectory: string;
  binaries: Binaries;
  user: RunAsUser | undefined;
  say: (text: string) => void;
  /** How long the server outlives a service that is killed (watchdog.ts). */
  orphanGraceSeconds?: number | undefined;
  /** Gives up waiting and stops the server when it is aborted. */
  interrupted?: AbortSignal | undefined;
};

/** After a crash the server first redoes what its log holds, which on a slow disk takes its time. */
const RECOVERY_PATIENCE_MS = 30 * 60 * 1000;
/** How long a living server may be without a socket that answers. */
const SILENCE_PATIENCE_MS = 30_000;
/** How long processes of a server that was killed may need to notice. */
const IN_USE_PATIENCE_MS = 15_000;
const IN_USE_PAUSE_MS = 200;
const TELL_AFTER_MS = 5000;

export async function openServer(options: ServerOptions): Promise<Server> {
  const { cluster } = options.places;
  let inUseSince: number | undefined;
  for (;;) {
    const found = readPostmasterFile(cluster);
    if (found && isServerOf(cluster, found.pid)) {
      const adopted = await adopt(found, options);
      if (adopted) return adopted;
      continue; // it has left
    }
    const launched = await launch(options);
    if (launched !== "in use") return launched;
    inUseSince ??= performance.now();
    if (performance.now() - inUseSince > IN_USE_PATIENCE_MS) throw stillInUse(options.places);
    await abortable(sleep(IN_USE_PAUSE_MS), options.interrupted);
  }
}

/** Undefined when the orphan has left, by itself or because it was of no use to us. */
async function adopt(postmaster: Postmaster, options: ServerOptions): Promise<Server | undefined> {
  const { places, binaries, user, say } = options;
  const { pid, socketDirectory } = postmaster;
  const orphan = orphanProcess(pid, places.cluster);
  startWatchdog(orphan, options);
  if (canBeReached(postmaster, user)) {
    const connection = connectionIn(socketDirectory);
    const ready = await waitUntilReady(connection, orphan, options);
    if (ready?.version === binaries.version.number) {
      say(`found the database still running (process ${pid})`);
      return serverOf(orphan, connection, ready.hasDatabase);
    }
  }
  if (!orphan.hasExited()) say(`stopping the database server that an earlier service left (process ${pid})`);
  await stopProcess(orphan);
  if (orphan.hasExited()) return undefined;
  throw new EmbeddedPostgresError(
    `The database server of an earlier service (process ${pid}) runs on ${places.directory}, does not answer and ` +
      "does not stop: end that process first.",
  );
}

/** A cleaner of old files may have taken the socket, and under /tmp somebody may have put another in its place. */
function canBeReached({ socketDirectory, isReady }: Postmaster, user: RunAsUser | undefined): boolean {
  return isPrivate(socketDirectory, user) && (existsSync(socketIn(socketDirectory)) || !isReady);
}

async function launch(options: ServerOptions): Promise<Server | "in use"> {
  const { places, socketDirectory, binaries, user } = options;
  await removeStaleLocks({ cluster: places.cluster, socketDirectory, user });
  using log = openServerLog(places.log, user);
  const child = spawn(binaries.postgres, serverArguments(places.cluster, socketDirectory), {
    ...processIdentity(user),
    cwd: places.cluster,
    env: SERVER_ENVIRONMENT,
    stdio: ["ignore", log.descriptor, log.descriptor],
    detached: true, // Ctrl-C is for us: the server leaves last, when we say so
  });
  const launched = launchedProcess(child);
  startWatchdog(launched, options);
  const connection = connectionIn(socketDirectory);
  const ready = await waitUntilReady(connection, launched, options);
  if (ready) return serverOf(launched, connection, ready.hasDatabase);
  await stopProcess(launched);
  if (IN_USE.test(log.sinceOpened())) return "in use";
  throw didNotStart(places, log);
}

/** Another server had just begun to start; or processes of one that was killed still hold its memory. */
const IN_USE = /lock file ".*" already exists|shared memory block .* is still in use/;

function serverOf(process: ServerProcess, connection: EmbeddedConnection, hasDatabase: boolean): Server {
  return { connection, hasDatabase, exited: process.exited, stop: () => stopProcess(process) };
}

/** Undefined when the server left, or nothing was to be heard from it for too long. */
async function waitUntilReady(connection: EmbeddedConnection, server: ServerProcess, options: ServerOptions) {
  try {
    return await askUntilReady(connection, server, options);
  } catch (error) {
    await stopProcess(server);
    throw error; // interrupted
  }
}

async function askUntilReady(
  connection: EmbeddedConnection,
  server: ServerProcess,
  { say, interrupted }: ServerOptions,
) {
  const begun = performance.now();
  let heard = begun;
  let hasTold = false;
  for (let pauseMs = 10; !server.hasExited(); pauseMs = Math.min(pauseMs * 1.5, 250)) {
    const greeting = await abortable(greet(connection), interrupted);
    const now = performance.now();
    if (greeting.kind === "ready") return greeting;
    if (greeting.kind === "busy") heard = now;
    if (now - heard > SILENCE_PATIENCE_MS || now - begun > RECOVERY_PATIENCE_MS) return undefined;
    if (!hasTold && now - begun > TELL_AFTER_MS) {
      hasTold = true;
      say("the database is getting ready; after a crash that can take a while");
    }
    await abortable(sleep(pauseMs), interrupted);
  }
  return undefined;
}

function stillInUse({ directory }: DataPlaces): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `Processes of an earlier database server still use ${directory}: wait until they have ended, or end them.`,
  );
}

function didNotStart(places: DataPlaces, log: ServerLog): EmbeddedPostgresError {
  const lastLines = log.sinceOpened().trim().split("\n").slice(-5).join("\n");
  return new EmbeddedPostgresError(
    `The database in ${places.directory} did not start. Its log (${places.log}) ends:\n${lastLines}`,
  );
}
