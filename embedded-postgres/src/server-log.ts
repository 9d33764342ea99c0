/** The server's log file. A start that finds it too long renames it to `.1` and begins a new one. */
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { changeOwnerIfNew, type RunAsUser } from "./run-as-user.ts";

export type ServerLog = Disposable & {
  descriptor: number;
  /** The last lines written since it was opened. */
  sinceOpened(): string;
};

const LONG_LOG_BYTES = 8 * 1024 * 1024;
const TAIL_BYTES = 4096;

export function openServerLog(path: string, user?: RunAsUser): ServerLog {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LONG_LOG_BYTES) renameSync(path, `${path}.1`);
  // The directory may belong to the database's user while this process is root: symbolic links are not followed.
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const descriptor = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  changeOwnerIfNew(user, descriptor);
  const opened = fstatSync(descriptor).size;
  return {
    descriptor,
    sinceOpened() {
      const from = Math.max(opened, fstatSync(descriptor).size - TAIL_BYTES);
      const tail = Buffer.alloc(TAIL_BYTES);
      return tail.toString("utf8", 0, readSync(descriptor, tail, 0, TAIL_BYTES, from));
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}
