/**
 * Fails when a process that tests started has outlived them: its working directory is one of their temporary ones, and
 * its parent has ended. A database server whose service was killed has some seconds to end.
 *
 *   node scripts/orphans.mjs
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const PATIENCE_MS = 60_000;
const OURS = join(tmpdir(), "mailvet-");

const giveUpAt = Date.now() + PATIENCE_MS;
let left = orphans();
while (left.length > 0 && Date.now() < giveUpAt) {
  await delay(500);
  left = orphans();
}
for (const { pid, command } of left) process.stderr.write(`mailvet: left behind: ${pid} ${command}\n`);
process.exit(left.length === 0 ? 0 : 1);

function orphans() {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const parent = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1];
        if (parent !== "1" || !readlinkSync(`/proc/${pid}/cwd`).startsWith(OURS)) return [];
        return [{ pid, command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ") }];
      } catch {
        return []; // it has just ended
      }
    });
}
