/** The whole service is killed at random moments, its database too: every answered request is charged exactly once, every acknowledged file complete. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { killServer } from "../../embedded-postgres/test/launcher-program.ts";
import { openProgramInstallation } from "./program.ts";
import { rounds } from "./rounds.ts";

// Unique to this test: after a kill another process may listen on the same port for a moment.
const KEY = `the operator chose ${randomUUID()}`;
const ROUNDS = rounds(20);
const CLIENTS = 8;
const ANSWERS_PER_ROUND = 5;
/** The first ones, because every file becomes a job in the end. */
const ROUNDS_WITH_UPLOADS = rounds(6);
const FILES_PER_ROUND = 2;
const CREDITS = 1_000_000;

test(`${ROUNDS} rounds of kill -9: no acknowledged charge is lost, a retried one is not doubled, and every acknowledged file is complete`, async () => {
  await using installation = openProgramInstallation();
  const env = { BOOTSTRAP_API_KEY: KEY, ADMIN_CREDITS: String(CREDITS), LOG_LEVEL: "error" };
  let running = installation.start(env);
  const answered = new Set<string>();
  const acknowledged = new Map<string, string>();
  let next = 0;
  let round = 0;

  /** Checks one address after another. Unanswered requests are repeated at the end with the same Idempotency-Key. */
  const unanswered: string[] = [];
  const client = async () => {
    while (round < ROUNDS) {
      const name = `request-${next++}`;
      const { url } = await running;
      if (await isAnswered(url, name)) answered.add(name);
      else unanswered.push(name);
    }
  };
  const uploader = async () => {
    while (round < ROUNDS_WITH_UPLOADS) {
      const name = `list-${next++}`;
      const { url } = await running;
      const preview = await uploaded(url, listNamed(name));
      if (preview) acknowledged.set(name, preview.upload_id);
    }
  };
  const clients = [...Array.from({ length: CLIENTS }, client), uploader(), uploader()];

  for (; round < ROUNDS; round++) {
    const enough = answered.size + ANSWERS_PER_ROUND;
    const enoughFiles = round < ROUNDS_WITH_UPLOADS ? acknowledged.size + FILES_PER_ROUND : 0;
    while (answered.size < enough || acknowledged.size < enoughFiles) await pause(5); // timing: poll interval
    await pause(Math.random() * 200); // timing: any moment
    const program = await running;
    program.child.kill("SIGKILL");
    const killsDatabase = round % 4 === 3;
    running = program.exit().then(async () => {
      if (killsDatabase) await killServer(installation.dataDirectory);
      return installation.start(env);
    });
    await running;
  }
  const { url } = await running;
  await Promise.all(clients);
  expect(unanswered.length).toBeGreaterThan(0); // some were interrupted
  for (const name of unanswered) {
    // A key whose request died is free again after some seconds.
    while (!(await isAnswered(url, name))) await pause(100); // timing: between two tries
    answered.add(name);
  }

  const books = await read(url, "/credits");
  expect(answered.size).toBeGreaterThanOrEqual(ROUNDS * ANSWERS_PER_ROUND);
  expect(books).toMatchObject({ balance: CREDITS - answered.size, reserved: 0 });
  const { days } = await read(url, "/usage");
  const used = days.reduce((sum: number, day: { credits_used: number }) => sum + day.credits_used, 0);
  expect(used).toBe(answered.size);

  for (const [name, id] of acknowledged) {
    const json = { "x-api-key": KEY, "content-type": "application/json" };
    const confirmed = await fetch(`${url}/api/v1/bulk/upload/confirm`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ upload_id: id, email_column: "email" }),
    });
    expect(confirmed.status, name).toBe(200);
    let job = (await confirmed.json()) as { id: string; completed_at: string | null; status: string };
    while (job.completed_at === null) job = await read(url, `/bulk/jobs/${job.id}?wait=20`);
    expect(job.status, name).toBe("completed");
    const download = await fetch(`${url}/api/v1/bulk/jobs/${job.id}/download`, {
      headers: { "x-api-key": KEY },
    });
    const emails = (await download.text())
      .trim()
      .split(/\r?\n/)
      .map((line) => line.split(",", 1)[0]);
    expect(emails.join("\n"), name).toBe(listNamed(name).trim());
  }
});

const listNamed = (name: string) =>
  `email\n${Array.from({ length: 300 }, (_, n) => `valid+${name}-${n}@mailvet.test`).join("\n")}\n`;

/** Undefined: not acknowledged. */
async function uploaded(url: string, list: string): Promise<{ upload_id: string } | undefined> {
  const form = new FormData();
  form.append("file", new Blob([list]), "list.csv");
  try {
    const answer = await fetch(`${url}/api/v1/bulk/upload/preview`, {
      method: "POST",
      headers: { "x-api-key": KEY },
      body: form,
    });
    const body = (await answer.json()) as { upload_id: string };
    return answer.status === 200 ? body : undefined;
  } catch {
    return undefined; // it has just been killed
  }
}

async function isAnswered(url: string, name: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/api/v1/validation/single`, {
      method: "POST",
      headers: { "x-api-key": KEY, "content-type": "application/json", "idempotency-key": name },
      body: JSON.stringify({ email: `valid+${name}@mailvet.test` }),
      signal: AbortSignal.timeout(540_000),
    });
    await answer.text();
    return answer.status === 200;
  } catch {
    return false; // it has just been killed
  }
}

// biome-ignore lint/suspicious/noExplicitAny: inspected by the test
async function read(url: string, path: string): Promise<any> {
  const answer = await fetch(`${url}/api/v1${path}`, { headers: { "x-api-key": KEY } });
  return answer.json();
}
