import { afterAll, beforeAll, expect, test } from "vitest";
import { lockJob } from "../src/jobs/job-lock.ts";
import type { SliceEmail } from "../src/jobs/slice-cutter.ts";
import { type IntakeWorld, openIntakeWorld, tableOf } from "./uploads-world.ts";

let world: IntakeWorld;
beforeAll(async () => {
  world = await openIntakeWorld();
});
afterAll(() => world.close());

/** More than one window: 24,000 rows, every fourth a duplicate, every hundredth empty. */
const ROWS = 24_000;
const emailAt = (row: number) =>
  row % 100 === 0 ? "" : `user${row % 4 === 0 ? row / 2 : row}@${row % 3 ? `firm${row % 700}` : "big"}.test`;
/** [row, first row] of every non-empty row. */
const expected = (() => {
  const first = new Map<string, number>();
  const rows: [number, number][] = [];
  for (let row = 1; row <= ROWS; row++) {
    const email = emailAt(row);
    if (email === "") continue;
    if (!first.has(email)) first.set(email, row);
    rows.push([row, first.get(email)!]);
  }
  return rows;
})();
const uniqueRows = expected.filter(([row, first]) => row === first);

async function confirmed(text = tableOf(ROWS, emailAt)) {
  const caller = await world.account();
  const { upload_id: uploadId } = await world.preview(caller, text);
  const job = await world.confirm(caller, { uploadId, emailColumn: "email" });
  return { job, task: await world.claimPlan(job.id) };
}

const jobRow = async (id: string) =>
  (await world.query<Record<string, unknown>>("select * from jobs where id = $1", id))[0];

async function planned(jobId: string) {
  const slices = await world.query<{ number: number; emails: SliceEmail[] }>(
    "select number, emails from slices where job_id = $1 order by number",
    jobId,
  );
  const tasks = await world.query<{ subject: string }>(
    "select subject from tasks where group_id = $1 and queue = 'slice' order by id",
    jobId,
  );
  const duplicates = await world.query<{ row: number; first: number }>(
    `select row, first_row as first from duplicates where job_id = $1 order by row`,
    jobId,
  );
  return { slices, tasks, duplicates };
}

/** Every row of the file is in exactly one slice, a duplicate, or empty. */
async function expectAllPlanned(jobId: string) {
  const { slices, tasks, duplicates } = await planned(jobId);
  const emails = slices.flatMap((slice) => slice.emails).sort(([a], [b]) => a - b);
  expect(emails.length).toBe(uniqueRows.length);
  expect(emails.every(([row, email], n) => row === uniqueRows[n]![0] && email === emailAt(row))).toBe(true);
  expect(tasks.map(({ subject }) => Number(subject))).toEqual(slices.map(({ number }) => number));
  expect(duplicates.map(({ row, first }) => [row, first])).toEqual(
    expected.filter(([row, first]) => row !== first),
  );
  expect(await world.query("select from tasks where group_id = $1 and queue = 'plan'", jobId)).toEqual([]);
  expect(await jobRow(jobId)).toMatchObject({ is_planned: true, unique_emails: uniqueRows.length });
}

test("planning puts every email into one slice and starts the job", async () => {
  const { job, task } = await confirmed();
  await world.plan(task);
  await expectAllPlanned(job.id);
  const row = await jobRow(job.id);
  expect(row).toMatchObject({ status: "processing" });
  expect(row?.started_at).toBeInstanceOf(Date);
  expect(world.planned).toContain(job.id);
});

test("a stopped planner is continued by the next, and no row is planned twice", async () => {
  const { job, task } = await confirmed();
  const stop = new AbortController();
  world.afterWindow.do = () => stop.abort();
  await world.plan(task, stop.signal);
  expect(await jobRow(job.id)).toMatchObject({ is_planned: false });
  expect((await planned(job.id)).slices.length).toBeGreaterThan(0);
  const again = await world.claimPlan(job.id);
  expect(again.id).toBe(task.id);
  await world.plan(again);
  await expectAllPlanned(job.id);
});

test("two planners of one job, one of them with expired heartbeats, plan it once", async () => {
  const { job, task } = await confirmed();
  const first = world.plan(task);
  await world.lose(task);
  const again = await world.claimPlan(job.id).catch(() => undefined); // the first may be done
  await Promise.all([first, again && world.plan(again)]);
  // The later one has postponed the task.
  for (let round = 0; round < 5 && (await jobRow(job.id))?.is_planned !== true; round++)
    await world.plan(await world.claimPlan(job.id));
  await expectAllPlanned(job.id);
});

test("a job that is finished while its rows are read is read to its end, and none of them is checked", async () => {
  const { job, task } = await confirmed();
  const stop = new AbortController();
  world.afterWindow.do = () => stop.abort();
  await world.plan(task, stop.signal);
  await world.database.orm.transaction(async (tx) =>
    world.transitions.apply(tx, (await lockJob(tx, job.id))!, "finish_now"),
  );
  expect(await jobRow(job.id)).toMatchObject({ is_planned: false, status: "processing" });
  await world.plan(await world.claimPlan(job.id));
  expect(await jobRow(job.id)).toMatchObject({ is_planned: true, is_finishing: true, status: "processing" });
  const tasks = await world.query("select queue, subject from tasks where group_id = $1", job.id);
  expect(tasks).toEqual([{ queue: "action", subject: "finish" }]);
  const { slices } = await planned(job.id);
  expect(slices.flatMap(({ emails }) => emails)).toHaveLength(uniqueRows.length);
});

test("a paused job is not planned until it resumes, and a cancelled one never", async () => {
  const { job, task } = await confirmed("email\nann@example.com\n");
  await world.query("update jobs set status = 'paused' where id = $1", job.id);
  await world.plan(task);
  expect((await planned(job.id)).slices).toEqual([]);
  await world.query("update jobs set status = 'processing' where id = $1", job.id);
  const again = await world.claimPlan(job.id);
  await world.query("update jobs set status = 'cancelled' where id = $1", job.id);
  await world.plan(again);
  expect((await planned(job.id)).slices).toEqual([]);
  expect(await world.query("select from tasks where group_id = $1", job.id)).toEqual([]);
});

test("planning a deleted job has no effect", async () => {
  const { job, task } = await confirmed("email\nann@example.com\n");
  await world.query("delete from jobs where id = $1", job.id);
  await world.plan(task);
  expect(await world.query("select from tasks where group_id = $1", job.id)).toEqual([]);
});

test("missing rows make planning fail instead of producing a job without them", async () => {
  const { job, task } = await confirmed("email\nann@example.com\n");
  const { blobs } = world.database;
  for await (const { key } of blobs.list("uploads")) await blobs.delete(key);
  await expect(world.plan(task)).rejects.toThrow(/the file of upload \S+ is not in/);
  await world.query("delete from uploads where id = (select upload_id from jobs where id = $1)", job.id);
  await expect(world.plan(task)).rejects.toThrow("rows of its upload are missing");
});

test("characters that the database cannot store are removed from planned cells", async () => {
  const { job, task } = await confirmed(
    "email;n\nann@example.com;1\nb\u0000o@example.com;2\nb\u0000o@example.com;3\n",
  );
  await world.plan(task);
  const { slices, duplicates } = await planned(job.id);
  expect(slices.flatMap(({ emails }) => emails)).toEqual([
    [1, "ann@example.com"],
    [2, "bo@example.com"],
  ]);
  expect(duplicates).toEqual([{ row: 3, first: 2 }]);
});
