/** Runs the command line as its users do: as a process, with arguments, environment and standard input. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));

export type Run = { code: number | null; stdout: string; stderr: string };

export type Circumstances = { env?: Record<string, string>; input?: string };

export function mailvet(args: readonly string[], { env, input = "" }: Circumstances = {}): Promise<Run> {
  const child = startMailvet(args, env);
  child.stdin.end(input);
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

/** The same while it runs, for stories about what is seen when. It ends with the test, whatever becomes of that. */
export function startMailvet(
  args: readonly string[],
  env: Record<string, string> = {},
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => {}); // a command that needs no input may be gone before it has read any
  return child;
}

export function jsonLines<T>(text: string): T[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}
