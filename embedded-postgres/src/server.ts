/**
 * Opens the server of a cluster: adopts the one that an earlier process left running, or launches a new one.
 *
 * The caller holds the directory lock, so a server that runs here is orphaned. It is adopted when it answers and has
 * our version; otherwise it is stopped first.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { DataPaths } from "./data-directory.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import type { OnEvent } from "./events.ts";
import { isServerOf, type Postmaster, postmasterFileOf, readPostmasterFile } from "./postmaster-file.ts";
import type { Binaries } from "./programs/binaries.ts";
import { processIdentity, type RunAsUser } from "./run-as-user.ts";
import { SERVER_ENVIRONMENT, serverArguments } from "./server-arguments.ts";
import { handshake } from "./server-handshake.ts";
import { openServerLog, type ServerLog } from "./server-log.ts";
import { launchedProcess, orphanProcess, type ServerProcess, stopProcess } from "./server-process.ts";
import { connectionIn, type EmbeddedConnection, isPrivate, socketIn } from "./socket-directory.ts";
import { startWatchdog } from "./watchdog.ts";

export type Server = {
  connection: EmbeddedConnection;
  hasDatabase: boolean;
  /** Settles when the server has exited, for whatever reason. */
  exited: Promise<void>;
  stop(): Promise<void>;
};

export type ServerOptions = {
  paths: DataPaths;
  socketDirectory: string;
  binaries: Binaries;
  user: RunAsUser | undefined;
  onEvent: OnEvent;
  /** How long the server outlives a parent that was killed (watchdog.ts). */
  orphanGraceSeconds?: number | undefined;
  /** An abort ends the wait and stops the server. */
  interrupted?: AbortSignal | undefined;
};

/** Crash recovery replays the WAL, which takes long on a slow disk. */
const RECOVERY_TIMEOUT_MS = 30 * 60 * 1000;
/** How long a running server may go without an answering socket. */
const SILENCE_TIMEOUT_MS = 30_000;
/** How long backends of a killed server may take to exit. */
const IN_USE_TIMEOUT_MS = 15_000;
const IN_USE_PAUSE_MS = 200;
const REPORT_RECOVERY_AFTER_MS = 5000;

export async function openServer(options: ServerOptions): Promise<Server> {
  const { cluster } = options.paths;
  let inUseSince: number | undefined;
  for (;;) {
    const found = readPostmasterFile(cluster);
    if (found && isServerOf(cluster, found.pid)) {
      const adopted = await adopt(found, options);
      if (adopted) return adopted;
      continue; // it has exited
    }
    const launched = await launch(options);
    if (launched !== "in use") return launched;
    inUseSince ??= performance.now();
    if (performance.now() - inUseSince > IN_USE_TIMEOUT_MS) throw stillInUse(options.paths);
    await abortable(sleep(IN_USE_PAUSE_MS), options.interrupted);
  }
}

/** Undefined when the orphan has exited, by itself or because it was stopped. */
async function adopt(postmaster: Postmaster, options: ServerOptions): Promise<Server | undefined> {
  const { paths, binaries, user, onEvent } = options;
  const { pid, socketDirectory } = postmaster;
  const orphan = orphanProcess(pid, paths.cluster);
  startWatchdog(orphan, options);
  if (canBeReached(postmaster, user)) {
    const connection = connectionIn(socketDirectory);
    const ready = await waitUntilReady(connection, orphan, options);
    if (ready?.version === binaries.version.number) {
      onEvent({ event: "server_adopted", pid });
      return serverOf(orphan, connection, ready.hasDatabase);
    }
  }
  if (!orphan.hasExited()) onEvent({ event: "orphan_stopping", pid });
  await stopProcess(orphan);
  if (orphan.hasExited()) return undefined;
  throw new EmbeddedPostgresError(
    `A database server of an earlier start (process ${pid}) runs on ${paths.directory}, does not answer and does ` +
      "not stop. End that process first.",
  );
}

/** A cleaner of old files may have removed the socket, and under /tmp another user may have replaced it. */
function canBeReached({ socketDirectory, isReady }: Postmaster, user: RunAsUser | undefined): boolean {
  return isPrivate(socketDirectory, user) && (existsSync(socketIn(socketDirectory)) || !isReady);
}

async function launch(options: ServerOptions): Promise<Server | "in use"> {
  const { paths, socketDirectory, binaries, user } = options;
  await removeStaleLocks({ cluster: paths.cluster, socketDirectory, user });
  using log = openServerLog(paths.log, user);
  const child = spawn(binaries.postgres, serverArguments(paths.cluster, socketDirectory), {
    ...processIdentity(user),
    cwd: paths.cluster,
    env: SERVER_ENVIRONMENT,
    stdio: ["ignore", log.descriptor, log.descriptor],
    detached: true, // Ctrl-C must not reach the server: it is stopped last, by us
  });
  const launched = launchedProcess(child);
  startWatchdog(launched, options);
  const connection = connectionIn(socketDirectory);
  const ready = await waitUntilReady(connection, launched, options);
  if (ready) return serverOf(launched, connection, ready.hasDatabase);
  await stopProcess(launched);
  if (IN_USE.test(log.sinceOpened())) return "in use";
  throw didNotStart(paths, log);
}

/**
 * Removes the lock file, the socket and the socket's lock that a killed server left behind. Called only after
 * postmaster-file.ts has found no running server.
 */
async function removeStaleLocks(options: {
  cluster: string;
  socketDirectory: string;
  user: RunAsUser | undefined;
}): Promise<void> {
  const { cluster, socketDirectory, user } = options;
  const left = readPostmasterFile(cluster)?.socketDirectory;
  for (const directory of new Set([socketDirectory, left ?? socketDirectory])) {
    if (!isPrivate(directory, user)) continue;
    await assertNoServerAnswers(directory, cluster);
    rmSync(socketIn(directory), { force: true });
    rmSync(`${socketIn(directory)}.lock`, { force: true });
  }
  // Backends of the killed server that still run hold its shared memory, and the next server refuses to start until
  // they have exited, with or without this file.
  rmSync(postmasterFileOf(cluster), { force: true });
}

/** A server in another container on the same files has a pid that means nothing here. */
async function assertNoServerAnswers(socketDirectory: string, cluster: string): Promise<void> {
  const response = await handshake(connectionIn(socketDirectory));
  if (response.kind === "absent") return;
  throw new EmbeddedPostgresError(
    `A database server that is not a process of this system answers for ${cluster}. It may run in another container ` +
      "on the same files. Stop it first.",
    { remedies: ["other_directory"] },
  );
}

/** Another server is starting, or backends of a killed one still hold its shared memory. */
const IN_USE = /lock file ".*" already exists|shared memory block .* is still in use/;

function serverOf(process: ServerProcess, connection: EmbeddedConnection, hasDatabase: boolean): Server {
  return { connection, hasDatabase, exited: process.exited, stop: () => stopProcess(process) };
}

/** Undefined when the server exited or did not answer for too long. */
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
  { onEvent, interrupted }: ServerOptions,
) {
  const startedAt = performance.now();
  let answeredAt = startedAt;
  let isReported = false;
  for (let pauseMs = 10; !server.hasExited(); pauseMs = Math.min(pauseMs * 1.5, 250)) {
    const response = await abortable(handshake(connection), interrupted);
    const now = performance.now();
    if (response.kind === "ready") return response;
    if (response.kind === "busy") answeredAt = now;
    if (now - answeredAt > SILENCE_TIMEOUT_MS || now - startedAt > RECOVERY_TIMEOUT_MS) return undefined;
    if (!isReported && now - startedAt > REPORT_RECOVERY_AFTER_MS) {
      isReported = true;
      onEvent({ event: "server_recovering" });
    }
    await abortable(sleep(pauseMs), interrupted);
  }
  return undefined;
}

function stillInUse({ directory }: DataPaths): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `Processes of an earlier database server still use ${directory}. Wait until they have exited, or end them.`,
  );
}

function didNotStart(paths: DataPaths, log: ServerLog): EmbeddedPostgresError {
  const lastLines = log.sinceOpened().trim().split("\n").slice(-5).join("\n");
  return new EmbeddedPostgresError(
    `The database in ${paths.directory} did not start. Its log (${paths.log}) ends:\n${lastLines}`,
  );
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it is aborted; `work` itself goes on. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  work.catch(() => {}); // after an abort its failure is irrelevant
  signal.throwIfAborted();
  const settled = new AbortController();
  const aborted = once(signal, "abort", { signal: settled.signal }).then(() => {
    throw signal.reason;
  });
  return Promise.race([work, aborted]).finally(() => settled.abort()) as Promise<T>;
}
