/** Cancel, pause, resume and erase, at any moment of a job. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { JobStatus } from "@mailvet/contract";
import { mailDomain } from "@mailvet/lab";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../src/base/caller.ts";
import { hasEnded } from "../src/jobs/job-state.ts";
import { jobs } from "../src/jobs/schema.ts";
import { uploadParts, uploads } from "../src/uploads/schema.ts";
import { expectBooksToAddUp } from "./credits-books.ts";
import { uploadKeys } from "./database.ts";
import { type JobWorld, openJobWorld } from "./jobs-run-world.ts";
import { testKeyOf } from "./validation-world.ts";

let world: JobWorld;
beforeAll(async () => {
  world = await openJobWorld({ "shop.test": mailDomain({ users: ["ann", "bea", "cy"] }) });
});
afterAll(async () => {
  await expectBooksToAddUp(world.database);
  await world[Symbol.asyncDispose]();
});

const sandboxList = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}+${index}@mailvet.test`);

/** A job with its first slice done and its second pending. */
async function halfDone(caller: Caller): Promise<string> {
  const jobId = await world.add(caller, [sandboxList("valid", 3), sandboxList("catch-all", 5)]);
  const worker = world.open();
  const [first] = await worker.claim(1);
  await worker.run(first!);
  return jobId;
}

/** Runs a slice up to the point where its checks are in flight; they end with `finish`. */
async function sliceInFlight() {
  const validations = world.openValidations();
  const { wait } = validations.answers;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const worker = world.open({ validations, waitMs: 600_000 });
  const [task] = await worker.claim(1);
  let isOver = Promise.resolve();
  await new Promise<void>((begun) => {
    validations.answers.wait = async (...args) => {
      begun();
      await released;
      return wait(...args);
    };
    isOver = worker.run(task!);
  });
  const finish = () => {
    release();
    return isOver;
  };
  return { worker, finish };
}

test("a cancelled job charges the emails with a verdict and releases the rest", async () => {
  const caller = await world.caller(10);
  const jobId = await halfDone(caller);
  await world.actions.cancel(caller, jobId);
  expect(await world.recordOf(jobId)).toMatchObject({
    status: "cancelled",
    phase: "done",
    processed: 3,
    valid_count: 3,
    credits_used: 3,
    credits_reserved: 0,
  });
  expect(await world.balanceOf(caller)).toEqual({ balance: 7, reserved: 0 });
  expect(await world.open().runDue()).toBe(0);
  expect(world.eventsOf(jobId)).toEqual(["job.cancelled"]);
  const { entries } = await world.ledger.page(caller.accountId, { skip: 0, limit: 10 });
  expect(
    entries.map(({ kind, amount, reserved_change, reference }) => [kind, amount, reserved_change, reference]),
  ).toEqual([
    ["release", 5, -5, jobId],
    ["settle", 0, -3, jobId],
    ["reserve", -8, 8, jobId],
    ["grant", 10, 0, "welcome"],
  ]);
});

test("checks in flight when a job is cancelled are neither saved nor charged", async () => {
  const caller = await world.caller(2);
  const jobId = await world.add(caller, [["ann@shop.test", "valid@mailvet.test"]]);
  const running = await sliceInFlight();
  await world.actions.cancel(caller, jobId);
  await running.finish();
  expect(await world.resultsOf(jobId)).toEqual([]);
  expect(await world.balanceOf(caller)).toEqual({ balance: 2, reserved: 0 });
});

test("checks in flight when a job is paused are saved; the job continues only after resume", async () => {
  const caller = await world.caller(3);
  const jobId = await world.add(caller, [["bea@shop.test"], ["valid@mailvet.test", "valid+2@mailvet.test"]]);
  const { worker, finish } = await sliceInFlight();
  await world.actions.pause(caller, jobId);
  await finish();
  expect(await world.recordOf(jobId)).toMatchObject({ status: "paused", processed: 1, credits_reserved: 3 });
  expect(await worker.runDue()).toBe(0);

  await world.actions.resume(caller, jobId);
  expect(await world.recordOf(jobId)).toMatchObject({ status: "processing" });
  expect(await worker.runDue()).toBe(1);
  expect(await world.recordOf(jobId)).toMatchObject({ status: "completed", valid_count: 3 });
  expect(world.eventsOf(jobId)).toEqual(["job.paused", "job.completed"]);
});

test("a job whose last results were saved during a pause completes on resume", async () => {
  const caller = await world.caller(1);
  const jobId = await world.add(caller, [["cy@shop.test"]]);
  const running = await sliceInFlight();
  await world.actions.pause(caller, jobId);
  await running.finish();
  expect(await world.recordOf(jobId)).toMatchObject({ status: "paused", processed: 1, phase: "validating" });
  await world.actions.resume(caller, jobId);
  expect(await world.recordOf(jobId)).toMatchObject({ status: "completed", credits_used: 1 });
});

test("a job charges exactly its results, whatever action runs while slices are saved", async () => {
  const caller = await world.caller(12 * 40);
  let used = 0;
  for (let round = 0; round < 12; round++) {
    const lists = Array.from({ length: 4 }, (_, list) => sandboxList(`valid+${list}`, 10));
    const jobId = await world.add(caller, lists);
    const running = world.open().runDue();
    await pause(2 * round); // timing: any moment
    const action = (["cancel", "pause"] as const)[round % 2]!;
    await world.actions[action](caller, jobId).catch((refusal) =>
      expect(refusal.code).toBe("job_state_conflict"),
    );
    await running;
    await world.actions
      .cancel(caller, jobId)
      .catch((refusal) => expect(refusal.code).toBe("job_state_conflict"));
    const record = await world.recordOf(jobId);
    expect(await world.resultsOf(jobId)).toHaveLength(record.processed);
    expect(record.credits_used).toBe(record.processed);
    used += record.processed;
  }
  expect(await world.balanceOf(caller)).toEqual({ balance: 12 * 40 - used, reserved: 0 });
});

test("a job that is finished while slices are saved has a result for every email, and charges those that were checked", async () => {
  const caller = await world.caller(8 * 40);
  let used = 0;
  for (let round = 0; round < 8; round++) {
    const lists = Array.from({ length: 4 }, (_, list) => sandboxList(`valid+${list}`, 10));
    const jobId = await world.add(caller, lists);
    const running = world.open().runDue();
    await pause(2 * round); // timing: any moment
    await world.actions
      .finish(caller, jobId)
      .catch((refusal) => expect(refusal.code).toBe("job_state_conflict")); // it has ended by itself
    await running;
    await world.openFinisher().runDue();
    const record = await world.recordOf(jobId);
    expect(record).toMatchObject({ status: "completed", processed: 40 });
    expect(await world.resultsOf(jobId)).toHaveLength(40);
    expect(record.credits_used).toBe(record.valid_count);
    used += record.valid_count;
  }
  expect(await world.balanceOf(caller)).toEqual({ balance: 8 * 40 - used, reserved: 0 });
});

test("a large job is finished in batches; what a process that dies has saved is not done again", async () => {
  const caller = await world.caller(3_000);
  const lists = Array.from({ length: 12 }, (_, list) => sandboxList(`valid+${list}`, 250));
  const jobId = await world.add(caller, lists);
  const finishing = { status: "processing", phase: "finishing", eta_reason: "finishing", credits_used: 0 };
  expect(await world.actions.finish(caller, jobId)).toMatchObject({ ...finishing, processed: 0 });
  expect(await world.actions.finish(caller, jobId)).toMatchObject({ ...finishing, processed: 0 });
  expect(await world.open().runDue()).toBe(0);

  const batches: number[] = [];
  let dying = Promise.resolve();
  const first = world.openFinisher(() => {
    dying = world.lose(task!);
  });
  const [task, ...others] = await first.claim();
  expect(others).toEqual([]);
  await first.run(task!).then(() => dying);
  const { processed } = await world.recordOf(jobId);
  expect(processed % 1_000).toBe(0);
  expect(await world.resultsOf(jobId)).toHaveLength(processed);
  expect(await world.recordOf(jobId)).toMatchObject({ ...finishing, credits_reserved: 3_000 });

  await world.openFinisher(() => batches.push(1)).runDue();
  expect(batches).toHaveLength(3 - processed / 1_000 + 1); // and the end
  expect(await world.recordOf(jobId)).toMatchObject({
    status: "completed",
    phase: "done",
    processed: 3_000,
    unknown_count: 3_000,
    credits_used: 0,
    credits_reserved: 0,
  });
  await world.expectSums(jobId);
  expect(await world.balanceOf(caller)).toEqual({ balance: 3_000, reserved: 0 });
  expect(world.eventsOf(jobId)).toEqual(["job.completed"]);
});

test.for(["before", "after"])(
  "checks in flight when a job is finished are neither saved nor charged, and end %s it",
  async (order) => {
    const caller = await world.caller(3);
    const jobId = await world.add(caller, [["ann@shop.test", "valid@mailvet.test"]]);
    const running = await sliceInFlight();
    await world.actions.finish(caller, jobId);
    if (order === "before") await running.finish();
    await world.openFinisher().runDue();
    await running.finish();
    expect(await world.recordOf(jobId)).toMatchObject({ status: "completed", unknown_count: 2 });
    await world.expectSums(jobId);
    expect(await world.balanceOf(caller)).toEqual({ balance: 3, reserved: 0 });
    expect(running.worker.events).toEqual([]);
  },
);

test("a job that is finishing can be paused and cancelled; finishing it again continues it", async () => {
  const caller = await world.caller(20);
  const jobId = await world.add(caller, [sandboxList("valid", 5)]);
  const finisher = world.openFinisher();
  await world.actions.finish(caller, jobId);
  await world.actions.pause(caller, jobId);
  await finisher.runDue();
  expect(await world.recordOf(jobId)).toMatchObject({ status: "paused", phase: "finishing", processed: 0 });
  await world.actions.finish(caller, jobId);
  await finisher.runDue();
  expect(await world.recordOf(jobId)).toMatchObject({ status: "completed", processed: 5, credits_used: 0 });

  const other = await world.add(caller, [sandboxList("valid", 5)]);
  await world.actions.finish(caller, other);
  await world.actions.cancel(caller, other);
  await finisher.runDue();
  expect(await world.recordOf(other)).toMatchObject({ status: "cancelled", processed: 0 });
  expect(await world.balanceOf(caller)).toEqual({ balance: 20, reserved: 0 });
});

test("pauses are not counted as working time", async () => {
  const caller = await world.caller(8);
  const jobId = await halfDone(caller);
  await world.actions.pause(caller, jobId);
  await world.database.pool.query("update jobs set paused_at = paused_at - interval '1 hour' where id = $1", [
    jobId,
  ]);
  await world.actions.resume(caller, jobId);
  await world.actions.pause(caller, jobId);
  await world.database.pool.query("update jobs set paused_at = paused_at - interval '1 hour' where id = $1", [
    jobId,
  ]);
  await world.actions.cancel(caller, jobId);
  const [row] = await world.database.orm.select().from(jobs).where(eq(jobs.id, jobId));
  expect(row!.pausedAt).toBeNull();
  expect(row!.pausedMs / 3_600_000).toBeCloseTo(2, 2);
});

async function setStatus(jobId: string, status: JobStatus): Promise<void> {
  const { orm } = world.database;
  const [job] = await orm.update(jobs).set({ status }).where(eq(jobs.id, jobId)).returning();
  if (hasEnded(job!)) await world.tasks.closeGroup(orm, jobId);
}

const ACTIONS = ["cancel", "pause", "resume"] as const;
const ALLOWED: Record<JobStatus, readonly (typeof ACTIONS)[number][]> = {
  queued: ["cancel"],
  processing: ["cancel", "pause"],
  paused: ["cancel", "resume"],
  completed: [],
  failed: [],
  cancelled: [],
};

test.for(Object.entries(ALLOWED))("a job that is %s allows only %o", async ([status, allowed]) => {
  const caller = testKeyOf(await world.caller(0));
  for (const action of ACTIONS) {
    const jobId = await world.add(caller, [["valid@mailvet.test"]]);
    await setStatus(jobId, status as JobStatus);
    const outcome = world.actions[action](caller, jobId).then(
      () => "done",
      (refusal) => [refusal.code, refusal.message],
    );
    const participle = action === "cancel" ? "cancelled" : `${action}d`;
    expect(await outcome).toEqual(
      allowed.includes(action)
        ? "done"
        : ["job_state_conflict", `The job is ${status}, so it cannot be ${participle}.`],
    );
    await world.actions.erase(caller, jobId);
  }
});

test("another account's job is not found, like one that does not exist", async () => {
  const caller = await world.caller(8);
  const outsider = await world.caller(0);
  const jobId = await halfDone(caller);
  for (const action of [...ACTIONS, "erase"] as const) {
    for (const [who, which] of [
      [outsider, jobId],
      [caller, randomUUID()],
    ] as const) {
      await expect(world.actions[action](who, which)).rejects.toMatchObject({ code: "job_not_found" });
    }
  }
  expect(await world.recordOf(jobId)).toMatchObject({ status: "processing", processed: 3 });
  await world.actions.erase(caller, jobId);
});

test("a failed job has its error and releases unused credits", async () => {
  const caller = await world.caller(8);
  const jobId = await halfDone(caller);
  const error = { code: "internal_error", detail: "A slice failed five times." };
  const fail = () => world.database.orm.transaction((tx) => world.transitions.fail(tx, jobId, error));
  await Promise.all([fail(), fail()]);
  expect(await world.recordOf(jobId)).toMatchObject({
    status: "failed",
    processed: 3,
    error,
    credits_used: 3,
  });
  expect(await world.balanceOf(caller)).toEqual({ balance: 5, reserved: 0 });
  expect(world.eventsOf(jobId)).toEqual(["job.failed"]);
});

/** Number of rows of a job, by table. */
async function tracesOf(jobId: string): Promise<Record<string, number>> {
  const { rows } = await world.database.pool.query<{ name: string; count: number }>(
    `select 'jobs' as name, count(*) from jobs where id = $1
     union all select 'results', count(*) from results where job_id = $1
     union all select 'duplicates', count(*) from duplicates where job_id = $1
     union all select 'slices', count(*) from slices where job_id = $1
     union all select 'counts', count(*) from job_counts where job_id = $1
     union all select 'queue_groups', count(*) from queue_groups where id = $1
     union all select 'tasks', count(*) from tasks where group_id = $1
     union all select 'uploads', count(*) from uploads where filename = $1::text
     union all select 'parts', count(*) from upload_parts join uploads u on u.id = upload_id where filename = $1::text`,
    [jobId],
  );
  return Object.fromEntries([
    ...rows.map(({ name, count }) => [name, count]),
    ["blobs", (await uploadKeys(world.database.blobs)).length],
  ]);
}

/** The job's upload, in blobs, and in more parts than one batch deletes as by earlier releases. Its file name is the job's id. */
async function addUpload(caller: Caller, jobId: string): Promise<void> {
  const { orm } = world.database;
  const [job] = await orm.select().from(jobs).where(eq(jobs.id, jobId));
  await orm.insert(uploads).values({ id: job!.uploadId, accountId: caller.accountId, filename: jobId });
  const part = { uploadId: job!.uploadId, firstRow: 1, rowCount: 1, records: Buffer.from("x") };
  await orm.insert(uploadParts).values(Array.from({ length: 120 }, (_, number) => ({ ...part, number })));
  for (const n of [0, 1]) await world.database.blobs.put(`uploads/${job!.uploadId}/${n}`, Buffer.from("x"));
}

test("erasing a running job cancels it first and leaves no rows", async () => {
  const caller = await world.caller(20);
  const jobId = await world.add(caller, [
    sandboxList("valid", 3),
    [...sandboxList("valid", 1), "ann@shop.test"],
  ]);
  await addUpload(caller, jobId);
  const worker = world.open();
  const [first] = await worker.claim(1);
  await worker.run(first!);
  const running = await sliceInFlight();
  await world.actions.erase(caller, jobId);
  await running.finish();
  expect(new Set(Object.values(await tracesOf(jobId)))).toEqual(new Set([0]));
  expect(world.eventsOf(jobId)).toEqual(["job.cancelled"]);
  expect(await world.balanceOf(caller)).toEqual({ balance: 17, reserved: 0 });
  await expect(world.actions.erase(caller, jobId)).rejects.toMatchObject({ code: "job_not_found" });
});

test("a large job is cancelled and expired at once, and deleted by a task, also after a failure", async () => {
  const caller = await world.caller(20);
  const jobId = await world.add(caller, [sandboxList("valid", 3), sandboxList("catch-all", 5)]);
  await addUpload(caller, jobId);
  const worker = world.open();
  const [first] = await worker.claim(1);
  await worker.run(first!);
  await world.database.pool.query("update jobs set total_rows = 10001 where id = $1", [jobId]);
  expect(await world.actions.erase(caller, jobId)).toMatchObject({ status: "cancelled", results_url: null });
  expect(await world.balanceOf(caller)).toEqual({ balance: 17, reserved: 0 });
  expect(await tracesOf(jobId)).toMatchObject({ jobs: 1, results: 3 });
  expect(await world.actions.erase(caller, jobId)).toMatchObject({ id: jobId }); // again

  const erasures = await world.openFinisher().claim();
  for (const task of erasures) await world.actions.handleErasure(task);
  for (const task of erasures) await world.actions.handleErasure(task); // by a process that was thought dead
  expect(new Set(Object.values(await tracesOf(jobId)))).toEqual(new Set([0]));
});

test("after the retention rows, results and file of a job are deleted, and its record stays", async () => {
  const caller = await world.caller(20);
  const old = await world.add(caller, [[...sandboxList("valid", 3), "valid+0@mailvet.test"]]);
  const young = await world.add(caller, [sandboxList("valid", 2)]);
  await addUpload(caller, old);
  await world.open().runDue();
  expect(await world.actions.eraseExpired()).toBe(0);
  await world.database.pool.query("update jobs set expires_at = now() where id = $1", [old]);
  expect(await world.actions.eraseExpired()).toBe(1);
  expect(await world.actions.eraseExpired()).toBe(0);
  expect(await tracesOf(old)).toMatchObject({
    jobs: 1,
    results: 0,
    duplicates: 0,
    uploads: 0,
    parts: 0,
    blobs: 0,
    counts: 1,
  });
  expect(await world.recordOf(old)).toMatchObject({ status: "completed", valid_count: 3, results_url: null });
  expect(await tracesOf(young)).toMatchObject({ jobs: 1, results: 2 });
});
