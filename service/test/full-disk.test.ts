/** Full disks under the log and under the database. The service stays up, reports it, and recovers when there is space. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { connectionIn } from "@mailvet/embedded-postgres";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { serverPid } from "../../embedded-postgres/test/launcher-program.ts";
import { freePort, openProgramInstallation, type Program, processesIn } from "./program.ts";
import { canMount, fillUp, mountSmall } from "./small-disk.ts";

const KEY = "a-key-that-the-operator-chose";
const PATIENCE = { timeout: 540_000, interval: 200 };

async function isReady(url: string): Promise<{ status: number; log?: string; detail?: string }> {
  const answer = await fetch(`${url}/health/ready`);
  return { ...((await answer.json()) as object), status: answer.status };
}

const ask = (url: string, path: string, init: RequestInit = {}) =>
  fetch(`${url}/api/v1${path}`, { ...init, headers: { "x-api-key": KEY, ...init.headers } });

async function droppedLines(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^mailvet_log_lines_dropped_total (\d+)/m.exec(metrics)?.[1]);
}

async function untilReady(program: Program, url: string): Promise<void> {
  await vi.waitFor(async () => {
    if (program.child.exitCode !== null) throw new Error(program.output());
    expect((await isReady(url)).status).toBe(200);
  }, PATIENCE);
}

test("unwritable standard output: lines are dropped and counted, and the service answers and stops", async () => {
  await using installation = openProgramInstallation();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const full = openSync("/dev/full", "w");
  const program = installation.launch({ PORT: String(port), BOOTSTRAP_API_KEY: KEY }, { stdout: full });
  closeSync(full);
  await untilReady(program, url);
  for (let n = 0; n < 50; n++) expect((await ask(url, "/account")).status).toBe(200);
  await vi.waitFor(async () => expect(await droppedLines(url)).toBeGreaterThan(40), PATIENCE);
  await expect.poll(() => isReady(url), PATIENCE).toMatchObject({ status: 200, log: "dropping" });
  expect((await fetch(`${url}/health/live`)).status).toBe(200);
  program.child.kill("SIGTERM");
  expect(await program.exit()).toBe(0);
  expect(processesIn(installation.dataDirectory)).toEqual([]);
});

test.skipIf(!canMount)(
  "a log file on a full disk loses lines until there is space again (needs mount privileges)",
  async () => {
    using small = mountSmall("64k");
    await using installation = openProgramInstallation();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const path = join(small.folder, "log");
    const file = openSync(path, "a");
    const program = installation.launch({ PORT: String(port), BOOTSTRAP_API_KEY: KEY }, { stdout: file });
    closeSync(file);
    await untilReady(program, url);
    await expect.poll(() => readFileSync(path, "utf8"), PATIENCE).toContain("listens on");
    fillUp(join(small.folder, "filler"));

    await vi.waitFor(async () => {
      expect((await ask(url, "/account")).status).toBe(200);
      expect(await isReady(url)).toMatchObject({ status: 200, log: "dropping" });
    }, PATIENCE);
    rmSync(join(small.folder, "filler"));
    const sizeBytes = statSync(path).size;
    await vi.waitFor(async () => {
      expect((await ask(url, "/account")).status).toBe(200);
      expect(statSync(path).size).toBeGreaterThan(sizeBytes);
      expect(await isReady(url)).toEqual({ status: 200 });
    }, PATIENCE);
    expect(await droppedLines(url)).toBeGreaterThan(0);
    program.child.kill("SIGTERM");
    expect(await program.exit()).toBe(0);
  },
);

test.skipIf(!canMount)(
  "a database on a full disk, its WAL too: 503, not ready, and recovery when there is space (needs mount privileges)",
  async () => {
    using small = mountSmall("200m");
    await using installation = openProgramInstallation(mkdtempSync(join(small.folder, "data-")));
    const program = await installation.start({ BOOTSTRAP_API_KEY: KEY, ADMIN_CREDITS: "1000" });
    const { url } = program;
    const filler = join(small.folder, "filler");
    const rows = Array.from({ length: 20_000 }, (_, n) => `person-${n}@mailvet.test`).join("\n");
    const upload = () => {
      const form = new FormData();
      form.append("file", new Blob([`email\n${rows}\n`]), "list.csv");
      return ask(url, "/bulk/upload/preview", { method: "POST", body: form });
    };
    expect((await upload()).status, await (await upload()).text()).toBe(200);

    fillUp(filler);
    await vi.waitFor(async () => {
      const answer = await upload();
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    }, PATIENCE);
    expect((await isReady(url)).status).toBe(503);
    // Rows that fit into existing pages are still written; no response is a 500.
    for (let n = 0; n < 300; n++) {
      const answer = await ask(url, `/validation/single?email=valid+${n}@mailvet.test`);
      expect([200, 503], await answer.text()).toContain(answer.status);
    }
    rmSync(filler);
    await untilReady(program, url);
    expect((await upload()).status).toBe(200);

    // A new WAL segment ends the server, which cannot restart until there is space.
    const server = serverPid(installation.dataDirectory);
    fillUp(filler);
    const admin = new pg.Client(connectionIn(join(installation.dataDirectory, "run")));
    admin.on("error", () => {});
    await admin.connect();
    for (let n = 0; n < 20 && serverPid(installation.dataDirectory) === server; n++) {
      await admin.query("select pg_switch_wal(), txid_current()").catch(() => {});
    }
    await admin.end().catch(() => {});
    await vi.waitFor(() => expect(serverPid(installation.dataDirectory)).toBeUndefined(), PATIENCE);
    await vi.waitFor(async () => expect((await isReady(url)).status).toBe(503), PATIENCE);
    const answer = await ask(url, "/credits");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    rmSync(filler);
    await untilReady(program, url);
    expect((await upload()).status).toBe(200);
    expect(program.child.exitCode).toBeNull();
    program.child.kill("SIGTERM");
    expect(await program.exit()).toBe(0);
  },
);
