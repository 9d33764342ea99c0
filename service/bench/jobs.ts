/**
 * A list end to end on the embedded database: upload and preview, confirm, process, download, with single checks
 * running meanwhile. Once with 100,000 rows and once with 1,000,000: memory and speed must not depend on the size.
 *
 *   npm run bench:jobs [rows [rows …]]
 *
 * Or the cost of AI enhancement: the same list several times, alternately with and without it.
 *
 *   npm run bench:jobs -- --ai [rows]
 */
import { createWriteStream, openAsBlob } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Job, UploadPreview } from "@mailvet/contract";
import { startBenchService } from "./bench-service.ts";
import { KEY } from "./list-run.ts";
import { cpuSecondsOf, peakOf } from "./process-figures.ts";

const AI = "--ai";
const SIZES = process.argv
  .slice(2)
  .filter((word) => word !== AI)
  .map(Number);
const [SMALL, LARGE] = [100_000, 1_000_000];
const IDLE_SECONDS = 10;
const CHECK_EVERY_MS = 10;
const AI_ROUNDS = 4;
/** Outcomes of the sandbox, so that verdicts of all kinds are written. */
const NAMES = ["valid", "mailbox-not-found", "catch-all", "role-based", "disposable", "smtp-timeout"];

type Step = "preview" | "confirm" | "process" | "download";
type Seen = {
  rowsPerSecond: Record<Step, number>;
  seconds: Record<Step, number>;
  /** Of the service, while it works on the list and answers single checks. */
  processCpuSeconds: number;
  peakMiB: number;
  idleP99: number;
};

if (process.argv.includes(AI)) {
  await compareAi(SIZES[0] ?? SMALL);
} else {
  const seen = new Map<number, Seen>();
  for (const rows of SIZES.length > 0 ? SIZES : [SMALL, LARGE]) seen.set(rows, await measure(rows));
  compare(seen.get(SMALL), seen.get(LARGE));
}

async function measure(rows: number, env: Record<string, string> = {}): Promise<Seen> {
  await using service = await startBenchService({
    MAX_CSV_EMAILS: String(LARGE),
    LOG_LEVEL: "warn",
    ...env,
  });
  const file = join(service.folder, "list.csv");
  await pipeline(Readable.from(listOf(rows)), createWriteStream(file));
  const base = `${service.url}/api/v1`;
  await singleChecks(base, () => pause(2_000)); // warm
  const idle = await singleChecks(base, () => pause(IDLE_SECONDS * 1000));
  const seconds = {} as Seen["seconds"];
  const checks = {} as Record<Step, Checks>;
  const step = async <T>(name: Step, work: () => Promise<T>): Promise<T> => {
    let result: T;
    const startedAt = performance.now();
    checks[name] = await singleChecks(base, async () => {
      result = await work();
      seconds[name] = (performance.now() - startedAt) / 1000;
    });
    return result!;
  };
  const preview = await step("preview", () => upload(base, file));
  const confirmed = await step("confirm", () =>
    ask<Job>(`${base}/bulk/upload/confirm`, {
      upload_id: preview.upload_id,
      email_column: preview.suggested_email_column,
    }),
  );
  const cpuBefore = cpuSecondsOf(service.pid);
  const job = await step("process", () => ended(base, confirmed.id));
  const processCpuSeconds = cpuSecondsOf(service.pid) - cpuBefore;
  if (job.status !== "completed" || job.processed !== rows) throw new Error(JSON.stringify(job));
  const lines = await step("download", () => countLines(`${base}/bulk/jobs/${job.id}/download`));
  if (lines !== rows + 1) throw new Error(`the download has ${lines} lines`);

  const peakMiB = peakOf(service.pid);
  const rowsPerSecond = {} as Seen["rowsPerSecond"];
  console.log(`\n${rows.toLocaleString("en")} rows; peak RSS of the service ${peakMiB.toFixed(0)} MiB`);
  console.log(`  idle       ${words(idle)}`);
  for (const name of Object.keys(seconds) as Step[]) {
    rowsPerSecond[name] = rows / seconds[name];
    console.log(
      `  ${name.padEnd(10)} ${seconds[name].toFixed(2).padStart(7)} s  ` +
        `${Math.round(rowsPerSecond[name]).toLocaleString("en").padStart(9)} rows/s; ` +
        `${words(checks[name])} = ${(checks[name].p99Ms / idle.p99Ms).toFixed(1)} × idle`,
    );
  }
  return { rowsPerSecond, seconds, processCpuSeconds, peakMiB, idleP99: idle.p99Ms };
}

function compare(small: Seen | undefined, large: Seen | undefined): void {
  if (!small || !large) return;
  const memory = large.peakMiB / small.peakMiB;
  console.log(`\nten times the rows: ${memory.toFixed(2)} × the memory   (wanted: at most 1.3)`);
  for (const step of ["preview", "process", "download"] as const) {
    const speed = large.rowsPerSecond[step] / small.rowsPerSecond[step];
    console.log(`  ${step.padEnd(10)} ${speed.toFixed(2)} × the rows/s   (wanted: at least 0.8)`);
    if (speed < 0.8) process.exitCode = 1;
  }
  if (memory > 1.3) process.exitCode = 1;
}

/** Alternating, so that other load on the machine affects both alike. */
async function compareAi(rows: number): Promise<void> {
  const spent = { on: { seconds: 0, cpuSeconds: 0 }, off: { seconds: 0, cpuSeconds: 0 } };
  for (let round = 0; round < AI_ROUNDS; round++) {
    for (const setting of round % 2 === 0 ? (["off", "on"] as const) : (["on", "off"] as const)) {
      const { seconds, processCpuSeconds } = await measure(rows, { AI_ENHANCEMENT: setting });
      spent[setting].seconds += seconds.process;
      spent[setting].cpuSeconds += processCpuSeconds;
    }
  }
  const speed = spent.off.seconds / spent.on.seconds;
  const cpu = spent.on.cpuSeconds / spent.off.cpuSeconds;
  console.log(`\nwith AI enhancement: ${speed.toFixed(3)} × the rows/s of a list   (wanted: at least 0.95)`);
  console.log(`  ${cpu.toFixed(3)} × the CPU time of the service`);
  if (speed < 0.95) process.exitCode = 1;
}

function* listOf(rows: number): Generator<string> {
  yield "id,name,email\n";
  for (let row = 1; row <= rows; ) {
    let text = "";
    for (const end = Math.min(rows, row + 999); row <= end; row++) {
      text += `${row},Customer ${row},${NAMES[row % NAMES.length]}+${row}@mailvet.test\n`;
    }
    yield text;
  }
}

async function upload(base: string, file: string): Promise<UploadPreview> {
  const form = new FormData();
  form.set("file", await openAsBlob(file, { type: "text/csv" }), "list.csv");
  return answerOf(
    await fetch(`${base}/bulk/upload/preview`, { method: "POST", headers: { "x-api-key": KEY }, body: form }),
  );
}

async function ended(base: string, id: string): Promise<Job> {
  for (;;) {
    const job = await ask<Job>(`${base}/bulk/jobs/${id}`);
    if (["completed", "failed", "cancelled"].includes(job.status)) return job;
    await pause(100);
  }
}

async function countLines(url: string): Promise<number> {
  const answer = await fetch(url, { headers: { "x-api-key": KEY } });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  let lines = 0;
  for await (const chunk of answer.body!) for (const byte of chunk as Uint8Array) if (byte === 10) lines++;
  return lines;
}

type Checks = { count: number; p50Ms: number; p99Ms: number; slowestMs: number };

/** Sequential checks, at most a hundred per second, for as long as the work takes. */
async function singleChecks(base: string, work: () => Promise<unknown>): Promise<Checks> {
  let isOver = false;
  const over = work().finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    const startedAt = performance.now();
    await ask(`${base}/validation/single?email=valid%2B${Math.random().toString(36).slice(2)}@mailvet.test`);
    times.push(performance.now() - startedAt);
    await pause(Math.max(0, CHECK_EVERY_MS - (performance.now() - startedAt)));
  }
  await over;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  return { count: times.length, p50Ms: at(0.5), p99Ms: at(0.99), slowestMs: times.at(-1)! };
}

function words({ count, p50Ms, p99Ms, slowestMs }: Checks): string {
  return (
    `${count} single checks meanwhile: median ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)}, ` +
    `slowest ${slowestMs.toFixed(1)} ms`
  );
}

async function ask<T>(url: string, body?: unknown): Promise<T> {
  const asked = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const headers = { "x-api-key": KEY, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  return answerOf(await fetch(url, { ...asked, headers }));
}

async function answerOf<T>(answer: Response): Promise<T> {
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}
