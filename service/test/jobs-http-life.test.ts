/** The states of a job over HTTP: every transition, and how clients follow it. */
import type { Job } from "@mailvet/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HOOK } from "./endpoints.ts";
import { asJob, beginHeld, type Lists, listsOf, setDue } from "./jobs-http-world.ts";
import { beginHolder } from "./lock-waits.ts";
import { PATIENCE } from "./patience.ts";
import { expectProblem } from "./problems.ts";
import { openService, type TestService } from "./service.ts";

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A new account, because the tests run concurrently. */
const openLists = async (credits = 100) => listsOf(service, await service.openAccount({ credits }));

const listOf = (...names: string[]) => `email\n${names.map((name) => `${name}@mailvet.test`).join("\n")}\n`;

/** A job with one settled email and one deferred. */
const beginHalf = (lists: Lists) => beginHeld(lists, service.database.pool, listOf("valid", "slow-3s"));

const hurry = (id: string) => setDue(service.database.pool, id, "0");

test.concurrent("a greylisted email is retried and then valid; meanwhile the job is in the phase retrying", async () => {
  const lists = await openLists();
  const emails = listOf("valid+g", "greylisted-then-valid+g", "greylisted+g");
  const { id, ...retrying } = await beginHeld(lists, service.database.pool, emails);
  expect(retrying).toMatchObject({
    phase: "retrying",
    status: "processing",
    processed: 2,
    valid_count: 1,
    unknown_count: 1,
    progress_percent: 66.6,
    eta_seconds: null,
    completed_at: null,
    credits_reserved: 3,
    credits_used: 2,
  });
  for (const path of ["/results", "/download"]) {
    await expectProblem(service, await lists.ask(`/bulk/jobs/${id}${path}?final=true`), "results_not_ready");
  }
  await hurry(id);
  const job = await lists.ended(id);
  expect(job).toMatchObject({ status: "completed", valid_count: 2, unknown_count: 1, progress_percent: 100 });
  const [, ...rows] = await lists.download(id);
  expect(rows.map(([, status, subStatus]) => [status, subStatus])).toEqual([
    ["valid", ""],
    ["valid", ""],
    ["unknown", "greylisted"],
  ]);
});

test.concurrent("a paused job checks nothing more; resumed, it runs to its end", async () => {
  const lists = await openLists();
  const { id } = await beginHalf(lists);
  expect(await lists.move(id, "pause")).toMatchObject({ status: "paused", credits_reserved: 2 });
  await refused(lists, id, "pause", "The job is paused, so it cannot be paused.");
  await hurry(id);
  await lists.ended((await lists.begin(listOf("valid+later"))).id); // what is due after it has been claimed
  expect(await lists.job(id)).toMatchObject({ status: "paused", processed: 1 });
  expect((await lists.ask("/bulk/jobs?status=paused")).body.map(({ id }: Job) => id)).toEqual([id]);

  expect((await lists.move(id, "resume")).status).toBe("processing");
  expect(await lists.ended(id)).toMatchObject({ status: "completed", processed: 2, credits_used: 2 });
  for (const move of ["cancel", "pause", "resume"] as const)
    await refused(lists, id, move, "The job is completed");
});

test.concurrent("a cancelled job keeps and charges its verdicts, and the remaining credits are released", async () => {
  const lists = await openLists();
  const { id } = await beginHalf(lists);
  const before = await creditsOf(lists);
  const job = await lists.move(id, "cancel");
  expect(job).toMatchObject({
    status: "cancelled",
    phase: "done",
    processed: 1,
    progress_percent: 50,
    credits_reserved: 0,
    credits_used: 1,
    error: null,
  });
  expect(await creditsOf(lists)).toEqual({ balance: before.balance + 1, reserved: before.reserved - 2 });
  expect((await lists.ask(`/bulk/jobs/${id}/results`)).body).toMatchObject([{ row: 1, status: "valid" }]);
  const [, ...rows] = await lists.download(id);
  expect(rows.map(([, status, , , , , , , , , , , , , , isDuplicate]) => [status, isDuplicate])).toEqual([
    ["valid", "false"],
    ["", ""],
  ]);
  await refused(lists, id, "resume", "The job is cancelled");
});

test.concurrent("a paused job can be cancelled", async () => {
  const lists = await openLists();
  const { id } = await beginHalf(lists);
  await lists.move(id, "pause");
  expect(await lists.move(id, "cancel")).toMatchObject({ status: "cancelled", credits_used: 1 });
});

test.concurrent("erasing a running job cancels it first and releases unused credits", async () => {
  const lists = await openLists();
  const { id } = await beginHalf(lists);
  const before = await creditsOf(lists);
  expect((await lists.ask(`/bulk/jobs/${id}`, { method: "DELETE" })).status).toBe(204);
  expect(await creditsOf(lists)).toEqual({ balance: before.balance + 1, reserved: before.reserved - 2 });
  await expectProblem(service, await lists.ask(`/bulk/jobs/${id}`), "job_not_found");
});

test.concurrent("erasing a large job is answered at once, and ends in a task", async () => {
  const lists = await openLists();
  const { id } = await lists.ended((await lists.begin(listOf("valid+e1"))).id);
  await service.database.pool.query("update jobs set total_rows = 10001 where id = $1", [id]);
  const erased = await lists.ask(`/bulk/jobs/${id}`, { method: "DELETE" });
  expect(erased).toMatchObject({ status: 202, body: { id, results_url: null } });
  const results = await lists.ask(`/bulk/jobs/${id}/results`);
  expect(["results_expired", "job_not_found"]).toContain(results.body.code);
  await expect.poll(async () => (await lists.ask(`/bulk/jobs/${id}`)).status, PATIENCE).toBe(404);
});

test.concurrent("a job that cannot run fails with an error and is not charged", async () => {
  const lists = await openLists();
  const { pool } = service.database;
  const preview = await lists.upload(listOf("valid+f1", "valid+f2"));
  const before = await creditsOf(lists);
  await service.database.blobs.delete(`uploads/${preview.upload_id}/0`); // as after a disk failure
  const { id } = await lists.confirm(preview);
  const lastAttempt = () =>
    pool.query("update tasks set failures = 4, due_at = now() where group_id = $1 and state = 'waiting'", [
      id,
    ]);
  await expect.poll(async () => (await lastAttempt()).rowCount).toBe(1);
  const job = await lists.until(id, ({ status }) => status === "failed");
  expect(job).toMatchObject({
    phase: "done",
    processed: 0,
    credits_used: 0,
    credits_reserved: 0,
    error: {
      code: "internal_error",
      status: 500,
      detail: expect.stringContaining("Unused credits were returned"),
    },
  });
  expect(await creditsOf(lists)).toEqual(before);
  expect((await lists.ask(`/bulk/jobs/${id}/results`)).body).toEqual([]);
  await refused(lists, id, "cancel", "The job is failed");
});

test.concurrent("long polling returns as soon as the job changes, and at once if it has ended", async () => {
  const lists = await openLists();
  const { id } = await beginHalf(lists);
  const waits = async (seconds: number) => asJob((await lists.ask(`/bulk/jobs/${id}?wait=${seconds}`)).body);
  const paused = waits(30);
  await new Promise((resolve) => setTimeout(resolve, 50)); // timing: the request arrives first on most machines
  await lists.move(id, "pause");
  expect((await paused).status).toBe("paused");
  expect((await waits(1)).status).toBe("paused");

  await hurry(id);
  const [resumed] = await Promise.all([waits(30), lists.move(id, "resume")]);
  expect(["processing", "completed"]).toContain(resumed.status);
  await lists.ended(id);
  for (let i = 0; i < 8; i++) await waits(30); // if each were held, this would outlast the test
  await expectProblem(service, await lists.ask(`/bulk/jobs/${id}?wait=31`), "validation_failed");
});

test.concurrent("the event stream reports every step up to the end", async () => {
  const account = await service.openAccount({ credits: 100 });
  const lists = listsOf(service, account);
  const emails = listOf("valid+s", "greylisted-then-valid+s");
  const { id } = await beginHeld(lists, service.database.pool, emails);
  const stream = await fetch(`${service.url}/api/v1/bulk/jobs/${id}/events`, {
    headers: { "x-api-key": account.key },
  });
  let text = "";
  for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (eventsIn(text).length === 1) await hurry(id);
  }
  const events = eventsIn(text);
  const jobs = events.map(({ data }) => asJob(data));
  expect(events.map(({ event }) => event)).toEqual([...events.slice(1).map(() => "progress"), "end"]);
  expect(events.length).toBeGreaterThanOrEqual(2);
  expect(jobs.every((job, n) => job.processed >= (jobs[n - 1]?.processed ?? 0))).toBe(true);
  expect(jobs.some(({ phase }) => phase === "retrying")).toBe(true);
  expect(jobs.at(-1)).toMatchObject({ id, status: "completed", processed: 2 });
  expect((await listenTo(lists, id)).map(({ event }) => event)).toEqual(["end"]);
});

test.concurrent("the event stream reports the end of a cancelled job", async () => {
  const lists = await openLists();
  const { id } = await beginHalf(lists);
  const events = listenTo(lists, id);
  await new Promise((resolve) => setTimeout(resolve, 100)); // timing: any moment
  await lists.move(id, "cancel");
  expect((await events).at(-1)).toMatchObject({ event: "end", data: { status: "cancelled" } });
});

test.concurrent("twenty concurrent jobs all finish, and the ledger adds up", async () => {
  const { begin, ended, ask } = await openLists(500);
  const ids: string[] = [];
  for (let n = 0; n < 20; n++) {
    const emails = Array.from({ length: 20 }, (_, row) => `valid+${n}-${row}`);
    ids.push((await begin(listOf(...emails, "no address"))).id);
  }
  for (const id of ids) {
    expect(await ended(id)).toMatchObject({ status: "completed", valid_count: 20, invalid_count: 1 });
  }
  const { body: credits } = await ask("/credits?limit=100");
  expect(credits).toMatchObject({ balance: 500 - 20 * 21, reserved: 0 });
  const amounts = credits.ledger.map(({ amount }: { amount: number }) => amount);
  expect(amounts.reduce((sum: number, amount: number) => sum + amount, 0)).toBe(credits.balance);
  const { days } = (await ask("/usage")).body;
  const usedIn = (column: string) =>
    days.reduce((sum: number, day: Record<string, number>) => sum + day[column]!, 0); // two days at midnight
  expect(["credits_used", "valid", "invalid"].map(usedIn)).toEqual([420, 400, 20]);
});

test.concurrent.for([
  { end: "cancelled", prepare: async () => {}, move: "cancel" },
  {
    end: "resumed and completed",
    prepare: async (lists: Lists, id: string) => {
      await lists.move(id, "pause");
      // The last result was saved during the pause.
      await service.database.pool.query("update jobs set processed = unique_emails where id = $1", [id]);
    },
    move: "resume",
  },
] as const)("a webhook can be deleted while a job is $end", async ({ prepare, move }) => {
  const account = await service.openAccount({ credits: 100 });
  const lists = listsOf(service, account);
  const { id } = await beginHalf(lists);
  await prepare(lists, id);
  const { body: hook } = await lists.ask("/webhooks", { body: { url: HOOK } });
  const { pool } = service.database;
  // As after a first delivery.
  await pool.query("insert into queue_groups (id, account_id) values ($1, $2)", [hook.id, account.accountId]);
  const share = "insert into queue_shares (account_id, queue, mean_cost) values ($1, 'delivery', 1)";
  await pool.query(share, [account.accountId]);
  await using feeding = await beginHolder(pool);
  const lock = "select from queue_shares where account_id = $1 and queue = 'delivery' for update";
  await feeding.query(lock, [account.accountId]);

  const moving = lists.ask(`/bulk/jobs/${id}/${move}`, { method: "POST" });
  await feeding.untilBlocked(1);
  const deleting = lists.ask(`/webhooks/${hook.id}`, { method: "DELETE" });
  await feeding.untilBlocked(2);
  await feeding.commit();
  expect([(await moving).status, (await deleting).status]).toEqual([200, 204]);
});

async function refused(lists: Lists, id: string, move: string, detail: string): Promise<void> {
  const answer = await lists.ask(`/bulk/jobs/${id}/${move}`, { method: "POST" });
  await expectProblem(service, answer, "job_state_conflict");
  expect(answer.body.detail).toContain(detail);
}

async function creditsOf(lists: Lists): Promise<{ balance: number; reserved: number }> {
  const { balance, reserved } = (await lists.ask("/credits")).body;
  return { balance, reserved };
}

/** All events of a job until the stream ends. */
async function listenTo(lists: Lists, id: string): Promise<{ event: string; data: unknown }[]> {
  const { text, headers } = await lists.ask(`/bulk/jobs/${id}/events`);
  expect(headers.get("content-type")).toMatch(/^text\/event-stream/);
  return eventsIn(text);
}

function eventsIn(stream: string): { event: string; data: unknown }[] {
  const events = [...stream.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)];
  return events.map(([, event = "", data = ""]) => ({ event, data: JSON.parse(data) }));
}
