/** Stories of what the owner of a job does with it, at whatever moment. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { JobStatus } from "@mailvet/contract";
import { answersSlowly, mailDomain } from "@mailvet/lab";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../src/caller.ts";
import { hasEnded } from "../src/jobs/job-record.ts";
import { jobs } from "../src/jobs/schema.ts";
import { uploadParts, uploads } from "../src/uploads/schema.ts";
import { expectBooksToAddUp } from "./credits-books.ts";
import { type JobWorld, openJobWorld } from "./jobs-run-world.ts";
import { testKeyOf } from "./validation-world.ts";

let world: JobWorld;
beforeAll(async () => {
  const temper = answersSlowly({ delayMs: 150, at: "rcpt" });
  world = await openJobWorld({ "slow.test": mailDomain({ users: ["ann", "bea", "cy"], temper }) });
});
afterAll(async () => {
  await expectBooksToAddUp(world.database);
  await world[Symbol.asyncDispose]();
});

const sandboxList = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}+${index}@mailvet.test`);

/** A job whose first slice is done, and the second not. */
async function halfDone(caller: Caller): Promise<string> {
  const jobId = await world.add(caller, [sandboxList("valid", 3), sandboxList("catch-all", 5)]);
  const worker = world.open();
  const [first] = await worker.claim(1);
  await worker.run(first!);
  return jobId;
}

/** Claims a slice and is in the middle of it: the slow host has heard the question. */
async function underWay() {
  const asked = () => world.lab.counts("mx.slow.test").commands.RCPT ?? 0;
  const before = asked();
  const worker = world.open();
  const [task] = await worker.claim(1);
  const isOver = worker.run(task!);
  await expect.poll(asked, { interval: 10 }).toBeGreaterThan(before);
  return { worker, isOver };
}

test("a job cancelled in the middle costs what has a verdict, and gives back exactly the rest", async () => {
  const caller = await world.caller(10);
  const jobId = await halfDone(caller);
  await world.moves.cancel(caller, jobId);
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

test("what was under way when a job was cancelled is not saved, and not charged", async () => {
  const caller = await world.caller(2);
  const jobId = await world.add(caller, [["ann@slow.test", "valid@mailvet.test"]]);
  const running = await underWay();
  await world.moves.cancel(caller, jobId);
  await running.isOver;
  expect(await world.resultsOf(jobId)).toEqual([]);
  expect(await world.balanceOf(caller)).toEqual({ balance: 2, reserved: 0 });
});

test("what was under way when a job was paused is saved; it goes on when it is resumed, and not before", async () => {
  const caller = await world.caller(3);
  const jobId = await world.add(caller, [["bea@slow.test"], ["valid@mailvet.test", "valid+2@mailvet.test"]]);
  const { worker, isOver } = await underWay();
  await world.moves.pause(caller, jobId);
  await isOver;
  expect(await world.recordOf(jobId)).toMatchObject({ status: "paused", processed: 1, credits_reserved: 3 });
  expect(await worker.runDue()).toBe(0);

  await world.moves.resume(caller, jobId);
  expect(await world.recordOf(jobId)).toMatchObject({ status: "processing" });
  expect(await worker.runDue()).toBe(1);
  expect(await world.recordOf(jobId)).toMatchObject({ status: "completed", valid_count: 3 });
  expect(world.eventsOf(jobId)).toEqual(["job.paused", "job.completed"]);
});

test("a job whose last emails came in while it was paused ends when it is resumed", async () => {
  const caller = await world.caller(1);
  const jobId = await world.add(caller, [["cy@slow.test"]]);
  const running = await underWay();
  await world.moves.pause(caller, jobId);
  await running.isOver;
  expect(await world.recordOf(jobId)).toMatchObject({ status: "paused", processed: 1, phase: "validating" });
  await world.moves.resume(caller, jobId);
  expect(await world.recordOf(jobId)).toMatchObject({ status: "completed", credits_used: 1 });
});

test("whatever its owner does while its slices are saved, a job costs exactly what has a result", async () => {
  const caller = await world.caller(12 * 40);
  let used = 0;
  for (let round = 0; round < 12; round++) {
    const lists = Array.from({ length: 4 }, (_, list) => sandboxList(`valid+${list}`, 10));
    const jobId = await world.add(caller, lists);
    const running = world.open().runDue();
    await pause(2 * round); // timing: any moment will do
    const move = (["cancel", "pause"] as const)[round % 2]!;
    await world.moves[move](caller, jobId).catch((refusal) =>
      expect(refusal.code).toBe("job_state_conflict"),
    );
    await running;
    await world.moves
      .cancel(caller, jobId)
      .catch((refusal) => expect(refusal.code).toBe("job_state_conflict"));
    const record = await world.recordOf(jobId);
    expect(await world.resultsOf(jobId)).toHaveLength(record.processed);
    expect(record.credits_used).toBe(record.processed);
    used += record.processed;
  }
  expect(await world.balanceOf(caller)).toEqual({ balance: 12 * 40 - used, reserved: 0 });
});

test("time in which a job is paused is not counted as working", async () => {
  const caller = await world.caller(8);
  const jobId = await halfDone(caller);
  await world.moves.pause(caller, jobId);
  await world.database.pool.query("update jobs set paused_at = paused_at - interval '1 hour' where id = $1", [
    jobId,
  ]);
  await world.moves.resume(caller, jobId);
  await world.moves.pause(caller, jobId);
  await world.database.pool.query("update jobs set paused_at = paused_at - interval '1 hour' where id = $1", [
    jobId,
  ]);
  await world.moves.cancel(caller, jobId);
  const [row] = await world.database.orm.select().from(jobs).where(eq(jobs.id, jobId));
  expect(row!.pausedAt).toBeNull();
  expect(row!.pausedMs / 3_600_000).toBeCloseTo(2, 2);
});

async function bring(jobId: string, status: JobStatus): Promise<void> {
  const { orm } = world.database;
  const [job] = await orm.update(jobs).set({ status }).where(eq(jobs.id, jobId)).returning();
  if (hasEnded(job!)) await world.tasks.closeGroup(orm, jobId);
}

const MOVES = ["cancel", "pause", "resume"] as const;
const ALLOWED: Record<JobStatus, readonly (typeof MOVES)[number][]> = {
  queued: ["cancel"],
  processing: ["cancel", "pause"],
  paused: ["cancel", "resume"],
  completed: [],
  failed: [],
  cancelled: [],
};

test.for(Object.entries(ALLOWED))("a job that is %s can be moved by %o only", async ([status, allowed]) => {
  const caller = testKeyOf(await world.caller(0));
  for (const move of MOVES) {
    const jobId = await world.add(caller, [["valid@mailvet.test"]]);
    await bring(jobId, status as JobStatus);
    const moved = world.moves[move](caller, jobId).then(
      () => "done",
      (refusal) => [refusal.code, refusal.message],
    );
    const said = move === "cancel" ? "cancelled" : `${move}d`;
    expect(await moved).toEqual(
      allowed.includes(move)
        ? "done"
        : ["job_state_conflict", `The job is ${status}, so it cannot be ${said}.`],
    );
    await world.moves.erase(caller, jobId);
  }
});

test("another account's job is as little there as one that never was", async () => {
  const caller = await world.caller(8);
  const stranger = await world.caller(0);
  const jobId = await halfDone(caller);
  for (const move of [...MOVES, "erase"] as const) {
    for (const [who, which] of [
      [stranger, jobId],
      [caller, randomUUID()],
    ] as const) {
      await expect(world.moves[move](who, which)).rejects.toMatchObject({ code: "job_not_found" });
    }
  }
  expect(await world.recordOf(jobId)).toMatchObject({ status: "processing", processed: 3 });
  await world.moves.erase(caller, jobId);
});

test("a job that cannot go on fails with its reason, and gives back what it did not use", async () => {
  const caller = await world.caller(8);
  const jobId = await halfDone(caller);
  const error = { code: "internal_error", detail: "A slice failed five times." };
  await Promise.all([world.ends.fail(jobId, error), world.ends.fail(jobId, error)]);
  expect(await world.recordOf(jobId)).toMatchObject({
    status: "failed",
    processed: 3,
    error,
    credits_used: 3,
  });
  expect(await world.balanceOf(caller)).toEqual({ balance: 5, reserved: 0 });
  expect(world.eventsOf(jobId)).toEqual(["job.failed"]);
});

/** Where the job's rows are, and how many. */
async function tracesOf(jobId: string): Promise<Record<string, number>> {
  const { rows } = await world.database.pool.query<{ name: string; count: number }>(
    `select 'jobs' as name, count(*) from jobs where id = $1
     union all select 'results', count(*) from results where job_id = $1
     union all select 'duplicates', count(*) from duplicates where job_id = $1
     union all select 'slices', count(*) from slices where job_id = $1
     union all select 'counts', count(*) from job_counts where job_id = $1
     union all select 'lanes', count(*) from lanes where id = $1
     union all select 'tasks', count(*) from tasks where lane_id = $1
     union all select 'uploads', count(*) from uploads where filename = $1::text
     union all select 'parts', count(*) from upload_parts join uploads u on u.id = upload_id where filename = $1::text`,
    [jobId],
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/** The file the job came from, in more parts than are erased at once. Named after the job, to find it again. */
async function addUpload(caller: Caller, jobId: string): Promise<void> {
  const { orm } = world.database;
  const [job] = await orm.select().from(jobs).where(eq(jobs.id, jobId));
  await orm.insert(uploads).values({ id: job!.uploadId, accountId: caller.accountId, filename: jobId });
  const part = { uploadId: job!.uploadId, firstRow: 1, rowCount: 1, records: Buffer.from("x") };
  await orm.insert(uploadParts).values(Array.from({ length: 120 }, (_, number) => ({ ...part, number })));
}

test("a job that is erased while it runs is cancelled first, and then nothing of it is left", async () => {
  const caller = await world.caller(20);
  const jobId = await world.add(caller, [
    sandboxList("valid", 3),
    [...sandboxList("valid", 1), "ann@slow.test"],
  ]);
  await addUpload(caller, jobId);
  const worker = world.open();
  const [first, second] = await worker.claim(2);
  await worker.run(first!);
  const running = worker.run(second!);
  await world.moves.erase(caller, jobId);
  await running;
  expect(new Set(Object.values(await tracesOf(jobId)))).toEqual(new Set([0]));
  expect(world.eventsOf(jobId)).toEqual(["job.cancelled"]);
  expect(await world.balanceOf(caller)).toEqual({ balance: 17, reserved: 0 });
  await expect(world.moves.erase(caller, jobId)).rejects.toMatchObject({ code: "job_not_found" });
});

test("when their time is over, rows, results and file of a job are erased, and its record stays", async () => {
  const caller = await world.caller(20);
  const old = await world.add(caller, [[...sandboxList("valid", 3), "valid+0@mailvet.test"]]);
  const young = await world.add(caller, [sandboxList("valid", 2)]);
  await addUpload(caller, old);
  await world.open().runDue();
  expect(await world.moves.eraseExpired()).toBe(0);
  await world.database.pool.query("update jobs set expires_at = now() where id = $1", [old]);
  expect(await world.moves.eraseExpired()).toBe(1);
  expect(await world.moves.eraseExpired()).toBe(0);
  expect(await tracesOf(old)).toMatchObject({
    jobs: 1,
    results: 0,
    duplicates: 0,
    uploads: 0,
    parts: 0,
    counts: 1,
  });
  expect(await world.recordOf(old)).toMatchObject({ status: "completed", valid_count: 3, results_url: null });
  expect(await tracesOf(young)).toMatchObject({ jobs: 1, results: 2 });
});
