import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TSX = import.meta.resolve("tsx");
const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** Starts the service as its own process, as npm start does, and waits for its first words. */
async function start(env: Record<string, string>, cwd = ROOT) {
  const child = spawn(process.execPath, ["--import", TSX, "--conditions=source", MAIN], {
    env: { PATH: process.env.PATH, ...env },
    cwd,
  });
  started.push(child);
  let words = "";
  const heard = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        words += chunk;
        if (words.includes("\n")) resolve();
      });
    }
    child.once("exit", () => resolve());
  });
  await heard;
  return { child, words: () => words, url: /http:\/\/[^\s]+/.exec(words)?.[0] ?? "" };
}

test("it says where it listens, answers there, and leaves cleanly on SIGTERM", async () => {
  const service = await start({ PORT: "0" });

  const live = await fetch(`${service.url}/health/live`);
  expect(live.status).toBe(200);
  expect(await live.json()).toEqual({ status: "live" });

  service.child.kill("SIGTERM");
  expect(await once(service.child, "exit")).toEqual([0, null]);
});

test("an unknown path is a problem document that carries the request's id", async () => {
  const service = await start({ PORT: "0" });

  const answer = await fetch(`${service.url}/nothing?here=1`);

  expect(answer.status).toBe(404);
  expect(answer.headers.get("content-type")).toContain("application/problem+json");
  expect(await answer.json()).toMatchObject({
    code: "not_found",
    status: 404,
    detail: "GET /nothing is not part of this API.",
    request_id: answer.headers.get("x-request-id"),
  });
});

test("settings may stand in a file beside it, and the environment has the last word", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailvet-env-"));
  writeFileSync(join(folder, ".env"), "PORT=eighty\n");
  const service = await start({}, folder);
  expect(service.words()).toContain("PORT=eighty");
  const overruled = await start({ PORT: "0" }, folder);
  expect(overruled.words()).toContain("listens on");
  rmSync(folder, { recursive: true });
});

test("every bad setting is named at once, and nothing starts", async () => {
  const service = await start({ PORT: "eighty" });
  const [code] =
    service.child.exitCode === null ? await once(service.child, "exit") : [service.child.exitCode];
  expect(code).toBe(2);
  expect(service.words()).toContain("PORT=eighty: expected a whole number from 0 to 65535");
});

test("a port that is taken is said in words, with the way out", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  const service = await start({ PORT: String(port) });
  expect(service.words()).toContain("set PORT to a free port");
  other.close();
});
