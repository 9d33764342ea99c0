/** Stories that start our programs start what is shipped: the build. Made current before the first of them runs. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROGRAMS = ["lab", "service", "cli"]; // and with them what they stand on

export default function buildBeforeTests(): void {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-b", ...PROGRAMS], { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) throw new Error("The build failed, so the programs cannot be tried.");
}
