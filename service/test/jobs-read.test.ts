import { randomUUID } from "node:crypto";
import { Job, JobResult } from "@mailvet/contract";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type JobsWorld, openJobsWorld } from "./jobs-read-world.ts";

let world: JobsWorld;
beforeAll(async () => {
  world = await openJobsWorld();
});
afterAll(() => world.close());

const isJobs = Compile(Type.Array(Job));
const isResults = Compile(Type.Array(JobResult));
const LIST = { rows: [["a@x.io"], [""], ["b@x.io"], ["A@X.io"], ["nobody"]] };
const VERDICTS = { "a@x.io": "", "b@x.io": "mailbox_not_found", nobody: "syntax_error" } as const;

test("jobs are listed newest first, with pagination and status filter", async () => {
  const { ask, addJob } = await world.account();
  const ids: string[] = [];
  for (let minute = 1; minute <= 4; minute++) {
    const status = minute === 2 ? "failed" : "completed";
    ids.unshift(await addJob({ ...LIST, status, createdAt: new Date(Date.UTC(2026, 10, 15, 9, minute)) }));
  }
  const first = await ask("/bulk/jobs?limit=3");
  const page = (await first.json()) as Job[];
  expect(isJobs.Errors(page)).toEqual([]);
  expect(page.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  expect(first.headers.get("x-total-count")).toBe("4");
  expect(first.headers.get("link")).toBe('</api/v1/bulk/jobs?limit=3&skip=3>; rel="next"');
  const rest = await ask("/bulk/jobs?limit=3&skip=3");
  expect(((await rest.json()) as Job[]).map(({ id }) => id)).toEqual(ids.slice(3));

  const failed = await ask("/bulk/jobs?status=failed");
  expect(((await failed.json()) as Job[]).map(({ id }) => id)).toEqual([ids[2]]);
  expect(failed.headers.get("x-total-count")).toBe("1");
});

test("a record has the counts and the URL of the results", async () => {
  const { ask, addJob } = await world.account();
  const id = await addJob({ ...LIST, verdicts: VERDICTS, creditsUsed: 3 });
  const answer = await ask(`/bulk/jobs/${id}`);
  expect([answer.status, answer.headers.get("x-credits-remaining")]).toEqual([200, "100"]);
  const job = (await answer.json()) as Job;
  expect(job).toMatchObject({
    id,
    status: "completed",
    phase: "done",
    total_rows: 5,
    total_emails: 4,
    unique_emails: 3,
    duplicate_count: 1,
    processed: 3,
    progress_percent: 100,
    valid_count: 1,
    invalid_count: 2,
    risky_count: 0,
    unknown_count: 0,
    sub_status_counts: { "": 1, mailbox_not_found: 1, syntax_error: 1 },
    credits_reserved: 0,
    credits_used: 3,
    error: null,
    results_url: `/api/v1/bulk/jobs/${id}/results`,
  });
  expect((await fetch(`${world.url}${job.results_url}`)).status).toBe(401);
  expect((await ask(job.results_url!.slice("/api/v1".length))).status).toBe(200);
});

test("results are in row order, and a duplicate has the verdict of its first row", async () => {
  const { ask, addJob } = await world.account();
  const id = await addJob({ ...LIST, verdicts: VERDICTS });
  const all = await ask(`/bulk/jobs/${id}/results`);
  const results = (await all.json()) as JobResult[];
  expect(isResults.Errors(results)).toEqual([]);
  expect(results.map((one) => [one.row, one.email, one.sub_status, one.is_duplicate])).toEqual([
    [1, "a@x.io", "", false],
    [3, "b@x.io", "mailbox_not_found", false],
    [4, "A@X.io", "", true],
    [5, "nobody", "syntax_error", false],
  ]);
  expect(results[0]).toMatchObject({ status: "valid", confidence: 0.95, score: 97, suggestion: null });
  expect([all.headers.get("x-total-count"), all.headers.get("link")]).toEqual(["4", null]);

  const page = await ask(`/bulk/jobs/${id}/results?skip=1&limit=2`);
  expect(((await page.json()) as JobResult[]).map(({ row }) => row)).toEqual([3, 4]);
  expect(page.headers.get("link")).toMatch(/skip=3&limit=2>; rel="next", .*skip=0&limit=2>; rel="prev"/);

  const valid = await ask(`/bulk/jobs/${id}/results?status=valid&limit=1`);
  expect(((await valid.json()) as JobResult[]).map(({ row }) => row)).toEqual([1]);
  expect(valid.headers.get("x-total-count")).toBe("2");
  expect(valid.headers.get("link")).toContain("status=valid");
});

test("the pages of results by Link have every row once", async () => {
  const { ask, addJob } = await world.account();
  const id = await addJob({ ...LIST, verdicts: VERDICTS });
  const rows: number[] = [];
  let path: string | undefined = `/bulk/jobs/${id}/results?limit=2`;
  for (let pages = 0; path !== undefined && pages < 10; pages++) {
    const page = await ask(path);
    rows.push(...((await page.json()) as JobResult[]).map(({ row }) => row));
    path = /<\/api\/v1([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
    if (path) expect(path).toContain("after_row=");
  }
  expect(rows).toEqual([1, 3, 4, 5]);
});

test("a cancelled job has results for the checked emails and counts only those", async () => {
  const { ask, addJob } = await world.account();
  const rows = [["a@x.io"], ["b@x.io"], ["b@x.io"], ["a@x.io"]];
  const id = await addJob({ rows, verdicts: { "a@x.io": "catch_all" }, status: "cancelled" });
  const answer = await ask(`/bulk/jobs/${id}/results`);
  expect(((await answer.json()) as JobResult[]).map(({ row }) => row)).toEqual([1, 4]);
  expect(answer.headers.get("x-total-count")).toBe("2");
});

test("final results are available from the end of the job until they are deleted", async () => {
  const { ask, addJob } = await world.account();
  const [running, erased] = [
    await addJob({ ...LIST, status: "processing" }),
    await addJob({ ...LIST, expiresAt: new Date() }), // expired, but erased_at is not set yet
  ];
  for (const what of ["results", "download"]) {
    const early = await ask(`/bulk/jobs/${running}/${what}?final=true`);
    expect([early.status, early.headers.get("content-type")]).toEqual([
      409,
      "application/problem+json; charset=utf-8",
    ]);
    expect(early.headers.get("content-disposition")).toBeNull();
    expect(await early.json()).toMatchObject({ code: "results_not_ready" });
    const late = await ask(`/bulk/jobs/${erased}/${what}`);
    expect([late.status, await late.json()]).toMatchObject([410, { code: "results_expired" }]);
  }
  expect(await (await ask(`/bulk/jobs/${erased}`)).json()).toMatchObject({ results_url: null });
});

test("another account's job is not found on any route", async () => {
  const { addJob } = await world.account();
  const outsider = await world.account();
  const id = await addJob({ ...LIST, verdicts: VERDICTS });
  for (const jobId of [id, randomUUID()]) {
    for (const path of ["", "?wait=30", "/results", "/download", "/events"]) {
      const answer = await outsider.ask(`/bulk/jobs/${jobId}${path}`);
      expect([path, answer.status, await answer.json()]).toMatchObject([
        path,
        404,
        { code: "job_not_found" },
      ]);
    }
  }
  expect(await (await outsider.ask("/bulk/jobs")).json()).toEqual([]);
});

test("pause, resume and cancel return the job's new state", async () => {
  const { ask, addJob } = await world.account();
  const id = await addJob({ ...LIST, status: "processing", startedAt: new Date() });
  const move = async (name: string) => {
    const answer = await ask(`/bulk/jobs/${id}/${name}`, { method: "POST" });
    return [answer.status, await answer.json()];
  };
  expect(await move("pause")).toMatchObject([200, { id, status: "paused" }]);
  expect(await move("pause")).toMatchObject([409, { code: "job_state_conflict" }]);
  expect(await move("resume")).toMatchObject([200, { status: "processing" }]);
  expect(await move("cancel")).toMatchObject([200, { status: "cancelled", phase: "done" }]);
  expect(await move("cancel")).toMatchObject([409, { code: "job_state_conflict" }]);
});

test("an erased job leaves no rows", async () => {
  const { ask, addJob } = await world.account();
  const id = await addJob({ ...LIST, verdicts: VERDICTS });
  const erased = await ask(`/bulk/jobs/${id}`, { method: "DELETE" });
  expect([erased.status, await erased.text()]).toEqual([204, ""]);
  for (const path of ["", "/results", "/download"])
    expect((await ask(`/bulk/jobs/${id}${path}`)).status).toBe(404);
});

test("a HEAD request gets the headers of a download and of a stream without the work", async () => {
  const { ask, addJob } = await world.account();
  const id = await addJob({ ...LIST, verdicts: VERDICTS });
  const download = await ask(`/bulk/jobs/${id}/download`, { method: "HEAD" });
  expect([download.status, await download.text()]).toEqual([200, ""]);
  expect(download.headers.get("content-disposition")).toContain("list-results.csv");
  const events = await ask(`/bulk/jobs/${id}/events`, { method: "HEAD" });
  expect([events.status, events.headers.get("content-type")]).toEqual([
    200,
    "text/event-stream; charset=utf-8",
  ]);
});

test("an explicit format is sent whatever the Accept header says; without one, Accept chooses", async () => {
  const { ask, addJob } = await world.account();
  const id = await addJob({ ...LIST, verdicts: VERDICTS });
  const typeOf = async (query: string, accept: string) => {
    const response = await ask(`/bulk/jobs/${id}/download${query}`, { headers: { accept } });
    await response.text();
    return [response.status, response.headers.get("content-type")?.split(";", 1)[0]];
  };
  expect(await typeOf("?format=csv", "application/json")).toEqual([200, "text/csv"]);
  expect(await typeOf("?format=ndjson", "text/csv")).toEqual([200, "application/x-ndjson"]);
  expect(await typeOf("", "application/x-ndjson")).toEqual([200, "application/x-ndjson"]);
  expect(await typeOf("", "*/*")).toEqual([200, "text/csv"]);
  expect(await typeOf("?format=pdf", "application/json")).toEqual([422, "application/problem+json"]);
});

test("the Accept header is checked against the content types of the route", async () => {
  const { ask, addJob } = await world.account();
  const id = await addJob({ ...LIST, verdicts: VERDICTS });
  const status = async (path: string, accept: string) =>
    (await ask(`/bulk/jobs/${id}${path}`, { headers: { accept } })).status;
  expect(await status("/download", "text/csv")).toBe(200);
  expect(await status("/download?format=ndjson", "application/x-ndjson")).toBe(200);
  expect(await status("/events", "text/event-stream")).toBe(200);
  expect(await status("", "text/csv")).toBe(406);
  const refused = await ask(`/bulk/jobs/${id}/download`, { headers: { accept: "image/png" } });
  expect([refused.status, await refused.json()]).toMatchObject([
    406,
    { code: "not_acceptable", detail: expect.stringContaining("text/csv") },
  ]);
});
