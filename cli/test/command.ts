/** Runs the command line as a child process, with arguments, environment and standard input. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));

/** `place` is the line that says where the checks were made, which `stderr` lacks. */
export type Run = { code: number | null; stdout: string; stderr: string; place: string };

const PLACE = /^checking (?:on this machine|at .*)\n/m;

/** `setup`: a shell command that precedes it, such as a limit or a redirection. */
export type RunOptions = { env?: Record<string, string>; input?: string | Uint8Array; setup?: string };

export function mailvet(args: readonly string[], { env, input = "", setup }: RunOptions = {}): Promise<Run> {
  const child = startMailvet(args, env, setup);
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
    child.on("close", (code) => {
      const place = PLACE.exec(stderr)?.[0].trimEnd() ?? "";
      resolve({ code, stdout, stderr: stderr.replace(PLACE, ""), place });
    });
  });
}

/** Starts it and returns the running process, for tests of streaming and signals. Killed at the end of the test. */
export function startMailvet(
  args: readonly string[],
  env: Record<string, string> = {},
  setup = "true",
): ChildProcessWithoutNullStreams {
  const child = spawn("sh", ["-c", `${setup} && exec "$@"`, "sh", process.execPath, MAIN, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => {}); // a command that needs no input may exit before reading any
  return child;
}

export function jsonLines<T>(text: string): T[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}
