/** A service with an embedded database, started as a child process, for benchmarks. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SERVICE_PROGRAM } from "../test/service-program.ts";
import { KEY } from "./list-run.ts";

export type BenchService = AsyncDisposable & {
  url: string;
  pid: number;
  /** For files of the benchmark; deleted at the end. */
  folder: string;
};

export const CREDITS = 100_000_000;

const OPERATOR = { email: "operator@bench.example", password: "the password of the operator" };
/** For `openAccount`. */
export const OPERATOR_ENV = { ADMIN_EMAIL: OPERATOR.email, ADMIN_PASSWORD: OPERATOR.password };

/** The operator's API key is `KEY`. */
export async function startBenchService(env: NodeJS.ProcessEnv): Promise<BenchService> {
  const folder = mkdtempSync(join(tmpdir(), "mailvet-bench-"));
  chmodSync(folder, 0o755); // as root, the database runs as another user, who needs access
  const child = spawn(process.execPath, SERVICE_PROGRAM, {
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      DATA_DIR: join(folder, "data"),
      BOOTSTRAP_API_KEY: KEY,
      ADMIN_CREDITS: String(CREDITS),
      NODE_ENV: "production",
      ...env,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { url: await addressOf(child), pid: child.pid!, folder, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The URL of a service, read from its start message. */
export function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout!.on("data", (chunk) => {
      said += chunk;
      const address = /listens on (http:\/\/\S+)/.exec(said)?.[1];
      if (address) resolve(address);
    });
    child.once("exit", () => reject(new Error(`the service did not start: ${said}`)));
  });
}

/** Another account than the operator's, with credits. Returns a key. */
export async function openAccount(base: string, credits = 100_000): Promise<string> {
  const post = async (path: string, body: object, cookie = "", method = "POST") => {
    const headers = { "content-type": "application/json", cookie };
    const answer = await fetch(`${base}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    const [set = ""] = answer.headers.getSetCookie();
    return { cookie: set.split(";", 1)[0]!, body: (await answer.json()) as never };
  };
  const operator = await post("/auth/sign-in", OPERATOR);
  const account = await post("/auth/sign-up", {
    email: "ann@bench.example",
    password: "the password of ann",
  });
  const { id } = (account.body as { account: { id: string } }).account;
  await post(`/operator/accounts/${id}`, { plan: "enterprise" }, operator.cookie, "PATCH");
  await post(`/operator/accounts/${id}/grants`, { amount: credits }, operator.cookie);
  const made = await post("/keys", { name: "bench" }, account.cookie);
  return (made.body as { key: string }).key;
}
