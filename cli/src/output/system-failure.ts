/** Failures of the system, such as a full disk, as one line for the user instead of a stack trace. */
import { getSystemErrorMap } from "node:util";

/** A system call failed, mostly a write. The message is shown to the user. */
export class SystemFailure extends Error {
  override readonly name = "SystemFailure";
}

/** `what` is what a failed write was to write. Returns an error that is not of the system unchanged. */
export function explainSystemError(error: unknown, what = "the results"): unknown {
  if (!(error instanceof Error) || !("errno" in error) || !("syscall" in error)) return error;
  const { syscall, path } = error as NodeJS.ErrnoException;
  const action =
    syscall === "write" || syscall === "fsync" ? `write ${what}` : [syscall, path].join(" ").trim();
  return new SystemFailure(`cannot ${action}: ${systemErrorText(error)}`);
}

/** "no such file or directory", without code and path; of another error, its message. */
export function systemErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [, text = error.message] = getSystemErrorMap().get((error as NodeJS.ErrnoException).errno!) ?? [];
  return text;
}
