/** Runs `npm run demo` as a child process on a free port with a temporary data directory. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import type { Role } from "./shots.ts";

export type Demo = AsyncDisposable & {
  url: string;
  signIn(page: Page, role: Exclude<Role, "anonymous">): Promise<void>;
};

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const READY_WITHIN_MS = 600_000; // only catches hangs

export async function openDemo(): Promise<Demo> {
  const directory = await mkdtemp(join(tmpdir(), "mailvet-demo-"));
  await chmod(directory, 0o755); // started by root, the database runs as another user
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [
      "--import",
      "tsx",
      "--import",
      "./scripts/preload-leave-with-parent.mjs",
      "--conditions=source",
      "service/demo/main.ts",
    ],
    {
      cwd: ROOT,
      env: { ...process.env, PORT: String(port), DATA_DIR: join(directory, "data") },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const output = await readyOutput(child);
    return {
      url: capture(output, /Open (\S+) and sign in/)[0]!,
      async signIn(page, role) {
        const credentials =
          role === "operator"
            ? /as the operator +(\S+) +password: (.+)/
            : /as a customer +(\S+) +password: (.+)/;
        const [email, password] = capture(output, credentials);
        await page.goto("/sign-in");
        await page.getByLabel("Email").fill(email!);
        await page.getByLabel("Password", { exact: true }).fill(password!);
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByRole("button", { name: /^Account / }).waitFor();
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The output of the demo up to its ready message. */
async function readyOutput(child: ChildProcess): Promise<string> {
  const timeout = AbortSignal.timeout(READY_WITHIN_MS);
  let output = "";
  child.stdout!.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  while (!output.includes("Ctrl-C")) {
    timeout.throwIfAborted();
    if (child.exitCode !== null) throw new Error(`the demo exited:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return output;
}

function capture(text: string, pattern: RegExp): string[] {
  const match = pattern.exec(text);
  if (!match) throw new Error(`the demo's output does not match ${pattern}`);
  return match.slice(1);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
