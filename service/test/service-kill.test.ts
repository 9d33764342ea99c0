/** The whole service is killed at random moments, its database too: every answered request is charged exactly once. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { killServer } from "../../embedded-postgres/test/launcher-program.ts";
import { openProgramInstallation } from "./program.ts";

// Unique to this test: after a kill another process may listen on the same port for a moment.
const KEY = `the operator chose ${randomUUID()}`;
const ROUNDS = 20;
const CLIENTS = 8;
const ANSWERS_PER_ROUND = 5;
const CREDITS = 100_000;

test("20 rounds of kill -9: no acknowledged charge is lost, and a retried one is not doubled", async () => {
  await using installation = openProgramInstallation();
  const env = { BOOTSTRAP_API_KEY: KEY, ADMIN_CREDITS: String(CREDITS), LOG_LEVEL: "error" };
  let running = installation.start(env);
  const answered = new Set<string>();
  let next = 0;
  let isOver = false;

  /** Checks one address after another. Unanswered requests are repeated at the end with the same Idempotency-Key. */
  const unanswered: string[] = [];
  const client = async () => {
    while (!isOver) {
      const name = `request-${next++}`;
      const { url } = await running;
      if (await isAnswered(url, name)) answered.add(name);
      else unanswered.push(name);
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);

  for (let round = 0; round < ROUNDS; round++) {
    const enough = answered.size + ANSWERS_PER_ROUND;
    while (answered.size < enough) await pause(5); // timing: poll interval
    await pause(Math.random() * 100); // timing: any moment
    const program = await running;
    program.child.kill("SIGKILL");
    running = program.exit().then(async () => {
      if (round % 4 === 3) await killServer(installation.dataDirectory);
      return installation.start(env);
    });
    await running;
  }
  const { url } = await running;
  isOver = true;
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
});

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
