import { setImmediate as nextTurn } from "node:timers/promises";
import type { Job } from "@mailvet/contract";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { readJobRecord } from "../src/jobs/job-record.ts";
import { createJobWatch, JOB_PROGRESS_CHANNEL, JOBS_CHANNEL } from "../src/jobs/job-watch.ts";
import { type JobsWorld, openJobsWorld } from "./jobs-read-world.ts";

let world: JobsWorld;
beforeAll(async () => {
  world = await openJobsWorld();
});
afterAll(() => world.close());

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }); // no time passes unless a test says so
  return () => void vi.useRealTimers();
});

const RUNNING = { status: "processing", startedAt: new Date(), uniqueEmails: 10, totalEmails: 10 } as const;
/** `expect.poll` would let time pass. */
async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) {
    vi.advanceTimersByTime(0); // timers without a delay
    await nextTurn();
  }
}

/** A watch of one job that has been read once, notified by the test. */
async function watchedJob() {
  const { database } = world;
  const id = await (await world.account()).addJob(RUNNING);
  const handlers = new Map<string, (jobId: string) => void>();
  let reads = 0;
  const watch = createJobWatch({
    database: {
      get orm() {
        reads++;
        return database.orm;
      },
    },
    pubsub: { on: (channel, handler) => void handlers.set(channel, handler), onGap: () => {} },
  });
  const seen: (Job | undefined)[] = [];
  const before = (await readJobRecord(database.orm, id))!;
  const change = async (channel: string, assignments: string) => {
    await database.pool.query(`update jobs set ${assignments} where id = $1`, [id]);
    handlers.get(channel)!(id);
  };
  await database.pool.query("update jobs set processed = 1 where id = $1", [id]);
  watch.follow(before, (job) => seen.push(job));
  await until(() => seen.length === 1);
  return { seen, change, reads: () => reads, [Symbol.dispose]: () => watch.close() };
}

test("the end of a job is announced at once, although its progress was announced a moment ago", async () => {
  using job = await watchedJob();
  await job.change(JOB_PROGRESS_CHANNEL, "processed = 9");
  await job.change(JOBS_CHANNEL, "status = 'completed', processed = 10, completed_at = now()");
  await until(() => job.seen.length === 2);
  expect(job.seen[1]).toMatchObject({ status: "completed", processed: 10 });
});

test("progress is announced half a second after the last time", async () => {
  using job = await watchedJob();
  for (let processed = 2; processed <= 8; processed++)
    await job.change(JOB_PROGRESS_CHANNEL, `processed = ${processed}`);
  vi.advanceTimersByTime(499);
  expect(job.reads()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(job.reads()).toBe(2);
  await until(() => job.seen.length === 2);
  expect(job.seen[1]).toMatchObject({ processed: 8 });
});

test("an end that comes while the record is read is announced without a pause", async () => {
  using job = await watchedJob();
  await job.change(JOBS_CHANNEL, "processed = 5");
  vi.advanceTimersByTime(0); // the read has begun
  await job.change(JOBS_CHANNEL, "status = 'completed', processed = 10, completed_at = now()");
  await until(() => job.seen.at(-1)?.status === "completed");
});
