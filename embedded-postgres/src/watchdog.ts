/**
 * Stops the server when its parent was killed with kill -9.
 *
 * A shell process holds a pipe to the parent. When the pipe closes, the next start has some seconds to adopt the server
 * (server.ts); otherwise the watchdog stops it cleanly. The owner of the server is recorded in a file, and a process that
 * adopts it writes its own id there first. If both happen at the same moment, the server is restarted (supervisor.ts).
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import type { DataPaths } from "./data-directory.ts";
import { changeOwnerIfNew, processIdentity, type RunAsUser } from "./run-as-user.ts";
import { SERVER_ENVIRONMENT } from "./server-arguments.ts";
import type { ServerProcess } from "./server-process.ts";

/** Longer than process managers usually wait before a restart. */
export const ORPHAN_GRACE_SECONDS = 10;

/** $1: the server's pid, $2: its cluster, $3: the file that names the owner, $4: the owner, $5: seconds of grace. */
const WATCH = `
while read -r _; do :; done
left=$5
while [ "$left" -gt 0 ]; do
  kill -0 "$1" 2>/dev/null || exit 0
  [ "$(cat "$3")" = "$4" ] || exit 0
  sleep 1
  left=$((left - 1))
done
[ "$(cat "$3")" = "$4" ] || exit 0
[ "$(head -n 1 "$2/postmaster.pid")" = "$1" ] || exit 0
[ ! -d "/proc/$1" ] || [ "/proc/$1/cwd" -ef "$2" ] || exit 0
kill -INT "$1"
`;

/** Watches a server for as long as it runs. Without /bin/sh there is no watchdog; everything else works. */
export function startWatchdog(
  server: Pick<ServerProcess, "pid" | "exited">,
  options: { paths: DataPaths; user: RunAsUser | undefined; orphanGraceSeconds?: number | undefined },
): void {
  const { paths, user, orphanGraceSeconds = ORPHAN_GRACE_SECONDS } = options;
  if (server.pid === undefined) return;
  const owner = `${process.pid} ${randomUUID()}`;
  writeOwner(paths.serverOwner, owner, user);
  const args = [server.pid, paths.cluster, paths.serverOwner, owner, orphanGraceSeconds].map(String);
  const watchdog = spawn("/bin/sh", ["-c", WATCH, "embedded-postgres-watchdog", ...args], {
    ...processIdentity(user),
    cwd: "/",
    env: SERVER_ENVIRONMENT,
    stdio: ["pipe", "ignore", "ignore"],
    detached: true, // Ctrl-C must not reach it
  });
  watchdog.on("error", () => {});
  watchdog.stdin.on("error", () => {});
  watchdog.unref();
  (watchdog.stdin as unknown as { unref(): void }).unref();
  void server.exited.then(() => watchdog.kill("SIGKILL"));
}

/** If the write fails, as on a full disk, an earlier watchdog may stop the server, which is then restarted. */
function writeOwner(path: string, owner: string, user: RunAsUser | undefined): void {
  try {
    // The directory may belong to the database's user while this process is root: symbolic links are not followed.
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
    const file = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    changeOwnerIfNew(user, file);
    writeSync(file, `${owner}\n`);
    closeSync(file);
  } catch {}
}
