import type { Job } from "@mailvet/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type JobsWorld, openJobsWorld } from "./jobs-read-world.ts";
import { untilUnderWay } from "./program.ts";

let world: JobsWorld;
beforeAll(async () => {
  world = await openJobsWorld();
});
afterAll(() => world.close());

const RUNNING = { status: "processing", startedAt: new Date(), uniqueEmails: 10, totalEmails: 10 } as const;

test("long polling is answered as soon as the job changes", async () => {
  const { ask, addJob } = await world.account();
  const [id, unchanged] = [await addJob(RUNNING), await addJob(RUNNING)];
  const isAnsweredBeforeTimeout = async () => {
    const ended = new AbortController();
    let isOver = false;
    // Sent first, so that its timeout comes before that of the others.
    const timeout = ask(`/bulk/jobs/${unchanged}?wait=30`, { signal: ended.signal });
    await untilUnderWay(world, 1);
    const waiting = Promise.all([1, 2, 3].map(async () => (await ask(`/bulk/jobs/${id}?wait=30`)).json()));
    const first = Promise.race([waiting.then(() => true), timeout.then(() => false)]).finally(() => {
      isOver = true;
    });
    await untilUnderWay(world, 4); // none is answered before a change
    // A request may read the job after a change, and then waits for the next one.
    for (let change = 0; !isOver; change++) await world.change(id, `processed = ${1 + (change % 9)}`);
    const isFirst = await first;
    for (const job of await waiting) {
      expect(job).toMatchObject({ id, progress_percent: job.processed * 10 });
      expect(job.processed).toBeGreaterThan(0);
    }
    ended.abort();
    await timeout.catch(() => {});
    await untilUnderWay(world, 0);
    return isFirst;
  };
  // A machine that needs thirty seconds for this proves nothing by it.
  while (!(await isAnsweredBeforeTimeout()));
});

test("without wait, or after the end, the answer is immediate; without a change it comes at the timeout", async () => {
  const { ask, addJob } = await world.account();
  const [ended, running] = [await addJob({ status: "failed" }), await addJob(RUNNING)];
  // If each were held, these would outlast the test.
  for (let i = 0; i < 8; i++) expect((await ask(`/bulk/jobs/${ended}?wait=30`)).status).toBe(200);
  expect((await ask(`/bulk/jobs/${running}?wait=0`)).status).toBe(200);
  const startedAt = performance.now();
  expect((await ask(`/bulk/jobs/${running}?wait=1`)).status).toBe(200);
  expect(performance.now() - startedAt).toBeGreaterThan(950); // timing: no less on any machine
});

test("a job erased during long polling is answered with job_not_found", async () => {
  const { ask, addJob } = await world.account();
  const id = await addJob(RUNNING);
  const waiting = ask(`/bulk/jobs/${id}?wait=20`);
  await untilUnderWay(world, 1);
  await world.database.pool.query("delete from jobs where id = $1", [id]);
  await world.database.pool.query("select pg_notify('jobs', $1)", [id]);
  expect((await waiting).status).toBe(404);
});

test("a stream sends the job at once, then each change, then the end", async () => {
  const { ask, addJob } = await world.account();
  const id = await addJob(RUNNING);
  const answer = await ask(`/bulk/jobs/${id}/events`, { headers: { accept: "text/event-stream" } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(answer.headers.get("cache-control")).toContain("no-cache");
  expect(answer.headers.get("x-accel-buffering")).toBe("no");
  expect(answer.headers.get("x-credits-remaining")).toBe("100");
  const events = eventsOf(answer);

  expect(await events.next()).toMatchObject({ value: { event: "progress", job: { id, processed: 0 } } });
  await world.change(id, "processed = 3");
  expect(await events.next()).toMatchObject({ value: { event: "progress", job: { processed: 3 } } });
  // The record is read at most twice a second, so only the last of these steps is certain to be sent.
  const startedAtMs = performance.now();
  for (let processed = 4; processed <= 8; processed++) await world.change(id, `processed = ${processed}`);
  const seen: number[] = [];
  while (seen.at(-1) !== 8) seen.push((await events.next()).value!.job.processed);
  const reads = 2 + Math.ceil((performance.now() - startedAtMs) / 500);
  expect(seen.length).toBeLessThanOrEqual(reads); // timing: a slower machine may read more often
  await world.change(id, "status = 'completed', processed = 10, completed_at = now()");
  expect(await events.next()).toMatchObject({ value: { event: "end", job: { status: "completed" } } });
  expect(await events.next()).toMatchObject({ done: true });
});

test("a stream of an ended job sends the end and closes, and so does one of an erased job", async () => {
  const { ask, addJob } = await world.account();
  const ended = eventsOf(await ask(`/bulk/jobs/${await addJob({ status: "cancelled" })}/events`));
  expect(await ended.next()).toMatchObject({ value: { event: "end", job: { status: "cancelled" } } });
  expect(await ended.next()).toMatchObject({ done: true });

  const id = await addJob(RUNNING);
  const erased = eventsOf(await ask(`/bulk/jobs/${id}/events`));
  await erased.next();
  await world.database.pool.query("delete from jobs where id = $1", [id]);
  await world.database.pool.query("select pg_notify('jobs', $1)", [id]);
  expect(await erased.next()).toMatchObject({ value: { event: "end", job: { id } } });
  expect(await erased.next()).toMatchObject({ done: true });
});

test("streams do not count as concurrent requests of the account, and are limited to twenty", async () => {
  const { ask, begin, addJob } = await world.account("payg");
  const id = await addJob(RUNNING);
  const open = await Promise.all(Array.from({ length: 20 }, () => begin(`/bulk/jobs/${id}/events`)));
  expect(new Set(open.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  expect(metrics).toContain("mailvet_http_requests_under_way 0");
  const refused = await ask(`/bulk/jobs/${id}/events`);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  for (const answer of open) answer.destroy();
  const status = async () => {
    const answer = await begin(`/bulk/jobs/${id}/events`);
    answer.destroy();
    return answer.statusCode;
  };
  await expect.poll(status).toBe(200);
});

test("neither a stream nor long polling delays shutdown", async () => {
  await using other = await openJobsWorld();
  const { ask, begin, addJob } = await other.account();
  const id = await addJob(RUNNING);
  const stream = await begin(`/bulk/jobs/${id}/events`);
  stream.resume();
  const waiting = ask(`/bulk/jobs/${id}?wait=30`);
  await untilUnderWay(other, 1); // streams are not counted
  await other.stop();
  expect((await waiting).status).toBe(200);
});

type SentEvent = { event: string; job: Job };

/** Events of a stream, without comments. */
async function* eventsOf(answer: Response): AsyncGenerator<SentEvent, undefined> {
  let text = "";
  for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const found = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end));
      text = text.slice(end + 2);
      if (found) yield { event: found[1]!, job: JSON.parse(found[2]!) };
    }
  }
}
