/**
 * Finishes a large job early, right after its confirmation, and deletes it, while another account checks addresses one after
 * another: how long the requests take, how long the job, and what becomes of the other account's response times while the rows
 * are read, finished and deleted. Alone they are measured before and after, because the machine may have other work.
 *
 *   npm run bench:finish [rows]
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Job } from "@mailvet/contract";
import { OPERATOR_ENV, openAccount, startBenchService } from "./bench-service.ts";
import { ask, confirmList, uploadList } from "./list-run.ts";
import { cpuSecondsOf } from "./process-figures.ts";

const ROWS = Number(process.argv[2] ?? 200_000);
const DOMAINS = 2_000;
const ALONE_MS = 20_000;
/** Between an answer and the next request. */
const REST_MS = 25;

type Figures = { requests: number; p50: number; p95: number; slowest: number };

await using service = await startBenchService({
  ...OPERATOR_ENV,
  LOG_LEVEL: "error",
  MAX_CSV_EMAILS: String(ROWS),
});
const base = `${service.url}/api/v1`;
const key = await openAccount(base, ROWS); // with a plan for large lists
await during(() => delay(3_000)); // warm
const rows = Array.from({ length: ROWS }, (_, i) => `user${i}@shop${i % DOMAINS}.example-lab.com`);
const preview = await uploadList(base, `email\n${rows.join("\n")}\n`, key);

const credits = () => ask<{ balance: number; reserved: number }>(`${base}/credits`, {}, key);
const granted = await credits();
const before = await during(() => delay(ALONE_MS));
const { id } = await confirmList(base, preview, key);
const startedAt = performance.now();
const answeredMs = (await timed("finish")).ms;
const jobUntil = async (isIt: (job: Job) => boolean): Promise<Job> => {
  for (;;) {
    const job = await ask<Job>(`${base}/bulk/jobs/${id}`, {}, key);
    if (isIt(job)) return job;
    await delay(250);
  }
};
const reading = await during(() => jobUntil(({ processed }) => processed > 0));
const readAt = performance.now();
const cpuBefore = cpuSecondsOf(service.pid);
const finishing = await during(() => jobUntil(({ completed_at }) => completed_at !== null));
const seconds = (performance.now() - readAt) / 1000;
const cpu = cpuSecondsOf(service.pid) - cpuBefore;
const job = await ask<Job>(`${base}/bulk/jobs/${id}`, {}, key);
const left = await credits();
const rechecked = await timed("recheck", { body: { which: "all" } });
const finishedAgain = await timed("finish");
await jobUntil(({ completed_at }) => completed_at !== null);
const deleted = await timed("", { method: "DELETE" });
const deletedAt = performance.now();
const deleting = await during(async () => {
  const isFound = () =>
    fetch(`${base}/bulk/jobs/${id}`, { headers: { "x-api-key": key } }).then(({ ok }) => ok);
  while (await isFound()) await delay(250);
});
const gone = performance.now() - deletedAt + deleted.ms;
const after = await during(() => delay(ALONE_MS));

console.log(`${ROWS.toLocaleString("en")} rows: POST finish answered in ${answeredMs.toFixed(0)} ms`);
console.log(
  `then POST recheck ${rechecked.ms.toFixed(0)} ms, POST finish ${finishedAgain.ms.toFixed(0)} ms, ` +
    `DELETE ${deleted.ms.toFixed(0)} ms, deleted after ${(gone / 1000).toFixed(1)} s`,
);
console.log(
  `read in ${((readAt - startedAt) / 1000).toFixed(1)} s, finished in ${seconds.toFixed(1)} s ` +
    `(${Math.round(ROWS / seconds)} rows/s, ${cpu.toFixed(1)} s CPU of the service)`,
);
console.log(
  `job ${job.status}: ${job.processed} processed, ${job.unknown_count} unknown, ${job.credits_used} credits used; ` +
    `credits ${granted.balance} before, ${left.balance} after, ${left.reserved} reserved`,
);
const idle = (before.p95 + after.p95) / 2;
for (const [name, of] of Object.entries({
  "alone, before": before,
  reading,
  finishing,
  deleting,
  "alone, after": after,
}))
  console.log(
    `single check of another account, ${name.padEnd(13)} p50 ${of.p50.toFixed(0)} ms, p95 ${of.p95.toFixed(0)} ms ` +
      `(${(of.p95 / idle).toFixed(2)} × alone), slowest ${of.slowest.toFixed(0)} ms, ${of.requests} requests`,
  );
if (job.processed !== ROWS || left.balance !== granted.balance || finishing.p95 >= 2 * idle)
  process.exitCode = 1;

/** A request about the job, and what becomes of the other account until it is answered. */
async function timed(path: string, { method = "POST", body }: { method?: string; body?: object } = {}) {
  const sentAt = performance.now();
  let ms = 0;
  const figures = await during(async () => {
    const answer = await fetch(`${base}/bulk/jobs/${id}/${path}`.replace(/\/$/, ""), {
      method,
      headers: { "x-api-key": key, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
    ms = performance.now() - sentAt;
  });
  return { ...figures, ms };
}

/** Response times of the other account until the work is done. */
async function during(work: () => Promise<unknown>): Promise<Figures> {
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    const sentAt = performance.now();
    await ask(`${base}/validation/single?email=valid@mailvet.test`);
    times.push(performance.now() - sentAt);
    await delay(REST_MS);
  }
  await working;
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { requests: sorted.length, p50: at(0.5), p95: at(0.95), slowest: at(1) };
}
