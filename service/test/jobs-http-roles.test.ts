/** API and worker as separate processes: which accepts jobs, which runs them, and which listens where. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { BadSettings } from "@mailvet/engine";
import { expect, test, vi } from "vitest";
import { readConfig } from "../src/config.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { beginHeld, listsOf, setDue } from "./jobs-http-world.ts";
import { PATIENCE } from "./patience.ts";
import { expectProblem } from "./problems.ts";
import { openService, urlOf } from "./service.ts";
import { SERVICE_PROGRAM } from "./service-program.ts";

const SHARED = { DATABASE_URL: "postgres://mailvet@db.example/mailvet", DATA_DIR: "/srv/mailvet" };
const LIST = "email\nvalid@mailvet.test\ngreylisted-then-valid@mailvet.test\nmailbox-full@mailvet.test\n";

test("ROLE=worker and ROLE=api require an external database", () => {
  for (const ROLE of ["api", "worker"]) {
    expect(() => readConfig({ ROLE }, ".")).toThrow(BadSettings);
    expect(() => readConfig({ ROLE }, ".")).toThrow(/ROLE.*DATABASE_URL to be set as well/);
    expect(readConfig({ ROLE, ...SHARED }, ".")).toMatchObject({ role: ROLE });
  }
  expect(readConfig({}, ".")).toMatchObject({ role: "all", listens: true });
  expect(() => readConfig({ ROLE: "boss" }, ".")).toThrow(/ROLE/);
});

test("a worker listens only on the configured address", () => {
  expect(readConfig({ ROLE: "worker", ...SHARED }, ".").listens).toBe(false);
  expect(readConfig({ ROLE: "worker", ...SHARED, PORT: "8081" }, ".")).toMatchObject({
    listens: true,
    port: 8081,
  });
  expect(readConfig({ ROLE: "api", ...SHARED }, ".").listens).toBe(true);
});

test.concurrent("the API accepts a job, a worker runs it, and the API reports it", async () => {
  await using database = await openTestDatabase();
  await using api = await openService({ database, env: { ROLE: "api" } });
  const lists = listsOf(api, await api.openAccount());
  const { id } = await lists.begin(LIST);
  const second = await lists.begin(LIST);
  for (const move of ["pause", "resume"]) {
    const refused = await lists.ask(`/bulk/jobs/${second.id}/${move}`, { method: "POST" });
    await expectProblem(api, refused, "job_state_conflict"); // still queued
  }
  expect(await lists.move(second.id, "cancel")).toMatchObject({ status: "cancelled", credits_used: 0 });
  const events = lists.ask(`/bulk/jobs/${id}/events`);
  expect((await lists.ask(`/bulk/jobs/${id}?wait=1`)).body).toMatchObject({ status: "queued", processed: 0 });

  await using worker = await openService({ database, env: { ROLE: "worker" } });
  const job = await lists.ended(id);
  expect(job).toMatchObject({ status: "completed", processed: 3, valid_count: 2, credits_used: 3 });
  expect((await events).text).toMatch(/^event: end\n.*"status":"completed"/m);
  expect((await lists.download(id)).map((cells) => cells[2])).toEqual([
    "mailvet_sub_status",
    "",
    "",
    "mailbox_full",
  ]);

  const health = await fetch(`${worker.url}/health/ready`);
  expect(health.status).toBe(200);
  await vi.waitFor(async () => {
    const metrics = await (await fetch(`${worker.url}/metrics`)).text();
    expect(metrics).toContain('mailvet_job_rows_total{sandbox="true"} 3\n');
    expect(metrics).toContain('mailvet_queue_tasks{queue="slice",state="due"} 0\n');
    expect(metrics).toContain("mailvet_credits_charged_total 3\n");
  }, PATIENCE);
  const elsewhere = await worker.ask("/bulk/jobs");
  expect([elsewhere.status, elsewhere.body.code]).toEqual([404, "not_found"]);
});

test.concurrent("a worker process listens nowhere, runs jobs, and releases unfinished tasks to the next", async () => {
  await using database = await openTestDatabase();
  await using api = await openService({ database, env: { ROLE: "api" } });
  const lists = listsOf(api, await api.openAccount());
  const first = await startWorker(database);
  try {
    expect(first.output()).toContain("mailvet works on jobs, 16 slices at a time\n");
    expect(portsOf(first.pid)).toEqual([]);
    const job = await beginHeld(lists, database.pool, "email\nvalid@mailvet.test\nslow-3s@mailvet.test\n");
    expect(await first.stop()).toBe(0);
    expect(await lists.job(job.id)).toMatchObject({ status: "processing", processed: 1 });

    await setDue(database.pool, job.id, "0");
    await using _next = await openService({ database, env: { ROLE: "worker" } });
    expect(await lists.ended(job.id)).toMatchObject({ status: "completed", valid_count: 2, credits_used: 2 });
  } finally {
    await first.stop();
  }
});

async function startWorker(database: TestDatabase) {
  const child = spawn(process.execPath, SERVICE_PROGRAM, {
    env: {
      PATH: process.env.PATH,
      ROLE: "worker",
      DATABASE_URL: urlOf(database),
      DATA_DIR: database.dataDirectory,
      DNS_SERVERS: "127.0.0.1:9",
      STOP_TIMEOUT_SECONDS: "45",
    },
    cwd: fileURLToPath(new URL("../dist", import.meta.url)),
  });
  const exit = once(child, "exit");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  await expect.poll(() => output).toMatch(/mailvet works on jobs.*\n/);
  return {
    pid: child.pid!,
    output: () => output,
    stop: async () => {
      child.kill("SIGTERM");
      const [code] = await exit;
      return code;
    },
  };
}

/** Listening sockets of a process, from the operating system. */
function portsOf(pid: number): string[] {
  const listening = ["tcp", "tcp6"].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === "0A"),
  );
  const own = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkTarget(`/proc/${pid}/fd/${fd}`)));
  return listening.filter((line) => own.has(`socket:[${line[9]}]`)).map((line) => line[1]!);
}

/** Nothing for a descriptor that the process has closed since. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
