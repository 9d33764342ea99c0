/** A slice that always fails: it costs its own emails their verdicts, and nothing else. */
import { mailDomain } from "@mailvet/lab";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPubSub } from "../src/db/pubsub.ts";
import { jobs } from "../src/jobs/schema.ts";
import { onSliceExhausted, redriveSlice } from "../src/jobs/slice-give-up.ts";
import { createDeadLetters } from "../src/queue/dead-letters.ts";
import { startWorker } from "../src/queue/worker.ts";
import { expectBooksToAddUp } from "./credits-books.ts";
import { type JobWorld, openJobWorld } from "./jobs-run-world.ts";

let world: JobWorld;
beforeAll(async () => {
  world = await openJobWorld({ "shop.test": mailDomain({ users: ["ann", "bea"] }) });
});
afterAll(async () => {
  await expectBooksToAddUp(world.database);
  await world[Symbol.asyncDispose]();
});

const HEALTHY = ["valid+1@mailvet.test", "valid+2@mailvet.test"];
const POISON = ["ann@shop.test", "bea@shop.test", "no@shop.test"];
const soon = { interval: 20 };

/** A worker for which the slice with this email is poison, until it is cured. */
async function startPoisoned() {
  const validations = world.openValidations();
  const { inspect } = validations.answers;
  let isCured = false;
  validations.answers.inspect = (email) => {
    if (email === POISON[0] && !isCured) throw new Error("this slice is poison");
    return inspect(email);
  };
  const { run } = world.open({ validations, waitMs: 600_000 }); // saves a slice at once
  const { database, boss, tasks, feed, transitions } = world;
  const pubsub = createPubSub(database.connection, { log: () => {} });
  const worker = startWorker({
    database,
    boss,
    tasks,
    feed,
    pubsub,
    queue: "slice",
    slots: 4,
    handler: run,
    onExhausted: onSliceExhausted(transitions),
    log: () => {},
  });
  await pubsub.start();
  return {
    cure: () => (isCured = true),
    /** Makes retries due at once until this is so. */
    async until(isSo: () => Promise<boolean>) {
      await expect
        .poll(async () => {
          await database.pool.query("update tasks set due_at = now() where state = 'waiting'");
          worker.poke();
          return isSo();
        }, soon)
        .toBe(true);
    },
    async [Symbol.asyncDispose]() {
      await worker.close();
      await pubsub.close();
    },
  };
}

const deadLetters = () => {
  const none = async () => false;
  const redrives = {
    plan: none,
    action: none,
    recheck: none,
    delivery: none,
    slice: redriveSlice(world.tasks),
  };
  return createDeadLetters({ database: world.database, redrives });
};
const lettersOf = async (jobId: string) =>
  (await deadLetters().list({ skip: 0, limit: 100 })).letters.filter(({ group_id }) => group_id === jobId);

const tasksOf = async (jobId: string) =>
  (await world.database.pool.query("select from tasks where group_id = $1", [jobId])).rowCount;
const groupsOf = async (jobId: string) =>
  (await world.database.pool.query("select from queue_groups where id = $1", [jobId])).rowCount;

test("a poison slice becomes a dead letter and its emails internal errors, free of charge; a redrive replaces them", async () => {
  const caller = await world.caller(20);
  const jobId = await world.add(caller, [HEALTHY, POISON]);
  await using worker = await startPoisoned();

  await worker.until(async () => (await world.recordOf(jobId)).status === "completed");

  expect(await world.recordOf(jobId)).toMatchObject({
    processed: 5,
    valid_count: 2,
    unknown_count: 3,
    sub_status_counts: { internal_error: 3 },
    credits_used: 5,
    credits_refunded: 3,
    credits_reserved: 0,
    error: null,
  });
  await world.expectSums(jobId);
  expect(world.eventsOf(jobId)).toEqual(["job.completed"]);
  expect(await world.balanceOf(caller)).toEqual({ balance: 18, reserved: 0 });
  const rows = await world.resultsOf(jobId);
  expect(rows.map(({ email, status, subStatus }) => [email, status, subStatus]).slice(2)).toEqual(
    POISON.map((email) => [email, "unknown", "internal_error"]),
  );
  const [letter] = await lettersOf(jobId);
  expect(letter).toMatchObject({ kind: "slice", failures: 5, losses: 0, error: "this slice is poison" });

  worker.cure();
  await deadLetters().redrive(letter!.id);
  await worker.until(async () => (await world.recordOf(jobId)).valid_count === 4);

  expect(await lettersOf(jobId)).toEqual([]);
  expect(await groupsOf(jobId)).toBe(0);
  expect(await world.recordOf(jobId)).toMatchObject({
    status: "completed",
    processed: 5,
    valid_count: 4,
    invalid_count: 1,
    unknown_count: 0,
    credits_used: 5,
    credits_refunded: 3,
  });
  await world.expectSums(jobId);
  expect(world.eventsOf(jobId)).toEqual(["job.completed"]);
  expect(await world.balanceOf(caller)).toEqual({ balance: 18, reserved: 0 });
});

test("a slice is redriven while its job runs, and goes on when the job ends first", async () => {
  const caller = await world.caller(20);
  const jobId = await world.add(caller, [POISON]);
  await world.database.orm.update(jobs).set({ isPlanned: false }).where(eq(jobs.id, jobId)); // it does not end by itself
  await using worker = await startPoisoned();
  await worker.until(async () => (await lettersOf(jobId)).length === 1);
  const [letter] = await lettersOf(jobId);
  await deadLetters().redrive(letter!.id); // it is poison still
  await world.actions.cancel(caller, jobId);
  await worker.until(async () => (await lettersOf(jobId)).length === 1);
  worker.cure();
  const [again] = await lettersOf(jobId);
  await deadLetters().redrive(again!.id);
  await worker.until(async () => (await world.recordOf(jobId)).valid_count === 2);
  expect(await world.recordOf(jobId)).toMatchObject({
    status: "cancelled",
    credits_used: expect.any(Number),
  });
  expect((await world.recordOf(jobId)).sub_status_counts).toMatchObject({ internal_error: 0 });
});

test("the usage of a job counts every verdict and what was charged, also when a slice was redriven before the job's end", async () => {
  const caller = await world.caller(20);
  const charged = [HEALTHY[0]!, "internal_error@mailvet.test"]; // the check itself fails: our own fault, like a slice that fails
  const jobId = await world.add(caller, [charged, POISON]);
  await world.database.orm.update(jobs).set({ isPlanned: false }).where(eq(jobs.id, jobId)); // it does not end by itself
  await using worker = await startPoisoned();
  await worker.until(async () => (await lettersOf(jobId)).length === 1);
  worker.cure();
  const [letter] = await lettersOf(jobId);
  await deadLetters().redrive(letter!.id);
  await worker.until(async () => {
    const { processed, valid_count } = await world.recordOf(jobId);
    return processed === 5 && valid_count === 3;
  });
  await world.database.orm.update(jobs).set({ isPlanned: true }).where(eq(jobs.id, jobId));
  await world.database.orm.transaction((tx) => world.transitions.finishIfDone(tx, jobId));

  expect(await world.recordOf(jobId)).toMatchObject({
    status: "completed",
    valid_count: 3,
    invalid_count: 1,
    unknown_count: 1,
    credits_used: 5,
    credits_refunded: 4,
  });
  const { rows } = await world.database.pool.query(
    "select valid, invalid, risky, unknown, credits_used from usage_days where account_id = $1",
    [caller.accountId],
  );
  expect(rows).toEqual([{ valid: 3, invalid: 1, risky: 0, unknown: 1, credits_used: 1 }]);
});

test("a redrive leaves the evidence that other rows refer to", async () => {
  const caller = await world.caller(20);
  const jobId = await world.add(caller, [POISON, HEALTHY]);
  await using worker = await startPoisoned();
  await worker.until(async () => (await world.recordOf(jobId)).status === "completed");
  // As after a recheck: the row has been unknown, with evidence in common with others, and is an internal error since.
  const shared = { route: { kind: "none" } };
  const { pool } = world.database;
  const share = "update results set evidence = $3, evidence_row = $4 where job_id = $1 and row = $2";
  await pool.query(share, [jobId, 1, shared, null]);
  await pool.query(share, [jobId, 4, null, 1]);
  worker.cure();
  const [letter] = await lettersOf(jobId);
  await deadLetters().redrive(letter!.id);
  await worker.until(async () => (await world.recordOf(jobId)).valid_count === 4);
  const rows = await world.resultsOf(jobId);
  expect(rows[0]).toMatchObject({
    row: 1,
    status: "valid",
    evidence: shared,
    ownEvidence: expect.anything(),
  });
  expect(rows[3]).toMatchObject({ row: 4, evidence: null, evidenceRow: 1 });
});

test("a task whose slice has been given up already leaves no second dead letter", async () => {
  const caller = await world.caller(20);
  const jobId = await world.add(caller, [POISON]);
  await world.database.orm.update(jobs).set({ isPlanned: false }).where(eq(jobs.id, jobId)); // it does not end by itself
  await using worker = await startPoisoned();
  await worker.until(async () => (await lettersOf(jobId)).length === 1);
  const { pool } = world.database;
  await pool.query(
    `insert into tasks (group_id, queue, subject, state, due_at, failures)
     values ($1, 'slice', '0', 'waiting', now(), 5)`,
    [jobId],
  );
  await worker.until(async () => (await tasksOf(jobId)) === 0);
  expect(await lettersOf(jobId)).toHaveLength(1);
  await world.actions.cancel(caller, jobId);
});

test("a slice of a job whose results are erased cannot be redriven", async () => {
  const caller = await world.caller(20);
  const jobId = await world.add(caller, [POISON]);
  await using worker = await startPoisoned();
  await worker.until(async () => (await world.recordOf(jobId)).status === "completed");
  const [first] = await lettersOf(jobId);
  await deadLetters().redrive(first!.id);
  await worker.until(async () => (await lettersOf(jobId)).length === 1);
  expect(await groupsOf(jobId)).toBe(1); // opened for the redrive, which failed as well
  const [letter] = await lettersOf(jobId);
  await world.database.orm
    .update(jobs)
    .set({ expiresAt: new Date(0) })
    .where(eq(jobs.id, jobId));
  await world.actions.eraseExpired();
  await expect(deadLetters().redrive(letter!.id)).rejects.toMatchObject({ code: "dead_letter_obsolete" });
  expect(await groupsOf(jobId)).toBe(0);
});
