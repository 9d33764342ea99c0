/** mailvet job with a service, which is a scripted HTTP server. */
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
  endpointOf,
  eventStream,
  JOB_ID,
  JOB_PATH,
  jobOf,
  PREVIEW,
  progressEvent,
} from "../../sdk/test/job-script.ts";
import {
  type Handler,
  json,
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

/** A job that succeeds, except for the overrides. */
const successfulJob = (overrides: Parameters<typeof atPaths>[0] = {}) =>
  atPaths({
    "POST /bulk/upload/preview": json(PREVIEW, { "x-credits-remaining": "1000" }),
    "POST /bulk/upload/confirm": json(jobOf({ status: "queued", phase: "waiting" })),
    [`GET ${JOB_PATH}/events`]: eventStream(
      progressEvent(jobOf({ processed: 1, rate_per_second: 2, eta_seconds: 1 })) + endEvent(COMPLETED),
    ),
    [`GET ${JOB_PATH}/download`]: bytes(RESULTS),
    [`GET ${JOB_PATH}`]: json(COMPLETED),
    ...overrides,
  });

const cutOff: Handler = (response) => {
  response.writeHead(200, { "content-type": "text/csv" });
  response.write("name,ema", () => response.destroy());
};

test("run uploads a file, prints its cost and downloads the results", async () => {
  await using service = await openScriptedService(
    successfulJob({ [`GET ${JOB_PATH}/download`]: [cutOff, bytes(RESULTS)] }),
  );
  const { code, stdout, stderr } = await mailvet(["job", "run", list, "--json"], { env: envOf(service) });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("people-results.csv") });
  for (const text of [
    "people.csv: 4 rows, 2 columns",
    "email  4 emails  ← email column",
    "3 unique emails cost 3 credits of 1,000",
    `job ${JOB_ID} started`,
    "3 checked in 8.5 s: 2 valid, 1 invalid, 0 risky, 0 unknown",
  ])
    expect(stderr).toContain(text);
  expect(jsonLines(stdout)).toEqual([COMPLETED]);
  expect(readFileSync(join(folder, "people-results.csv"), "utf8")).toBe(RESULTS); // the second attempt was complete
  expect(readdirSync(folder).sort()).toEqual(["people-results.csv", "people.csv"]);
  const [upload, confirm] = service.requests;
  expect(upload!.body).toContain("name,email\nAnn,ann@shop.io\n");
  expect(JSON.parse(confirm!.body)).toEqual({ upload_id: PREVIEW.upload_id, email_column: "email" });
});

test.for<[string, string[], Parameters<typeof atPaths>[0], number, string]>([
  [
    "credits are missing",
    [],
    { "POST /bulk/upload/confirm": problem(402, "insufficient_credits", { required: 3, available: 1 }) },
    1,
    "3 credits are needed and 1 are available",
  ],
  [
    "the job fails",
    [],
    {
      [`GET ${JOB_PATH}/events`]: eventStream(
        endEvent(jobOf({ status: "failed", error: failure("out of disk") })),
      ),
    },
    1,
    `the job failed: out of disk (internal_error)\n  → partial results: mailvet job download ${JOB_ID}`,
  ],
])("when %s, run reports it and writes no file", async ([, args, overrides, exitCode, why]) => {
  await using service = await openScriptedService(successfulJob(overrides));
  const { code, stdout, stderr } = await mailvet(["job", "run", list, ...args], { env: envOf(service) });
  expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
  expect(stderr).toContain(why);
  expect(readdirSync(folder)).toEqual(["people.csv"]);
});

function failure(detail: string): NonNullable<Job["error"]> {
  return { type: "", title: "", status: 500, code: "internal_error", detail, request_id: "r" };
}

test("an output path that cannot be used is rejected before the upload", async () => {
  await using service = await openScriptedService(successfulJob());
  writeFileSync(join(folder, "people-results.csv"), "precious");
  const { code, stderr } = await mailvet(["job", "run", list], { env: envOf(service) });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("replace it with --force") });
  expect(service.requests).toEqual([]);
});

test("a score that does not exist is rejected before the upload", async () => {
  await using service = await openScriptedService(successfulJob());
  const args = ["job", "run", list, "--min-score", "101"];
  const { code, stderr } = await mailvet(args, { env: envOf(service) });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("from 0 to 100") });
  expect(service.requests).toEqual([]);
});

test.for([
  ["--out", "good.csv"],
  ["--only", "safe"],
  ["--min-score", "80"],
  ["--format", "csv"],
])("run --no-wait, which downloads nothing, rejects %s before the upload", async (resultOption) => {
  await using service = await openScriptedService(successfulJob());
  const { code, stderr } = await mailvet(["job", "run", list, "--no-wait", ...resultOption], {
    env: envOf(service),
  });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${resultOption[0]} is for`) });
  expect(service.requests).toEqual([]);
});

test("run --no-wait prints the ID of the job it started", async () => {
  await using service = await openScriptedService(successfulJob());
  const { code, stdout } = await mailvet(["job", "run", list, "--no-wait"], { env: envOf(service) });
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${JOB_ID}\n` });
});

test("when the download of a finished job is rejected, run says how to repeat it", async () => {
  await using service = await openScriptedService(
    successfulJob({ [`GET ${JOB_PATH}/download`]: problem(422, "validation_failed") }),
  );
  const { code, stderr } = await mailvet(["job", "run", list], { env: envOf(service) });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(`Says why.*\n.*\n  → mailvet job download ${JOB_ID}`),
  });
});

test.for([
  ["job", "recheck", JOB_ID, "--wait"],
  ["list", "recheck", "45c48cce-2e2d-4fbd-ba1a-fc51c7c6ad26", "--wait"],
])("%s %s --wait fails when the job is cancelled", async (args) => {
  await using service = await openScriptedService(
    atPaths({
      [`GET /lists/${args[2]}`]: json({ id: args[2], job_id: JOB_ID }),
      [`POST ${JOB_PATH}/recheck`]: json(jobOf()),
      [`GET ${JOB_PATH}/events`]: eventStream(endEvent(jobOf({ status: "cancelled" }))),
    }),
  );
  const { code, stdout, stderr } = await mailvet(args, { env: envOf(service) });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("the job was cancelled") });
  expect(stdout).toContain("cancelled");
});

test("a schedule shows its cost, and a list that never ran no changes", async () => {
  const id = "45c48cce-2e2d-4fbd-ba1a-fc51c7c6ad26";
  const saved = { id, job_id: JOB_ID, name: "people", tags: [], schedule: "weekly", stale_after_days: 10 };
  const unrun = {
    ...saved,
    next_run_at: null,
    last_run_at: null,
    last_error: null,
    newly_invalid: 0,
    recovered: 0,
  };
  await using service = await openScriptedService(
    atPaths({
      "POST /lists": json(unrun),
      [`PATCH /lists/${id}`]: json({ ...unrun, schedule: null }),
      "GET /lists": json([unrun], { "x-total-count": "1" }),
      [`GET ${JOB_PATH}`]: json(jobOf({ unique_emails: 924 })),
      "GET /account": json({ credits: { balance: 18_433 } }),
    }),
  );
  const env = envOf(service);
  const { stdout, stderr } = await mailvet(["list", "save", JOB_ID, "--schedule", "weekly"], { env });
  expect(stderr).toBe("costs about 924 credits every 14 days; 18,433 left: 266 days\n");
  expect(stdout).toMatch(/changes +not run yet/);
  expect((await mailvet(["list", "set", id, "--schedule", "never"], { env })).stderr).toBe("");
  expect((await mailvet(["list", "all"], { env })).stdout).toContain("weekly   not run yet  people");
});

test("Ctrl-C leaves the job running and prints how to follow it", async () => {
  await using service = await openScriptedService(
    successfulJob({ [`GET ${JOB_PATH}/events`]: eventStream(progressEvent(jobOf()), "open") }),
  );
  const child = startMailvet(["job", "run", list], envOf(service));
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const watch = setInterval(() => {
    if (!service.requests.some((request) => endpointOf(request).endsWith("/events"))) return;
    clearInterval(watch);
    child.kill("SIGINT");
  }, 20);
  const [code] = await once(child, "close");
  clearInterval(watch);
  expect(code).toBe(130);
  expect(stderr).toContain(
    `the job keeps running at the service; follow it with: mailvet job show ${JOB_ID}`,
  );
  expect(service.requests.map(endpointOf)).not.toContain(`POST ${JOB_PATH}/cancel`);
});

test("standard input is uploaded, and filtered results can be written to standard output", async () => {
  await using service = await openScriptedService(successfulJob());
  const args = ["job", "run", "-", "--out", "-", "--status", "valid", "--format", "ndjson"];
  const { code, stdout } = await mailvet(args, { env: envOf(service), input: "email\nann@shop.io\n" });
  expect({ code, stdout }).toEqual({ code: 0, stdout: RESULTS });
  expect(service.requests[0]!.body).toContain("email\nann@shop.io\n");
  expect(service.requests.at(-1)!.url).toContain("format=ndjson&status=valid");
});

test("list prints a page of jobs", async () => {
  const page = [jobOf(), jobOf({ status: "paused", filename: "\u001b[2Jother.csv" })];
  await using service = await openScriptedService(json(page, { "x-total-count": "7" }));
  const args = ["job", "list", "--limit", "2", "--status", "paused"];
  const { stdout, stderr } = await mailvet(args, { env: envOf(service) });
  expect(stdout).toMatch(
    /^0f8b7c1e-.* processing +0 % {2}2026-01-01 00:00 {2}people\.csv {2}3 emails\n.*paused/,
  );
  expect(stdout).not.toContain("\u001b");
  expect(stderr).toBe("2 of 7 jobs; next page: --skip 2\n");
  expect(service.requests[0]!.url).toContain("/bulk/jobs?skip=0&limit=2&status=paused");
});

test("show --wait follows a job, and download fetches its results", async () => {
  await using service = await openScriptedService(successfulJob());
  const env = envOf(service);
  const out = join(folder, "fetched.csv");
  const [shown, fetched] = await Promise.all([
    mailvet(["job", "show", JOB_ID, "--wait"], { env }),
    mailvet(["job", "download", JOB_ID, "--out", out], { env }),
  ]);
  for (const text of ["completed", 'people.csv, column "email"', "2 valid, 1 invalid"])
    expect(shown.stdout).toContain(text);
  expect(fetched).toMatchObject({ code: 0, stderr: `results written to ${out}\n` });
  expect(readFileSync(out, "utf8")).toBe(RESULTS);
});

test("a rejected transition is reported, and delete needs --yes", async () => {
  await using service = await openScriptedService(
    atPaths({
      [`POST ${JOB_PATH}/pause`]: problem(409, "job_state_conflict"),
      [`DELETE ${JOB_PATH}`]: noContent,
    }),
  );
  const env = envOf(service);
  const [paused, unconfirmed, deleted] = await Promise.all([
    mailvet(["job", "pause", JOB_ID], { env }),
    mailvet(["job", "delete", JOB_ID], { env }),
    mailvet(["job", "delete", JOB_ID, "--yes"], { env }),
  ]);
  expect(paused).toMatchObject({ code: 1, stderr: expect.stringContaining("job_state_conflict") });
  expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining("add --yes to confirm") });
  expect(deleted).toMatchObject({ code: 0, stderr: `job ${JOB_ID} deleted\n` });
  expect(service.requests.filter(({ method }) => method === "DELETE")).toHaveLength(1);
});

test("an ID that would lead to another endpoint is refused before the request", async () => {
  await using service = await openScriptedService(json({}));
  for (const args of [
    ["show", ""],
    ["cancel", "."],
    ["delete", "--yes", ".."],
  ]) {
    const { code, stdout, stderr } = await mailvet(["job", ...args], { env: envOf(service) });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^mailvet: Invalid ID: \/bulk\/jobs\/\S*\n$/);
  }
  expect(service.requests).toEqual([]);
});

test("run says how to download results that cannot be written", async () => {
  const advice = `\n  → mailvet job download ${JOB_ID}\n`;
  const cases = [
    [["--out", "-"], "exec >/dev/full", "no space left on device"],
    [[], "trap '' XFSZ && ulimit -f 0", "file too large"],
  ] as const;
  for (const [options, setup, why] of cases) {
    await using service = await openScriptedService(successfulJob());
    const { code, stderr } = await mailvet(["job", "run", list, ...options], { env: envOf(service), setup });
    expect(code).toBe(1);
    expect(stderr.slice(stderr.indexOf("mailvet:"))).toBe(
      `mailvet: cannot write the results: ${why}${advice}`,
    );
    expect(readdirSync(folder)).toEqual(["people.csv"]);
  }
});

test("a file without emails is not blamed on the column", async () => {
  const refused = problem(422, "no_emails_found");
  await using service = await openScriptedService(atPaths({ "POST /bulk/upload/preview": refused }));
  const { stderr } = await mailvet(["job", "run", list, "--column", "email"], { env: envOf(service) });
  expect(stderr).toContain("→ check that this is the right file");
});

test("help of a subcommand is that of the subcommand", async () => {
  const [named, option] = await Promise.all([
    mailvet(["help", "job", "run"]),
    mailvet(["job", "run", "--help"]),
  ]);
  expect(named).toEqual(option);
  expect(named).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("mailvet job run [options] <file>"),
  });
});

test("clean obeys MAILVET_SERVICE and says where it checks", async () => {
  await using service = await openScriptedService(successfulJob());
  const { code, place, stderr } = await mailvet(["clean", list], { env: envOf(service) });
  expect({ code, place }, stderr).toEqual({ code: 0, place: `checking at ${service.url}` });
  expect(readFileSync(join(folder, "people-results.csv"), "utf8")).toBe(RESULTS);

  const local = await mailvet(["clean", list, "--level", "syntax", "--force"], {
    env: { ...envOf(service), MAILVET_SERVICE: "" },
  });
  expect(local).toMatchObject({ code: 0, place: "checking on this machine" });
  const mixed = await mailvet(["clean", list, "--level", "dns", "--force"], { env: envOf(service) });
  expect(mixed).toMatchObject({ code: 2, place: "", stderr: expect.stringContaining("on this machine") });
});

test.for([
  ["check", ["ann@shop.io", "--level", "syntax"]],
  ["check", ["ann@shop.io", "--level", "syntax", "--json"]],
  ["domain", ["shop.test", "--json"]],
  ["doctor", ["--json"]],
  ["mcp", []],
] as const)("%s %j says on standard error that it checks on this machine", async ([command, args]) => {
  const { place, stdout } = await mailvet([command, ...args], { env: { DNS_SERVERS: "127.0.0.1:9" } });
  expect(place).toBe("checking on this machine");
  expect(stdout).not.toContain("on this machine");
});
