/**
 * Injects faults at random moments while jobs and single checks run, round after round. Then verifies that every row has
 * exactly one correct result, that charges equal answers, and that no job is stuck; and reports recovery time per fault.
 *
 *   npm run chaos [rounds [seed]]
 *   npm run chaos -- --beside REF [rounds [seed]]
 *
 * With --beside, the version of that commit runs beside this one on the same database: in odd rounds it is that of the
 * workers, in even rounds that of the API. Processes are replaced between rounds, one after another, under load.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Job, UploadPreview } from "@mailvet/contract";
import { openLab } from "@mailvet/lab";
import pg from "pg";
import { hasPgBouncer, NO_PGBOUNCER } from "../test/replicated-postgres.ts";
import { SERVICE_PROGRAM } from "../test/service-program.ts";
import { type Deployment, openDeployment, PROCESSES, type ProcessName } from "./deployment.ts";
import { buildEarlierVersion } from "./earlier-version.ts";
import { CHAOS_WORLD, csvOf, type ListRow, listOf, rightStatus } from "./list.ts";
import { randomFrom } from "./random.ts";
import { startSingleChecks } from "./single-checks.ts";

const { values: options, positionals } = parseArgs({
  options: { beside: { type: "string" } },
  allowPositionals: true,
});
const ROUNDS = Number(positionals[0] ?? 30);
const SEED = Number(positionals[1] ?? Date.now() % 1_000_000);
const KEY = "chaos-key-of-forty-characters-0123456789";
const CREDITS = 10_000_000;
const UNIQUE_EMAILS = 400;
const LATEST_FAULT_MS = 3_000;
const LONGEST_FREEZE_MS = 12_000; // longer than the lease of an idempotency key
const LONGEST_FULL_DISK_MS = 4_000;
const STUCK_AFTER_MS = 300_000;
const PATIENCE_MS = 180_000;

/** Faults; one listed more often is more likely. */
const FAULTS: Readonly<Record<string, (deployment: Deployment, random: () => number) => Promise<void>>> = {
  ...Object.fromEntries(
    PROCESSES.flatMap((name) => [
      [`kill ${name}`, (deployment: Deployment) => deployment.kill(name)],
      [
        `freeze ${name}`,
        (deployment: Deployment, random: () => number) =>
          deployment.freeze(name, 500 + random() * LONGEST_FREEZE_MS),
      ],
    ]),
  ),
  "kill database": (deployment) => deployment.killDatabase(),
  "restart database": (deployment) => deployment.restartDatabase(),
  "promote replica": (deployment) => deployment.failOver(),
  "kill pgbouncer": (deployment) => deployment.killPgBouncer(),
  "fill disk": (deployment, random) => deployment.fillDisk(500 + random() * LONGEST_FULL_DISK_MS),
};

/** A refusal that a retry does not change. */
class Refused extends Error {}

if (!hasPgBouncer) throw new Error(NO_PGBOUNCER);
const random = randomFrom(SEED);
using earlier = options.beside === undefined ? undefined : buildEarlierVersion(options.beside);
let round = 1;
await using lab = await openLab(CHAOS_WORLD);
await using deployment = await openDeployment(
  {
    BOOTSTRAP_API_KEY: KEY,
    ADMIN_CREDITS: String(CREDITS),
    ...lab.env,
  },
  (name) => (earlier && isEarlier(name) ? earlier.program : SERVICE_PROGRAM),
);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    await deployment[Symbol.asyncDispose]();
    earlier?.[Symbol.dispose]();
    process.exit(1);
  });
}
const faults = Object.keys(FAULTS).filter((name) => deployment.canFillDisk || name !== "fill disk");
console.log(
  `seed ${SEED}, ${ROUNDS} rounds, a job with ${UNIQUE_EMAILS} emails in each, single checks all the time`,
);
if (earlier) console.log(`beside ${earlier.commit}: workers in odd rounds, API in even rounds`);
if (!deployment.canFillDisk) console.log("no file system can be mounted here: a full disk is left out");

const tally = { rows: 0, wrong: 0, missing: 0, twice: 0, spent: 0 };
const recoveries = new Map<string, number[]>();
const checks = startSingleChecks({ urls: deployment.urls, key: KEY, random });
for (; round <= ROUNDS; round++) {
  if (earlier && round > 1) for (const name of PROCESSES) await deployment.replace(name);
  const startedAt = performance.now();
  const name = `${SEED}-${round}`;
  const rows = listOf(UNIQUE_EMAILS, name);
  const striking = strike();
  const job = await run(rows, name);
  const struck = await striking;
  await judge(job, rows);
  const seconds = (performance.now() - startedAt) / 1000;
  const versions = earlier ? `${earlierRole()} earlier; ` : "";
  const what = `${versions}${struck}`.padEnd(50);
  console.log(`round ${String(round).padStart(3)}: ${what} ${seconds.toFixed(1).padStart(6)} s`);
}
await checks.finish();

const database = new pg.Client(deployment.connection);
database.on("error", () => {}); // when the run fails, the server is stopped before this connection
await database.connect();
for (const name of PROCESSES) await deployment.replace(name); // an orderly stop writes refunds that wait in memory
const apiKills = [...recoveries].flatMap(([name, times]) =>
  name.startsWith("kill api") ? times : [],
).length;
const audit = await checks.audit(database, apiKills);
const { rows: books } = await database.query<{ balance: string; reserved: string }>(
  "select sum(balance) as balance, sum(reserved) as reserved from balances",
);
await database.end();

const charges = tally.spent + audit.charged + audit.withKeyCharged;
const number = (value: number) => value.toLocaleString("en");
console.log("\nfault               times   ready again after (median, longest)");
for (const [name, seconds] of [...recoveries].sort()) {
  const sorted = seconds.sort((a, b) => a - b);
  const [median, longest] = [sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!];
  console.log(
    `${name.padEnd(18)} ${String(seconds.length).padStart(6)}   ${median.toFixed(1)} s, ${longest.toFixed(1)} s`,
  );
}
console.log(`processes that ended without being killed: ${deployment.unexpectedExits()}`);
console.log(
  `\njobs: ${number(tally.rows)} rows: ${tally.missing} missing, ${tally.twice} twice, ${tally.wrong} wrong; ` +
    `${number(tally.spent)} credits`,
);
console.log(
  `single checks: ${number(audit.sent)} sent, ${number(audit.cut)} cut without a key; answers ` +
    [...audit.statuses].map(([status, times]) => `${number(times)} × ${status}`).join(", "),
);
console.log(`own faults: ${number(audit.ownFault)} verdicts, each charged and refunded`);
console.log(`with a key: ${number(audit.withKey)} requests, ${number(audit.withKeyCharged)} charged`);
console.log(
  `without a key: ${number(audit.answered)} answered, ${number(audit.charged)} charged: ` +
    `${audit.chargedAndCut} were written to clients that had disconnected`,
);
console.log(
  `${audit.unanswered} charges stand without an answer, as their process was killed; ${number(audit.refunds)} refunds in all`,
);
console.log(
  `credits: ${number(CREDITS)} granted, ${number(charges)} charged, ${number(Number(books[0]!.balance))} left, ` +
    `${books[0]!.reserved} reserved`,
);
const isExact = Number(books[0]!.balance) === CREDITS - charges && Number(books[0]!.reserved) === 0;
if (!isExact || tally.missing + tally.twice + tally.wrong > 0) process.exitCode = 1;
console.log(
  process.exitCode ? "NOT exact" : "exact: every row one result, every charge an answer, no job stuck",
);

/** Which processes are of the earlier version in this round. */
function earlierRole(): "worker" | "api" {
  return round % 2 === 1 ? "worker" : "api";
}

function isEarlier(name: ProcessName): boolean {
  return name.startsWith(earlierRole());
}

/** One or two faults at random moments. Resolves when the deployment is ready again. */
async function strike(): Promise<string> {
  const words: string[] = [];
  for (let times = random() < 0.3 ? 2 : 1; times > 0; times--) {
    const name = faults[Math.floor(random() * faults.length)]!;
    await delay(random() * LATEST_FAULT_MS);
    const struckAt = performance.now();
    await FAULTS[name]!(deployment, random);
    // A freeze or a full disk lasts for a random time: recovery is measured from its end.
    const isLasting = /^(freeze|fill)/.test(name);
    const fromMs = isLasting ? performance.now() : struckAt;
    await untilReady();
    const seconds = (performance.now() - fromMs) / 1000;
    recoveries.set(name, [...(recoveries.get(name) ?? []), seconds]);
    words.push(`${name} (${seconds.toFixed(1)} s)`);
  }
  return words.join(", ");
}

async function untilReady(): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (const url of deployment.urls) {
    const isReady = () =>
      fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) }).then((answer) => answer.ok);
    while (!(await isReady().catch(() => false))) {
      if (performance.now() > giveUpAt)
        throw new Error(`${url} is not ready:\n${deployment.complaints().join("\n")}`);
      await delay(50);
    }
  }
}

/** Uploads, confirms and waits, retrying like a client when the connection is lost. */
async function run(rows: readonly ListRow[], name: string): Promise<Job> {
  const preview = await insist<UploadPreview>("/bulk/upload/preview", () => {
    const form = new FormData();
    form.set("file", new Blob([csvOf(rows)], { type: "text/csv" }), `${name}.csv`);
    return { method: "POST", body: form, headers: { "idempotency-key": `upload-${name}` } };
  });
  const confirmation = { upload_id: preview.upload_id, email_column: preview.suggested_email_column };
  const { id } = await insist<Job>("/bulk/upload/confirm", () => ({
    method: "POST",
    body: JSON.stringify(confirmation),
    headers: { "content-type": "application/json", "idempotency-key": `confirm-${name}` },
  }));
  const stuckAt = performance.now() + STUCK_AFTER_MS;
  for (;;) {
    const job = await insist<Job>(`/bulk/jobs/${id}`);
    if (job.status === "completed") return job;
    if (performance.now() > stuckAt || ["failed", "cancelled"].includes(job.status)) {
      throw new Error(`a job is stuck: ${JSON.stringify(job)}\n${deployment.complaints().join("\n")}`);
    }
    await delay(250);
  }
}

async function judge(job: Job, rows: readonly ListRow[]): Promise<void> {
  const answer = await insist<string>(`/bulk/jobs/${job.id}/download?format=ndjson`);
  const lines = answer
    .split("\n")
    .filter(Boolean)
    .map(
      (line) =>
        JSON.parse(line) as {
          row: number;
          email: string;
          status: string;
          sub_status: string;
          is_duplicate: boolean;
        },
    );
  const timesSeen = new Map<number, number>();
  for (const { row, status, sub_status, is_duplicate } of lines) {
    timesSeen.set(row, (timesSeen.get(row) ?? 0) + 1);
    const expected = rows[row - 1]!;
    const right = rightStatus(lab, expected.email);
    if (`${status}/${sub_status}` !== right || is_duplicate !== expected.isDuplicate) {
      tally.wrong++;
      console.log(`  row ${row}, ${expected.email}: ${status}/${sub_status} instead of ${right}`);
    }
  }
  tally.rows += rows.length;
  tally.missing += rows.filter((_, index) => !timesSeen.has(index + 1)).length;
  tally.twice += [...timesSeen.values()].filter((times) => times > 1).length;
  if (job.credits_used !== UNIQUE_EMAILS)
    throw new Error(`${job.credits_used} credits instead of ${UNIQUE_EMAILS}`);
  tally.spent += job.credits_used;
}

/** Tries the API processes in turn until one answers. */
async function insist<T>(path: string, request: () => RequestInit = () => ({})): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (let tries = 0; ; tries++) {
    let lastFailure: string;
    try {
      const { headers, ...rest } = request();
      const url = deployment.urls[tries % deployment.urls.length];
      const answer = await fetch(`${url}/api/v1${path}`, {
        ...rest,
        headers: { ...headers, "x-api-key": KEY },
        signal: AbortSignal.timeout(20_000),
      });
      const text = await answer.text();
      if (answer.ok)
        return (answer.headers.get("content-type")?.includes("ndjson") ? text : JSON.parse(text)) as T;
      lastFailure = `${answer.status} ${text}`;
      if (answer.status < 500 && ![409, 429].includes(answer.status))
        throw new Refused(`${path}: ${lastFailure}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
      lastFailure = String(error);
    }
    if (performance.now() > giveUpAt) throw new Error(`${path}: no answer; last: ${lastFailure}`);
    await delay(200);
  }
}
