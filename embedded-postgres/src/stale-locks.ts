/**
 * Removes the lock file, the socket and the socket's lock that a killed server left behind. Call it only after
 * postmaster-file.ts has found no running server, and while holding the directory lock.
 */
import { rmSync } from "node:fs";
import { connectionIn } from "./connection.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { postmasterFileOf, readPostmasterFile } from "./postmaster-file.ts";
import type { RunAsUser } from "./run-as-user.ts";
import { handshake } from "./server-handshake.ts";
import { isPrivate, socketIn } from "./socket-directory.ts";

export async function removeStaleLocks(options: {
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
