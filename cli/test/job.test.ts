/** Stories of whole files at a service, which a scripted stranger plays. */
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Job } from "@mailvet/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  atPaths,
  bytes,
  COMPLETED,
  endEvent,
  eventStream,
  JOB_ID,
  JOB_PATH,
  jobOf,
  PREVIEW,
  placeOf,
  progressEvent,
} from "../../sdk/test/job-script.ts";
import {
  json,
  type Line,
  noContent,
  openScriptedService,
  problem,
  type ScriptedService,
} from "../../sdk/test/scripted-service.ts";
import { jsonLines, mailvet, startMailvet } from "./command.ts";

const RESULTS = "name,email,mailvet_status\r\nAnn,ann@shop.io,valid\r\n";

let folder = "";
let list = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailvet-job-"));
  list = join(folder, "people.csv");
  writeFileSync(list, "name,email\nAnn,ann@shop.io\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

const envOf = ({ url }: ScriptedService) => ({ MAILVET_SERVICE: url, MAILVET_API_KEY: "mv_live_a_key" });

/** A job that goes well, but for what is told. */
const goesWell = (but: Parameters<typeof atPaths>[0] = {}) =>
  atPaths({
    "POST /bulk/upload/preview": json(PREVIEW, { "x-credits-remaining": "1000" }),
    "POST /bulk/upload/confirm": json(jobOf({ status: "queued", phase: "waiting" })),
    [`GET ${JOB_PATH}/events`]: eventStream(
      progressEvent(jobOf({ processed: 1, rate_per_second: 2, eta_seconds: 1 })) + endEvent(COMPLETED),
    ),
    [`GET ${JOB_PATH}/download`]: bytes(RESULTS),
    [`GET ${JOB_PATH}`]: json(COMPLETED),
    ...but,
  });

const cutOff: Line = (response) => {
  response.writeHead(200, { "content-type": "text/csv" });
  response.write("name,ema", () => response.destroy());
};

test("a file is uploaded, its cost is said, and its results are there at the end", async () => {
  await using service = await openScriptedService(
    goesWell({ [`GET ${JOB_PATH}/download`]: [cutOff, bytes(RESULTS)] }),
  );
  const { code, stdout, stderr } = await mailvet(["job", "run", list, "--json"], { env: envOf(service) });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("people-results.csv") });
  for (const words of [
    "people.csv: 4 rows, 2 columns",
    "email  4 emails  ← is checked",
    "3 different emails cost 3 credits, of 1,000",
    `job ${JOB_ID} has begun`,
    "3 checked in 8.5 s: 2 valid, 1 invalid, 0 risky, 0 unknown",
  ])
    expect(stderr).toContain(words);
  expect(jsonLines(stdout)).toEqual([COMPLETED]);
  expect(readFileSync(join(folder, "people-results.csv"), "utf8")).toBe(RESULTS); // the second try was whole
  expect(readdirSync(folder).sort()).toEqual(["people-results.csv", "people.csv"]);
  const [upload, confirm] = service.heard;
  expect(upload!.body).toContain("name,email\nAnn,ann@shop.io\n");
  expect(JSON.parse(confirm!.body)).toEqual({ upload_id: PREVIEW.upload_id, email_column: "email" });
});

test.for<[string, string[], Parameters<typeof atPaths>[0], number, string]>([
  [
    "credits are missing",
    [],
    { "POST /bulk/upload/confirm": problem(402, "insufficient_credits", { required: 3, available: 1 }) },
    1,
    "3 credits were needed and 1 are there",
  ],
  [
    "the job fails",
    [],
    {
      [`GET ${JOB_PATH}/events`]: eventStream(
        endEvent(jobOf({ status: "failed", error: failure("it broke") })),
      ),
    },
    1,
    `the job failed: it broke (internal_error)\n  → what was found before: mailvet job download ${JOB_ID}`,
  ],
])("when %s, that is said, and no file is written", async ([, args, but, exitCode, why]) => {
  await using service = await openScriptedService(goesWell(but));
  const { code, stdout, stderr } = await mailvet(["job", "run", list, ...args], { env: envOf(service) });
  expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
  expect(stderr).toContain(why);
  expect(readdirSync(folder)).toEqual(["people.csv"]);
});

function failure(detail: string): NonNullable<Job["error"]> {
  return { type: "", title: "", status: 500, code: "internal_error", detail, request_id: "r" };
}

test("what would fail at the end is refused before anything is uploaded", async () => {
  await using service = await openScriptedService(goesWell());
  writeFileSync(join(folder, "people-results.csv"), "precious");
  const { code, stderr } = await mailvet(["job", "run", list], { env: envOf(service) });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("replace it with --force") });
  expect(service.heard).toEqual([]);
});

test("Ctrl-C leaves the job running, and says how to come back", async () => {
  await using service = await openScriptedService(
    goesWell({ [`GET ${JOB_PATH}/events`]: eventStream(progressEvent(jobOf()), "silence") }),
  );
  const child = startMailvet(["job", "run", list], envOf(service));
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const watch = setInterval(() => {
    if (!service.heard.some((heard) => placeOf(heard).endsWith("/events"))) return;
    clearInterval(watch);
    child.kill("SIGINT");
  }, 20);
  const [code] = await once(child, "close");
  clearInterval(watch);
  expect(code).toBe(130);
  expect(stderr).toContain(
    `the job goes on at the service; come back to it with: mailvet job show ${JOB_ID}`,
  );
  expect(service.heard.map(placeOf)).not.toContain(`POST ${JOB_PATH}/cancel`);
});

test("standard input is uploaded, and the results can go to standard output, only those that are wanted", async () => {
  await using service = await openScriptedService(goesWell());
  const args = ["job", "run", "-", "--out", "-", "--status", "valid", "--format", "ndjson"];
  const { code, stdout } = await mailvet(args, { env: envOf(service), input: "email\nann@shop.io\n" });
  expect({ code, stdout }).toEqual({ code: 0, stdout: RESULTS });
  expect(service.heard[0]!.body).toContain("email\nann@shop.io\n");
  expect(service.heard.at(-1)!.url).toContain("format=ndjson&status=valid");
});

test("jobs are listed, a page at a time", async () => {
  const page = [jobOf(), jobOf({ status: "paused", filename: "\u001b[2Jother.csv" })];
  await using service = await openScriptedService(json(page, { "x-total-count": "7" }));
  const args = ["job", "list", "--limit", "2", "--status", "paused"];
  const { stdout, stderr } = await mailvet(args, { env: envOf(service) });
  expect(stdout).toMatch(
    /^0f8b7c1e-.* processing +0 % {2}2026-01-01 00:00 {2}people\.csv {2}3 emails\n.*paused/,
  );
  expect(stdout).not.toContain("\u001b");
  expect(stderr).toBe("2 of 7 jobs; the next: --skip 2\n");
  expect(service.heard[0]!.url).toContain("/bulk/jobs?skip=0&limit=2&status=paused");
});

test("a job is followed to its end, and its results are fetched later", async () => {
  await using service = await openScriptedService(goesWell());
  const env = envOf(service);
  const out = join(folder, "fetched.csv");
  const [shown, fetched] = await Promise.all([
    mailvet(["job", "show", JOB_ID, "--wait"], { env }),
    mailvet(["job", "download", JOB_ID, "--out", out], { env }),
  ]);
  for (const words of ["completed", 'people.csv, column "email"', "2 valid, 1 invalid"])
    expect(shown.stdout).toContain(words);
  expect(fetched).toMatchObject({ code: 0, stderr: `results in ${out}\n` });
  expect(readFileSync(out, "utf8")).toBe(RESULTS);
});

test("a move that is refused says why, and erasing asks for a yes", async () => {
  await using service = await openScriptedService(
    atPaths({
      [`POST ${JOB_PATH}/pause`]: problem(409, "job_state_conflict"),
      [`DELETE ${JOB_PATH}`]: noContent,
    }),
  );
  const env = envOf(service);
  const [paused, unsure, erased] = await Promise.all([
    mailvet(["job", "pause", JOB_ID], { env }),
    mailvet(["job", "delete", JOB_ID], { env }),
    mailvet(["job", "delete", JOB_ID, "--yes"], { env }),
  ]);
  expect(paused).toMatchObject({ code: 1, stderr: expect.stringContaining("job_state_conflict") });
  expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining("add --yes to do it") });
  expect(erased).toMatchObject({ code: 0, stderr: `${JOB_ID} is erased\n` });
  expect(service.heard.filter(({ method }) => method === "DELETE")).toHaveLength(1);
});
