/** Runs the command line as its users do: as a process, with arguments, environment and standard input. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

export type Run = { code: number | null; stdout: string; stderr: string };

export function mailvet(
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string } = {},
): Promise<Run> {
  const child = spawn(process.execPath, ["--import", "tsx", "--conditions=source", MAIN, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
  });
  child.stdin.on("error", () => {}); // a command that needs no input may be gone before it has read any
  child.stdin.end(options.input ?? "");
  return new Promise((resolve) => {
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

export function jsonLines<T>(text: string): T[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}
