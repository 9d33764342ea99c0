/**
 * Anonymous temporary file: unlinked right after opening, so no other process can open it and the kernel removes it
 * when this process exits.
 */
import { randomBytes } from "node:crypto";
import { openSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Returns the descriptor, open for reading and writing. */
export function openTempFile(): number {
  const path = join(tmpdir(), `mailvet-${randomBytes(12).toString("hex")}`);
  const fd = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  return fd;
}
