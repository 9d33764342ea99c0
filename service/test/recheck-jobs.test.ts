/** Asking again for results of a completed job, over HTTP. */
import type { Job, JobResult } from "@mailvet/contract";
import { type Lab, mailDomain, openLab } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectBooksToAddUp } from "./credits-books.ts";
import { type Lists, listsOf } from "./jobs-http-world.ts";
import { beginHolder } from "./lock-waits.ts";
import { expectProblem } from "./problems.ts";
import { openService, type TestAccount, type TestService } from "./service.ts";

/** An email that is deferred for longer than any test takes. */
const GREYLISTED = "451 4.7.1 Greylisted, please try again in 3600 seconds";

let lab: Lab;
let service: TestService;
let isGone = false;
let joined = "";
let isBusy = false;
let replies = Promise.resolve();
beforeAll(async () => {
  lab = await openLab({
    "shop.test": mailDomain({ users: ({ localPart }) => localPart === "cy" && !isGone }),
    "team.test": mailDomain({ users: ({ localPart }) => localPart === joined }),
    "busy.test": mailDomain({
      users: ["bob"],
      temper: { on: { rcpt: () => (isBusy ? { reply: GREYLISTED } : undefined) } },
    }),
    "patient.test": mailDomain({
      temper: { on: { rcpt: () => ({ until: replies, reply: "550 5.1.1 User unknown" }) } },
    }),
  });
  service = await openService({ lab });
});
afterAll(async () => {
  await expectBooksToAddUp(service.database);
  await service[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

async function completed(credits: number, names: readonly string[]) {
  const ann = await service.openAccount({ credits });
  const lists = listsOf(service, ann);
  const emails = names.map((name) => (name.includes("@") ? name : `${name}@mailvet.test`));
  const job = await lists.ended((await lists.begin(`email\n${emails.join("\n")}\n`)).id);
  return { ann, lists, job };
}

/** A job of three whose recheck has two results, and defers the other. */
async function recheckedHalf() {
  isBusy = false;
  const { ann, lists, job } = await completed(10, ["valid+1", "bob@busy.test", "valid+3"]);
  isBusy = true;
  await recheck(lists, job, { which: "all" });
  await lists.until(job.id, ({ processed }) => processed === 2);
  return { ann, lists, job };
}

const recheck = (lists: Lists, { id }: Job, body: unknown) => lists.ask(`/bulk/jobs/${id}/recheck`, { body });
const resultsOf = async (lists: Lists, { id }: Job): Promise<JobResult[]> =>
  (await lists.ask(`/bulk/jobs/${id}/results?limit=100`)).body;
const balanceOf = async ({ key }: TestAccount) => (await service.ask("/credits", { key })).body;

/** As if the first attempt had been greylisted, so long ago. */
async function makeUnknown({ id }: Job, row: number, ageHours: number): Promise<void> {
  const { pool } = service.database;
  const { rows } = await pool.query("select sub_status from results where job_id = $1 and row = $2", [
    id,
    row,
  ]);
  await pool.query(
    `update results set status = 'unknown', sub_status = 'greylisted', checked_at = now() - $3 * interval '1 hour'
     where job_id = $1 and row = $2`,
    [id, row, ageHours],
  );
  await pool.query("update job_counts set count = count - 1 where job_id = $1 and sub_status = $2", [
    id,
    rows[0].sub_status,
  ]);
  await pool.query(
    `insert into job_counts as c (job_id, sub_status, count) values ($1, 'greylisted', 1)
     on conflict (job_id, sub_status) do update set count = c.count + 1`,
    [id],
  );
}

const makeOld = ({ id }: Job, column: "created_at" | "completed_at", ageHours: number) =>
  service.database.pool.query(`update jobs set ${column} = now() - $2 * interval '1 hour' where id = $1`, [
    id,
    ageHours,
  ]);

test("unknown results are asked for again free of charge, and the verdict before is shown", async () => {
  const { ann, lists, job } = await completed(4, ["valid+1", "valid+2", "catch-all"]);
  await makeUnknown(job, 1, 1);
  expect(await balanceOf(ann)).toMatchObject({ balance: 1 });

  const { status, body } = await recheck(lists, job, { which: "unknown" });
  expect(status).toBe(202);
  expect(body).toMatchObject({ id: job.id, status: "queued", attempt: 2, processed: 2, credits_reserved: 0 });
  const again = await lists.ended(job.id);
  expect(again).toMatchObject({
    status: "completed",
    attempt: 2,
    processed: 3,
    valid_count: 2,
    risky_count: 1,
    unknown_count: 0,
    credits_used: 3,
    credits_refunded: 0,
  });
  expect(await resultsOf(lists, job)).toMatchObject([
    { row: 1, status: "valid", previous_status: "unknown", previous_sub_status: "greylisted" },
    { row: 2, status: "valid", previous_status: null },
    { row: 3, status: "risky", previous_status: null },
  ]);
  expect(await balanceOf(ann)).toMatchObject({ balance: 1, reserved: 0 });
});

test("an unknown of more than a day ago, and everything else, costs a credit per email", async () => {
  const { ann, lists, job } = await completed(10, ["valid+1", "valid+2", "catch-all", "not an address"]);
  await makeUnknown(job, 1, 25);
  await makeUnknown(job, 2, 1);
  await makeOld(job, "created_at", 26);
  const { body } = await recheck(lists, job, { which: "all" });
  expect(body).toMatchObject({ credits_reserved: 3, credits_used: 4 });
  expect(await lists.ended(job.id)).toMatchObject({ credits_used: 7, credits_refunded: 0, valid_count: 2 });
  expect(await balanceOf(ann)).toMatchObject({ balance: 3, reserved: 0 });
  const { body: usage } = await service.ask("/usage", { key: ann.key });
  const perDay = usage.days.map(({ credits_used }: { credits_used: number }) => credits_used); // two around midnight
  expect(perDay.reduce((sum: number, used: number) => sum + used, 0)).toBe(7);
});

test.each([
  ["every unknown of a job of today is free", 0, 0, 1],
  ["no unknown of a job that ended yesterday is free", 30, 25, 2],
])("the request reads no results where the counts tell the price: %s", async (_, began, ended, price) => {
  const { lists, job } = await completed(10, ["valid+1", "valid+2", "catch-all"]);
  await makeUnknown(job, 1, ended);
  await makeOld(job, "created_at", began);
  await makeOld(job, "completed_at", ended);
  await using reader = await beginHolder(service.database.pool);
  await reader.query("lock table results in access exclusive mode", []);
  const choice = { which: "filter", filter: { status: "valid,unknown" } };
  const { status, body } = await recheck(lists, job, choice);
  expect(status).toBe(202);
  expect(body).toMatchObject({ processed: 1, credits_reserved: price, unknown_count: 0, risky_count: 1 });
  await reader.commit();
  expect(await lists.ended(job.id)).toMatchObject({ processed: 3, credits_used: 3 + price, valid_count: 2 });
});

test("a verdict is not replaced by unknown, and that check is refunded", async () => {
  const { ann, lists, job } = await completed(10, ["greylisted", "egress-blocked"]);
  const { pool } = service.database;
  await pool.query(
    "update results set status = 'valid', sub_status = '', checked_at = now() - interval '3 days' where job_id = $1",
    [job.id],
  );
  await pool.query("delete from job_counts where job_id = $1", [job.id]);
  await pool.query("insert into job_counts (job_id, sub_status, count) values ($1, '', 2)", [job.id]);
  const before = (await balanceOf(ann)).balance;
  await recheck(lists, job, { which: "filter", filter: { status: "valid", domain: "mailvet.test" } });
  expect(await lists.ended(job.id)).toMatchObject({ valid_count: 2, unknown_count: 0 });
  expect((await balanceOf(ann)).balance).toBe(before);
  for (const { status, previous_status } of await resultsOf(lists, job))
    expect([status, previous_status]).toEqual(["valid", null]);
});

test("a recheck asks the mail server, not the cache", async () => {
  isGone = false;
  const { lists, job } = await completed(10, ["cy@shop.test"]);
  expect(job).toMatchObject({ valid_count: 1 });
  isGone = true;
  await recheck(lists, job, { which: "all" });
  expect(await lists.ended(job.id)).toMatchObject({ valid_count: 0, invalid_count: 1 });
  expect(await resultsOf(lists, job)).toMatchObject([
    { status: "invalid", sub_status: "mailbox_not_found", previous_status: "valid", previous_sub_status: "" },
  ]);
});

test("a recheck that is cancelled leaves a verdict for every row, and charges what it has asked", async () => {
  const { ann, lists, job } = await recheckedHalf();
  const { body } = await lists.ask(`/bulk/jobs/${job.id}/cancel`, { method: "POST" });
  expect(body).toMatchObject({ status: "completed", processed: 3, valid_count: 3, credits_used: 5 });
  expect(await resultsOf(lists, job)).toHaveLength(3);
  expect(await balanceOf(ann)).toMatchObject({ balance: 5, reserved: 0 });
});

test("a recheck that is finished keeps the verdicts it has not replaced, free of charge", async () => {
  const { ann, lists, job } = await recheckedHalf();
  // Rows that are asked for again have a verdict meanwhile.
  expect((await resultsOf(lists, job)).map(({ row, status }) => [row, status])).toEqual([
    [1, "valid"],
    [2, "valid"],
    [3, "valid"],
  ]);
  await lists.ask(`/bulk/jobs/${job.id}/finish`, { method: "POST" });
  expect(await lists.ended(job.id)).toMatchObject({
    status: "completed",
    processed: 3,
    valid_count: 3,
    credits_used: 5,
  });
  expect(await balanceOf(ann)).toMatchObject({ balance: 5, reserved: 0 });
});

test("a row that is replaced has its own evidence, and leaves that of others", async () => {
  joined = "";
  const { lists, job } = await completed(10, ["ann@team.test", "bob@team.test", "dan@team.test"]);
  const before = await resultsOf(lists, job);
  expect(before.map(({ sub_status }) => sub_status)).toEqual(Array(3).fill("mailbox_not_found"));
  joined = "ann";
  await recheck(lists, job, { which: "filter", filter: { q: "ANN@", status: "invalid,risky" } });
  await lists.ended(job.id);
  const [first, ...others] = await resultsOf(lists, job);
  expect(first).toMatchObject({ status: "valid", previous_status: "invalid", recommendation: "send" });
  expect(first!.reason).toContain("accepts this mailbox");
  expect(others).toEqual(before.slice(1));
  const { body: report } = await lists.ask(`/bulk/jobs/${job.id}/results/1`);
  expect(report).toMatchObject({ status: "valid", recommendation: "send", details: { smtp_code: 250 } });
});

test("refused: nothing is selected, too few credits, or the job is not completed", async () => {
  const { lists, job } = await completed(2, ["valid+1", "catch-all"]);
  await expectProblem(service, await recheck(lists, job, { which: "unknown" }), "job_state_conflict");
  await expectProblem(service, await recheck(lists, job, { which: "all" }), "insufficient_credits");
  const after = await lists.job(job.id);
  expect(after).toEqual(job);
});

test("of concurrent rechecks one runs, and is charged once", async () => {
  const { ann, lists, job } = await completed(20, ["valid+1", "cy@patient.test"]);
  let reply = () => {};
  replies = new Promise((resolve) => (reply = resolve)); // no recheck ends before all are requested
  const answers = await Promise.all([1, 2, 3, 4].map(() => recheck(lists, job, { which: "all" })));
  reply();
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
  expect(await lists.ended(job.id)).toMatchObject({ attempt: 2, credits_used: 4 });
  expect(await balanceOf(ann)).toMatchObject({ balance: 16, reserved: 0 });
});
