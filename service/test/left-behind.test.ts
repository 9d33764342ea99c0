/** Processes started by a test, a benchmark or the demo end with it, also after kill -9. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isRunning } from "@mailvet/embedded-postgres";
import { expect, test } from "vitest";
import { processesIn } from "./program.ts";
import { SERVICE_PROGRAM } from "./service-program.ts";

/** Starts the service as every test does, prints its pid when it listens, and never exits. */
const STARTER = `
  const { spawn } = require("node:child_process");
  const child = spawn(process.execPath, JSON.parse(process.argv[1]), { env: process.env });
  child.stdout.on("data", (chunk) => /described at/.test(chunk) && console.log(child.pid));
  child.stderr.pipe(process.stderr);
`;

test.skipIf(process.platform !== "linux")(
  "the service and its database end when the process that started them is killed",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "mailvet-left-"));
    chmodSync(folder, 0o755); // as root, the database runs as another user, who needs access
    const dataDirectory = join(folder, "data");
    const starter = spawn(process.execPath, ["-e", STARTER, JSON.stringify(SERVICE_PROGRAM)], {
      env: { PATH: process.env.PATH, PORT: "0", DATA_DIR: dataDirectory },
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const [said] = (await once(starter.stdout, "data")) as [Buffer];
      const service = Number(said);
      expect(isRunning(service)).toBe(true);
      expect(processesIn(dataDirectory).length).toBeGreaterThan(0);
      starter.kill("SIGKILL");
      while (isRunning(service) || processesIn(dataDirectory).length > 0) await delay(50); // timing: poll interval
    } finally {
      starter.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
