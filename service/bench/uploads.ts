/**
 * The longest wait of cheap requests while files are uploaded that are expensive to read: 50 MB with 1,000 columns. Before it,
 * the same without an upload, which is what the machine itself adds.
 *
 *   npm run bench:uploads [MB]
 */
import { setTimeout as delay } from "node:timers/promises";
import { startBenchService } from "./bench-service.ts";
import { KEY } from "./list-run.ts";

const MEGABYTES = Number(process.argv[2] ?? 50);
const COLUMNS = 1_000;
const IDLE_MS = 5_000;
const PAUSE_MS = 1;

/** One row of each. */
const FILES: Readonly<Record<string, (row: number) => string>> = {
  "cells of one character": () => "x,".repeat(COLUMNS - 1),
  "an email in every cell": (row) => `u${row}@ab.io,`.repeat(COLUMNS - 1),
  "quoted cells": () => '"x ""y""",'.repeat(COLUMNS - 1),
};

await using service = await startBenchService({ LOG_LEVEL: "error" });
const base = service.url;
while (!(await fetch(`${base}/health/ready`)).ok) await delay(100);
await report(base, "no upload", () => delay(IDLE_MS));
for (const [name, row] of Object.entries(FILES)) {
  const file = fileOf(row);
  await report(base, name, async () => {
    const form = new FormData();
    form.append("file", new Blob([file]), "wide.csv");
    const headers = { "x-api-key": KEY };
    const answer = await fetch(`${base}/api/v1/bulk/upload/preview`, {
      method: "POST",
      headers,
      body: form,
    });
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
  });
}

function fileOf(row: (number: number) => string): Buffer<ArrayBuffer> {
  const lines: Buffer[] = [];
  for (let bytes = 0, number = 1; bytes < MEGABYTES * 1_000_000; number++) {
    const line = Buffer.from(`${row(number)}ann${number}@example.com\n`);
    lines.push(line);
    bytes += line.length;
  }
  return Buffer.concat(lines);
}

/** Cheap requests one after another until the work is done. */
async function report(base: string, name: string, work: () => Promise<void>): Promise<void> {
  const waits: number[] = [];
  let isDone = false;
  const startedMs = performance.now();
  const working = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const sentMs = performance.now();
    await (await fetch(`${base}/api/v1/about`)).arrayBuffer();
    waits.push(performance.now() - sentMs);
    await delay(PAUSE_MS);
  }
  await working;
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const sorted = waits.sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]!.toFixed(1);
  console.log(
    `${name}: ${seconds} s, ${sorted.length} requests, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
  );
}
