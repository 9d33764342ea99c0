/**
 * Kills parts of a deployment at random moments while jobs run, time after time, and then counts: every row has exactly
 * one result, right by the lab's truth; the credits add up; no job is stuck.
 *
 *   npm run chaos [rounds [seed]]
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Job, UploadPreview } from "@mailvet/contract";
import { openLab } from "@mailvet/lab";
import { openDeployment, VICTIMS } from "./deployment.ts";
import { CHAOS_WORLD, csvOf, type ListRow, listOf, rightStatus } from "./list.ts";
import { randomFrom } from "./random.ts";

const ROUNDS = Number(process.argv[2] ?? 30);
const SEED = Number(process.argv[3] ?? Date.now() % 1_000_000);
const KEY = "chaos-key-of-forty-characters-0123456789";
const CREDITS = 10_000_000;
const JOBS_AT_ONCE = 2;
const UNIQUE_EMAILS = 600;
const LATEST_KILL_MS = 5_000;
const STUCK_AFTER_MS = 180_000;
const PATIENCE_MS = 90_000;

/** Not for a lack of luck. */
class Refused extends Error {}

const random = randomFrom(SEED);
await using lab = await openLab(CHAOS_WORLD);
await using deployment = await openDeployment({
  BOOTSTRAP_API_KEY: KEY,
  ADMIN_CREDITS: String(CREDITS),
  DNS_SERVERS: lab.nameServer,
  SMTP_PORT: String(lab.smtpPort),
  EGRESS_ALLOW: "127.0.0.0/8",
});
console.log(`seed ${SEED}, ${ROUNDS} rounds of ${JOBS_AT_ONCE} jobs with ${UNIQUE_EMAILS} emails each`);

const tally = { rows: 0, wrong: 0, missing: 0, twice: 0, spent: 0, kills: new Map<string, number>() };
for (let round = 1; round <= ROUNDS; round++) {
  const startedAt = performance.now();
  const lists = Array.from({ length: JOBS_AT_ONCE }, (_, job) =>
    listOf(UNIQUE_EMAILS, `${SEED}-${round}-${job}`),
  );
  const killing = killSomebody();
  const jobs = await Promise.all(lists.map((rows, job) => run(rows, `${SEED}-${round}-${job}`)));
  const killed = await killing;
  for (const [index, job] of jobs.entries()) await judge(job, lists[index]!);
  await booksBalance();
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(
    `round ${String(round).padStart(2)}: killed ${killed.padEnd(30)} ${seconds.toFixed(1).padStart(6)} s`,
  );
}
const kills = [...tally.kills].map(([victim, count]) => `${victim} ${count}`).join(", ");
console.log(`\nkilled: ${kills}`);
console.log(
  `${tally.rows.toLocaleString("en")} rows: ${tally.missing} missing, ${tally.twice} twice, ${tally.wrong} wrong; ` +
    `${tally.spent.toLocaleString("en")} credits spent, all accounted for; no job stuck`,
);
if (tally.missing + tally.twice + tally.wrong > 0) process.exitCode = 1;

/** One or two kills, at moments of chance. */
async function killSomebody(): Promise<string> {
  const victims = Array.from(
    { length: random() < 0.3 ? 2 : 1 },
    () => VICTIMS[Math.floor(random() * VICTIMS.length)]!,
  );
  const words: string[] = [];
  for (const victim of victims) {
    const afterMs = random() * LATEST_KILL_MS;
    await pause(afterMs);
    words.push(`${victim} (+${(afterMs / 1000).toFixed(1)} s)`);
    tally.kills.set(victim, (tally.kills.get(victim) ?? 0) + 1);
    await deployment.kill(victim);
  }
  return words.join(", ");
}

/** Uploads, confirms and waits, as a client does that tries again when it is cut off. */
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
    await pause(250);
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

async function booksBalance(): Promise<void> {
  const { balance, reserved } = await insist<{ balance: number; reserved: number }>("/credits");
  if (balance !== CREDITS - tally.spent || reserved !== 0) {
    throw new Error(`the balance is ${balance} with ${reserved} reserved, after spending ${tally.spent}`);
  }
}

/** Asks until it is answered: whoever answers may be dead at the moment. */
async function insist<T>(path: string, request: () => RequestInit = () => ({})): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    let trouble: string;
    try {
      const { headers, ...rest } = request();
      const answer = await fetch(`${deployment.url}/api/v1${path}`, {
        ...rest,
        headers: { ...headers, "x-api-key": KEY },
        signal: AbortSignal.timeout(20_000),
      });
      const text = await answer.text();
      if (answer.ok)
        return (answer.headers.get("content-type")?.includes("ndjson") ? text : JSON.parse(text)) as T;
      trouble = `${answer.status} ${text}`;
      if (answer.status < 500 && ![409, 429].includes(answer.status))
        throw new Refused(`${path}: ${trouble}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
      trouble = String(error);
    }
    if (performance.now() > giveUpAt) throw new Error(`${path}: no answer; last: ${trouble}`);
    await pause(200);
  }
}
