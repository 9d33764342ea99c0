/**
 * Removes what a server that was killed has left in the way of the next one: its lock file, its socket and the lock of
 * that. Call it only after postmaster-file.ts has found no living server, and while holding the service lock.
 */
import { rmSync } from "node:fs";
import { connectionIn } from "./connection.ts";
import { greet } from "./greeting.ts";
import { postmasterFileOf, readPostmasterFile } from "./postmaster-file.ts";
import type { RunAsUser } from "./run-as-user.ts";
import { isPrivate, socketIn } from "./socket-directory.ts";
import { EmbeddedPostgresError } from "./trouble.ts";

export async function removeStaleLocks(options: {
  cluster: string;
  socketDirectory: string;
  user: RunAsUser | undefined;
}): Promise<void> {
  const { cluster, socketDirectory, user } = options;
  const left = readPostmasterFile(cluster)?.socketDirectory;
  for (const directory of new Set([socketDirectory, left ?? socketDirectory])) {
    if (!isPrivate(directory, user)) continue;
    await makeSureNobodyAnswers(directory, cluster);
    rmSync(socketIn(directory), { force: true });
    rmSync(`${socketIn(directory)}.lock`, { force: true });
  }
  // Processes of the dead server that have not noticed yet still hold its shared memory, and the next server
  // refuses to start over them, with or without this file.
  rmSync(postmasterFileOf(cluster), { force: true });
}

/** In another container on the same files a server lives under a number that means nothing here. */
async function makeSureNobodyAnswers(socketDirectory: string, cluster: string): Promise<void> {
  const greeting = await greet(connectionIn(socketDirectory));
  if (greeting.kind === "absent") return;
  throw new EmbeddedPostgresError(
    `A database server that is no process of this system answers for ${cluster}; it may run in another container ` +
      "on the same files. Stop it first, or give this service a directory of its own with DATA_DIR.",
  );
}
