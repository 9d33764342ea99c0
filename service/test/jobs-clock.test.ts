/** Jobs on machines with wrong clocks, and other edge cases of time and limits. */
import { greylists, mailDomain } from "@mailvet/lab";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { eraseExpiredJobs } from "../src/jobs/retention.ts";
import { expectBooksToAddUp } from "./credits-books.ts";
import { type JobWorld, openJobWorld } from "./jobs-run-world.ts";
import { openIntakeWorld, tableOf } from "./uploads-world.ts";

let world: JobWorld;
beforeAll(async () => {
  world = await openJobWorld({
    "grey.test": mailDomain({ users: ["ann"], temper: greylists({ delayMs: 1_000_000 }) }),
  });
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(async () => {
  await expectBooksToAddUp(world.database);
  await world[Symbol.asyncDispose]();
});

/** Sets the wall clock of this process; timers and the database are not affected. */
function setClock(offsetMs: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + offsetMs });
}

test.for([
  ["ahead", 3_600_000],
  ["behind", -3_600_000],
] as const)("with a clock that is an hour %s, retries are due at the right time", async ([, offsetMs]) => {
  const caller = await world.caller(1);
  const jobId = await world.add(caller, [["greylisted-then-valid@mailvet.test"]]);
  setClock(offsetMs);
  await world.open().runDue();
  await world.expectDelays(jobId, [2]);
  await world.actions.cancel(caller, jobId);
});

test("clock differences between machines do not change the number of retries", async () => {
  const caller = await world.caller(1);
  const jobId = await world.add(caller, [["ann@grey.test"]]);
  await world.open().runDue();
  await world.expectDelays(jobId, [360]);
  await world.hurry(jobId);
  setClock(5 * 3_600_000); // longer than the retry schedule
  await world.open().runDue();
  await world.expectDelays(jobId, [720]);
  await world.actions.cancel(caller, jobId);
});

test("a deleted upload is reported as expired, also with a clock two days behind", async () => {
  await using intake = await openIntakeWorld();
  const caller = await intake.account();
  const { upload_id: uploadId } = await intake.preview(
    caller,
    tableOf(3, (row) => `ann${row}@shop.test`),
  );
  await intake.query("update uploads set expires_at = now()");
  expect(await intake.uploads.eraseExpired()).toBe(1);
  setClock(-2 * 86_400_000);
  const confirming = intake.confirm(caller, { uploadId, emailColumn: "email" });
  await expect(confirming).rejects.toMatchObject({ code: "upload_expired" });
});

test("cells too long for an email are truncated in slices and still get a verdict", async () => {
  await using intake = await openIntakeWorld();
  const caller = await intake.account();
  const essay = "\u{1f4dc}".repeat(20_000);
  const text = tableOf(6, (row) => (row === 1 ? "ann@shop.test" : `${row % 2} ${essay}`));
  const { upload_id: uploadId } = await intake.preview(caller, text);
  const job = await intake.confirm(caller, { uploadId, emailColumn: "email" });
  await intake.plan(await intake.claimPlan(job.id));
  const planned = await intake.query<{ email: string }>(
    `select email->>1 as email from slices, json_array_elements(emails) email
     union all select email from duplicates`,
  );
  expect(planned).toHaveLength(6);
  for (const { email } of planned) expect(email.length).toBeLessThanOrEqual(400);
});

test("time spent waiting for a worker or paused does not count against the retry schedule", async () => {
  const caller = await world.caller(1);
  const jobId = await world.add(caller, [["ann@grey.test"]]);
  await world.open().runDue();
  const { pool } = world.database;
  await pool.query("update tasks set due_at = due_at - interval '9 hours' where group_id = $1", [jobId]);
  await pool.query(
    "update slices set first_asked_at = first_asked_at - interval '9 hours' where job_id = $1",
    [jobId],
  );
  await world.open().runDue();
  await world.expectDelays(jobId, [720]);
  const { rows } = await pool.query(
    "select extract(epoch from now() - first_asked_at)::int as seconds from slices where job_id = $1",
    [jobId],
  );
  expect(rows[0].seconds).toBeLessThan(400); // the six minutes of the retry delay
  await world.actions.cancel(caller, jobId);
});

test("checks started before the limit was reached are awaited and saved", async () => {
  const caller = await world.caller(3);
  const validations = world.openValidations({ maxInFlight: 8 }); // two per account
  const worker = world.open({ validations, waitMs: 600_000 });
  const jobId = await world.add(caller, [["ann@grey.test", "bea@grey.test", "cy@grey.test"]]);
  const [task] = await worker.claim();
  await worker.run(task!);
  expect((await world.dueIn(jobId)).map((seconds) => Math.round(seconds / 60))).toEqual([0, 6]); // one pending, two deferred
  await world.actions.cancel(caller, jobId);
});

test("one maintenance run deletes for a limited time and leaves the rest to the next", async () => {
  const caller = await world.caller(3);
  for (const name of ["a", "b", "c"]) await world.add(caller, [[`valid+${name}@mailvet.test`]]);
  await world.open().runDue();
  const { pool } = world.database;
  await pool.query("update jobs set expires_at = now() where account_id = $1", [caller.accountId]);
  expect(await eraseExpiredJobs(world.database, world.files, 0)).toBe(1);
  expect(await eraseExpiredJobs(world.database, world.files, 600_000)).toBe(2);
});
