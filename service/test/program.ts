/** The service as its own process, as npm start runs it, on an embedded database in a directory of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { killServer, serverPid } from "./embedded-world.ts";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));

export type Program = {
  child: ChildProcess;
  /** Everything it has said so far. */
  words(): string;
  /** Where it listens; empty when it did not come so far. */
  url: string;
  /** How it ended. */
  exit(): Promise<number | null>;
};

export type ProgramHouse = AsyncDisposable & {
  folder: string;
  dataDirectory: string;
  /** Resolves when it listens, or has ended. */
  start(env?: Record<string, string>, cwd?: string): Promise<Program>;
};

export function openProgramHouse(): ProgramHouse {
  const folder = mkdtempSync(join(tmpdir(), "mailvet-program-"));
  chmodSync(folder, 0o755); // root runs the database as somebody else, who must get there
  const dataDirectory = join(folder, "data");
  const started: ChildProcess[] = [];
  return {
    folder,
    dataDirectory,
    async start(env = {}, cwd = folder) {
      const child = spawn(process.execPath, [MAIN], {
        env: { PATH: process.env.PATH, PORT: "0", DATA_DIR: dataDirectory, ...env },
        cwd,
      });
      started.push(child);
      let words = "";
      await new Promise<void>((resolve) => {
        for (const stream of [child.stdout, child.stderr]) {
          stream.on("data", (chunk) => {
            words += chunk;
            if (/The API is described at/.test(words)) resolve();
          });
        }
        child.once("close", () => resolve());
      });
      return {
        child,
        words: () => words,
        url: /listens on (http:\S+)/.exec(words)?.[1] ?? "",
        exit: async () => {
          if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
          return child.exitCode;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      for (const child of started) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      if (serverPid(dataDirectory) !== undefined) await killServer(dataDirectory);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
