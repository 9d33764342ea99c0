/** Small file systems for tests of a full disk. Mounting them needs privileges. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";

/** A separate file system of this size. */
export function mountSmall(size: string): Disposable & { folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "mailvet-small-"));
  const remove = () => rmSync(folder, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=0755`, "tmpfs", folder], {
      stdio: "pipe",
    });
  } catch (error) {
    remove();
    throw error;
  }
  return {
    folder,
    [Symbol.dispose]() {
      execFileSync("umount", ["--lazy", folder]);
      remove();
    },
  };
}

export const canMount = (() => {
  try {
    using _ = mountSmall("64k");
    return true;
  } catch {
    return false;
  }
})();

/** Fills the remaining space with a file. */
export function fillUp(path: string): void {
  const chunk = Buffer.alloc(1024 * 1024, "x");
  for (let size = chunk.length; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(path, chunk.subarray(0, size), { flag: "a" });
    } catch (error) {
      expect(error).toMatchObject({ code: "ENOSPC" });
    }
  }
}
