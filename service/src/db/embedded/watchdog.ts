/**
 * Ends the server of a service that was killed with kill -9, which cannot do it itself.
 *
 * A shell process holds a pipe to the service. When the pipe closes, it gives the next service some seconds to adopt the
 * server (server.ts), and otherwise ends the server in good order. Who owns the server is in a file: a service that
 * adopts it writes its own name there first. Should that come at the very moment at which the watchdog acts, the server
 * is started again like any other that has ended (supervisor.ts).
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import type { DataPlaces } from "./data-directory.ts";
import { handOverIfNew, processIdentity, type RunAsUser } from "./run-as-user.ts";
import type { ServerProcess } from "./server-process.ts";
import { SERVER_ENVIRONMENT } from "./server-settings.ts";

/** Longer than supervisors usually wait before they start a service again. */
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

/** Begins to watch over a server, for as long as it runs. Without a shell there is no watchdog, and all else works. */
export function startWatchdog(
  server: Pick<ServerProcess, "pid" | "exited">,
  options: { places: DataPlaces; user: RunAsUser | undefined; orphanGraceSeconds?: number | undefined },
): void {
  const { places, user, orphanGraceSeconds = ORPHAN_GRACE_SECONDS } = options;
  if (server.pid === undefined) return;
  const owner = `${process.pid} ${randomUUID()}`;
  writeOwner(places.serverOwner, owner, user);
  const args = [server.pid, places.cluster, places.serverOwner, owner, orphanGraceSeconds].map(String);
  const watchdog = spawn("/bin/sh", ["-c", WATCH, "mailvet-watchdog", ...args], {
    ...processIdentity(user),
    cwd: "/",
    env: SERVER_ENVIRONMENT,
    stdio: ["pipe", "ignore", "ignore"],
    detached: true, // Ctrl-C is not for it
  });
  watchdog.on("error", () => {});
  watchdog.stdin.on("error", () => {});
  watchdog.unref();
  (watchdog.stdin as unknown as { unref(): void }).unref();
  void server.exited.then(() => watchdog.kill("SIGKILL"));
}

/** When it cannot be written, as on a full disk, an earlier watchdog may end the server, which is then started again. */
function writeOwner(path: string, owner: string, user: RunAsUser | undefined): void {
  try {
    // The directory may belong to the database's user while we are root: a link planted there is not followed.
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
    const file = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    handOverIfNew(user, file);
    writeSync(file, `${owner}\n`);
    closeSync(file);
  } catch {}
}
