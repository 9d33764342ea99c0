/** Running jobs: every email gets exactly one result, whatever fails on the way. */
import { ALL_SUB_STATUSES, STATUS_OF } from "@mailvet/contract";
import { answersSlowly, greylists, mailDomain, saysNothing } from "@mailvet/lab";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { jobs, slices } from "../src/jobs/schema.ts";
import { expectBooksToAddUp } from "./credits-books.ts";
import { type JobWorld, openJobWorld } from "./jobs-run-world.ts";
import { testKeyOf } from "./validation-world.ts";

let world: JobWorld;
beforeAll(async () => {
  world = await openJobWorld({
    "shop.test": mailDomain({ users: ["ann", "eve", "fay"] }),
    "unasked.test": mailDomain({ users: ["ann"] }),
    "grey.test": mailDomain({ users: ["ann"], temper: greylists({ delayMs: 1_000_000 }) }),
    "slow.test": mailDomain({ users: ["ann"], temper: answersSlowly({ delayMs: 150, at: "rcpt" }) }),
    "dumb.test": mailDomain({ users: ["ann"], temper: saysNothing({ at: "rcpt" }) }),
    "mute.test": mailDomain({ users: ["ann"], temper: saysNothing({ at: "rcpt" }) }),
  });
});
afterAll(async () => {
  await expectBooksToAddUp(world.database);
  await world[Symbol.asyncDispose]();
});

const nameOf = (subStatus: string) => subStatus.replaceAll("_", "-") || "valid";

test("a job with every verdict ends once, with one result and one credit per email", async () => {
  const caller = await world.caller(100);
  const emails = ALL_SUB_STATUSES.map((subStatus) => `${nameOf(subStatus)}@mailvet.test`);
  const jobId = await world.add(caller, [
    emails,
    ["not an address", "nul\0\ud83d@x", emails[0]!, "not an address"],
  ]);
  const unique = emails.length + 2; // two more that are not addresses
  expect(await world.balanceOf(caller)).toEqual({ balance: 100 - unique, reserved: unique });

  expect(await world.open().runDue()).toBe(2);

  const record = await world.recordOf(jobId);
  expect(record).toMatchObject({
    status: "completed",
    phase: "done",
    processed: unique,
    progress_percent: 100,
  });
  expect(record).toMatchObject({
    duplicate_count: 2,
    credits_used: unique,
    credits_reserved: 0,
    error: null,
  });
  const keptMs = Date.parse(record.expires_at!) - Date.parse(record.completed_at!);
  expect(keptMs / 86_400_000).toBeCloseTo(30, 3);
  const found = await world.resultsOf(jobId);
  expect(
    found.slice(0, emails.length).map(({ email, status, subStatus }) => [email, status, subStatus]),
  ).toEqual(ALL_SUB_STATUSES.map((subStatus, index) => [emails[index], STATUS_OF[subStatus], subStatus]));
  expect(found[0]).toMatchObject({
    row: 1,
    isValid: true,
    safeToSend: true,
    smtpCode: 250,
    provider: "other",
  });
  expect(found.at(-1)).toMatchObject({ email: "nul\ufffd\ufffd@x", subStatus: "syntax_error" });
  await world.expectSums(jobId);
  expect(world.eventsOf(jobId)).toEqual(["job.completed"]);
  expect(world.published.at(-1)?.job).toEqual(record);
  // Of our own fault: internal_error, egress_blocked, smtp_skipped, probe_blocked.
  expect(record.credits_refunded).toBe(4);
  expect(await world.balanceOf(caller)).toEqual({ balance: 100 - unique + 4, reserved: 0 });
});

test("a test key's job runs and is not charged", async () => {
  const caller = testKeyOf(await world.caller(0));
  const jobId = await world.add(caller, [["ann@gmail.com", "catch-all@shop.test"]]);
  await world.open().runDue();
  expect(await world.recordOf(jobId)).toMatchObject({
    status: "completed",
    valid_count: 1,
    risky_count: 1,
    credits_used: 2,
  });
  expect(await world.balanceOf(caller)).toEqual({ balance: 0, reserved: 0 });
});

test("four slices that end concurrently finish the job once", async () => {
  const caller = await world.caller(400);
  const lists = Array.from({ length: 4 }, (_, list) =>
    Array.from({ length: 100 }, (_, index) => `valid+${list}-${index}@mailvet.test`),
  );
  const jobId = await world.add(caller, lists);
  const workers = lists.map(() => world.open());
  const claimed = await workers[0]!.claim();
  await Promise.all(workers.map((worker, index) => worker.run(claimed[index]!)));
  expect(world.eventsOf(jobId)).toEqual(["job.completed"]);
  await world.expectSums(jobId);
  expect(await world.balanceOf(caller)).toEqual({ balance: 0, reserved: 0 });
});

test("mail servers are asked once per email, and their reply decides the result", async () => {
  const caller = await world.caller(20);
  const jobId = await world.add(caller, [["ann@shop.test", "nobody@shop.test", "x@nowhere.test"]]);
  const worker = world.open();
  await worker.runDue();
  expect((await world.resultsOf(jobId)).map(({ email, subStatus }) => [email, subStatus])).toEqual([
    ["ann@shop.test", ""],
    ["nobody@shop.test", "mailbox_not_found"],
    ["x@nowhere.test", "domain_not_found"],
  ]);
  const asked = world.lab.counts("mx.shop.test").commands.RCPT;
  await world.add(caller, [["ann@shop.test"]]);
  await worker.runDue(); // answered from the verdict cache
  expect(world.lab.counts("mx.shop.test").commands.RCPT).toBe(asked);
});

test("deferred emails are retried when due, by any process, and do not delay the others", async () => {
  const caller = await world.caller(3);
  const emails = ["greylisted-then-valid@mailvet.test", "slow-3s@mailvet.test", "valid@mailvet.test"];
  const jobId = await world.add(caller, [emails]);
  await world.open().runDue();
  expect(await world.recordOf(jobId)).toMatchObject({
    status: "processing",
    phase: "retrying",
    processed: 1,
  });
  await world.expectDelays(jobId, [2, 3]);
  await world.database.pool.query(
    "update tasks set due_at = due_at + interval '1 hour' where group_id = $1",
    [jobId],
  );
  expect(await world.open().runDue()).toBe(0);

  await world.hurry(jobId);
  expect(await world.open().runDue()).toBe(2);
  expect(await world.recordOf(jobId)).toMatchObject({ status: "completed", valid_count: 3 });
  await world.expectSums(jobId);
});

test("when retries are exhausted, the last verdict of a greylisted email is the result", async () => {
  const caller = await world.caller(1);
  const jobId = await world.add(caller, [["ann@grey.test"]]);
  const worker = world.open();
  const waits: number[] = [];
  while ((await worker.runDue()) > 0) {
    waits.push(...(await world.dueIn(jobId)));
    await world.hurry(jobId);
  }
  expect(waits.map((seconds) => Math.round(seconds / 60))).toEqual([6, 12, 24, 48]);
  expect(await world.resultsOf(jobId)).toMatchObject([
    { status: "unknown", subStatus: "greylisted", smtpCode: 450 },
  ]);
  expect(await world.recordOf(jobId)).toMatchObject({ status: "completed", credits_used: 1 });
});

test("a stalled worker whose heartbeats expired saves nothing, and another saves its slice once", async () => {
  const caller = await world.caller(2);
  const jobId = await world.add(caller, [["ann@slow.test", "no@slow.test"]]);
  const stalled = world.open();
  const [task] = await stalled.claim();
  const stalling = stalled.run(task!);
  await world.lose(task!);
  const other = world.open();
  await Promise.all([stalling, other.runDue()]);
  await world.expectSums(jobId);
  expect(await world.recordOf(jobId)).toMatchObject({ status: "completed", processed: 2, valid_count: 1 });
  expect(world.eventsOf(jobId)).toEqual(["job.completed"]);
});

test.for([
  ["everything", ["valid@mailvet.test"]],
  ["a part", ["valid@mailvet.test", "ann@mute.test"]],
] as const)("a worker whose claim is lost saves nothing, although it has %s", async ([, emails]) => {
  const caller = await world.caller(emails.length);
  const jobId = await world.add(caller, [emails]);
  const late = world.open({ waitMs: 100 });
  const [task] = await late.claim();
  await world.lose(task!);
  const heir = world.open({ waitMs: 100 });
  expect(await heir.claim()).toHaveLength(1);

  await late.run(task!);

  expect(await world.resultsOf(jobId)).toEqual([]);
  expect(await world.recordOf(jobId)).toMatchObject({ status: "processing", processed: 0 });
  const [slice] = await world.database.orm.select().from(slices).where(eq(slices.jobId, jobId));
  expect(slice).toMatchObject({ emails: emails.map((email, index) => [index + 1, email]), sittings: 0 });
  await world.actions.cancel(caller, jobId);
});

test("a worker whose claim is lost, after another has saved the same rows, changes nothing and reports no error", async () => {
  const caller = await world.caller(1);
  const jobId = await world.add(caller, [["valid@mailvet.test"]]);
  const late = world.open();
  const [task] = await late.claim();
  await world.lose(task!);
  const heir = world.open();
  // Its slice was loaded before the other worker deleted it.
  const [slice] = await world.database.orm.select().from(slices).where(eq(slices.jobId, jobId));
  expect(await heir.runDue()).toBe(1);
  await world.database.orm.insert(slices).values(slice!);
  const saved = await world.resultsOf(jobId);
  await world.database.pool.query("update jobs set status = 'processing' where id = $1", [jobId]);
  await late.run(task!);
  expect(await world.resultsOf(jobId)).toEqual(saved);
  expect(await world.recordOf(jobId)).toMatchObject({ processed: 1 });
});

test("on shutdown a worker saves what it has, and the rest of the slice waits without counting as a failure", async () => {
  const caller = await world.caller(2);
  const jobId = await world.add(caller, [["valid@mailvet.test", "ann@dumb.test"]]);
  const stopping = world.open({ waitMs: 600_000 });
  const [task] = await stopping.claim();
  const stop = new AbortController();
  const asked = () => world.lab.counts("mx.dumb.test").commands.RCPT ?? 0;
  const running = stopping.run(task!, stop.signal);
  await expect.poll(asked).toBeGreaterThan(0);
  stop.abort();
  await running;
  expect(await world.recordOf(jobId)).toMatchObject({ status: "processing", processed: 1 });
  const [left] = await world.database.orm.select().from(slices).where(eq(slices.jobId, jobId));
  expect(left).toMatchObject({ emails: [[2, "ann@dumb.test"]], attempt: 0, sittings: 1 });
  await world.hurry(jobId);
  expect(await world.open().claim()).toMatchObject([{ id: task!.id, failures: 0, turn: { retryCount: 0 } }]);
  await world.actions.cancel(caller, jobId);
});

test("settled emails are saved while others are in flight, and the number of waits is limited", async () => {
  const caller = await world.caller(2);
  const jobId = await world.add(caller, [["valid@mailvet.test", "bea@dumb.test"]]);
  await world.database.orm.update(slices).set({ sittings: 237 }).where(eq(slices.jobId, jobId));
  const validations = world.openValidations();
  const { wait } = validations.answers;
  validations.answers.wait = async (checks, ...rest) => {
    await expect.poll(() => checks[0]?.running.check.evidence.route).toBeDefined(); // it is about SMTP from here on
    return wait(checks, ...rest);
  };
  const worker = world.open({ validations, waitMs: 150 });
  const running = worker.runDue();
  await expect.poll(async () => (await world.recordOf(jobId)).processed).toBe(1);
  await running; // the third wait was the last
  expect(await world.recordOf(jobId)).toMatchObject({
    status: "processing",
    phase: "retrying",
    processed: 1,
  });
  await world.expectDelays(jobId, [300]);
  await world.actions.cancel(caller, jobId);
});

test("a small job gets a slot while a large one occupies all of them waiting for slow hosts", async () => {
  const large = await world.caller(2);
  const small = await world.caller(1);
  const largeJob = await world.add(large, [["cy@dumb.test"], ["dee@dumb.test"]]);
  const worker = world.open({ waitMs: 150 });
  const claimed = await worker.claim(); // before the small job exists
  const waiting = Promise.all(claimed.map((task) => worker.run(task)));
  const smallJob = await world.add(small, [["valid@mailvet.test"]]);
  await world.feed.feedDue("slice"); // as any worker does, even if its slots are occupied
  await waiting; // the large job leaves the slots to the small one
  const [next] = await worker.claim(1);
  expect(next!.groupId).toBe(smallJob);
  await worker.run(next!);
  expect(await world.recordOf(smallJob)).toMatchObject({ status: "completed" });
  expect(await worker.claim()).toMatchObject([{ groupId: largeJob }, { groupId: largeJob }]);
  await world.actions.cancel(large, largeJob);
});

test("when the limit of concurrent checks is reached, a slice is postponed without counting as a failure", async () => {
  const caller = await world.caller(3);
  const validations = world.openValidations({ maxInFlight: 4 }); // one per account
  const worker = world.open({ validations, waitMs: 600_000 });
  const jobId = await world.add(caller, [["eve@shop.test", "fay@shop.test", "valid@mailvet.test"]]);
  const [task] = await worker.claim();
  await worker.run(task!);
  expect(await world.recordOf(jobId)).toMatchObject({ processed: 2 });
  await world.expectDelays(jobId, [5]);
  await expect
    .poll(async () => {
      await world.hurry(jobId);
      await worker.runDue();
      return world.recordOf(jobId);
    })
    .toMatchObject({ status: "completed", valid_count: 3 });
});

test.for(["dns", "syntax"] as const)(
  "a job of level %s connects to no mail host, and is charged for what it asked for",
  async (level) => {
    const caller = await world.caller(2);
    const jobId = await world.add(caller, [["ann@unasked.test", "nemo@unasked.test"]]);
    await world.database.orm.update(jobs).set({ level }).where(eq(jobs.id, jobId));
    await world.open().runDue();
    const found = await world.resultsOf(jobId);
    expect(found.map(({ subStatus }) => subStatus)).toEqual(["smtp_skipped", "smtp_skipped"]);
    expect(world.lab.counts("mx.unasked.test").commands).toEqual({});
    expect(await world.recordOf(jobId)).toMatchObject({ credits_used: 2, credits_refunded: 0 });
    expect(await world.balanceOf(caller)).toEqual({ balance: 0, reserved: 0 });
  },
);
