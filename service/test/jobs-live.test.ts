/** Results while a job runs, finishing it early, filters and order, and the whole report on a row. */
import type { Job, JobResult, ValidationResult } from "@mailvet/contract";
import { answersSlowly, greylists, type Lab, mailDomain, openLab } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asJob, type Lists, listsOf } from "./jobs-http-world.ts";
import { expectProblem } from "./problems.ts";
import { openService, type TestService } from "./service.ts";

let lab: Lab;
let service: TestService;
beforeAll(async () => {
  lab = await openLab({
    "shop.example-lab.com": mailDomain({ users: ["ann"] }),
    // Asks to come back later than any test takes.
    "grey.example-lab.com": mailDomain({ users: ["gus"], temper: greylists({ delayMs: 3_600_000 }) }),
    // Accepts connections and says nothing for longer than any test takes.
    "silent.example-lab.com": mailDomain({ users: ["sue"], temper: answersSlowly({ delayMs: 3_600_000 }) }),
  });
  service = await openService({ lab, env: { PROBE_TIMEOUT_SECONDS: "600" } });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

const openLists = async (credits = 100) => listsOf(service, await service.openAccount({ credits }));
const resultsOf = async (lists: Lists, id: string, query = "") =>
  (await lists.ask(`/bulk/jobs/${id}/results?limit=100${query}`)).body as JobResult[];
const rowsOf = async (lists: Lists, id: string, query: string) =>
  (await resultsOf(lists, id, query)).map(({ row }) => row);
const creditsOf = async (lists: Lists) => {
  const { balance, reserved } = (await lists.ask("/credits")).body;
  return { balance, reserved };
};

/** A settled email twice, one that waits for a retry, and one at a host that says nothing. */
const LIST = [
  "email",
  "ann@shop.example-lab.com",
  "sue@silent.example-lab.com",
  "gus@grey.example-lab.com",
  "Ann@shop.example-lab.com",
  "SUE@silent.example-lab.com",
  "",
].join("\n");

/** Until all but the silent host has answered. */
async function beginWithSilentHost(lists: Lists): Promise<Job> {
  const { id } = await lists.begin(LIST);
  return lists.until(id, ({ processed, retrying }) => processed === 1 && "greylisted" in retrying);
}

test("emails that wait for a silent host do not hold up the rest of the list", async () => {
  await using other = await openService({ lab, env: { PROBE_TIMEOUT_SECONDS: "600", WORKER_SLOTS: "1" } });
  const lists = listsOf(other, await other.openAccount({ credits: 200 }));
  const missing = Array.from({ length: 130 }, (_, i) => `user${i}@shop.example-lab.com`); // a slice of its own
  const rest = ["ann@shop.example-lab.com", ...missing];
  const { id } = await lists.begin(["email", "sue@silent.example-lab.com", ...rest, ""].join("\n"));
  const job = await lists.until(id, ({ processed }) => processed === rest.length);
  expect(job.status).toBe("processing");
});

test("a job with a silent host has results and downloads while it waits", async () => {
  const lists = await openLists();
  const job = await beginWithSilentHost(lists);
  expect(job).toMatchObject({ status: "processing", processed: 1, retrying: { greylisted: 1 } });
  expect(job.next_attempt_at).not.toBeNull();

  const { body, headers } = await lists.ask(`/bulk/jobs/${job.id}/results`);
  expect(body.map(({ row, status, is_duplicate }: JobResult) => [row, status, is_duplicate])).toEqual([
    [1, "valid", false],
    [2, "pending", false],
    [3, "pending", false],
    [4, "valid", true],
    [5, "pending", true],
  ]);
  const partial = ["x-partial", "x-settled", "x-pending", "x-total-count"];
  expect(partial.map((name) => headers.get(name))).toEqual(["true", "1", "2", "5"]);
  expect(body[1]).toMatchObject({ email: "sue@silent.example-lab.com", sub_status: null, score: null });
  expect(await rowsOf(lists, job.id, "&status=pending")).toEqual([2, 3, 5]);
  expect(await rowsOf(lists, job.id, "&status=pending,valid&q=SILENT")).toEqual([2, 5]);
  expect(await rowsOf(lists, job.id, "&safe_to_send=true")).toEqual([1, 4]);
  expect(await rowsOf(lists, job.id, "&sort=-score")).toEqual([1, 4, 2, 3, 5]);
  expect(await rowsOf(lists, job.id, "&sort=-email&after_row=2")).toEqual([5, 3, 1, 4]);
  // A row with a verdict in the meantime could come before the page.
  for (const sort of ["score", "-score", "checked_at", "-checked_at"]) {
    const next = await lists.ask(`/bulk/jobs/${job.id}/results?sort=${sort}&after_row=4`);
    await expectProblem(service, next, "results_not_ready");
  }

  const file = await lists.ask(`/bulk/jobs/${job.id}/download`);
  expect(file.headers.get("x-partial")).toBe("true");
  expect(file.headers.get("content-disposition")).toContain("-results-partial.csv");
  const cells = await lists.download(job.id);
  expect(cells.slice(1).map(([email, status, subStatus]) => [email, status, subStatus])).toEqual([
    ["ann@shop.example-lab.com", "valid", ""],
    ["sue@silent.example-lab.com", "pending", ""],
    ["gus@grey.example-lab.com", "pending", ""],
    ["Ann@shop.example-lab.com", "valid", ""],
    ["SUE@silent.example-lab.com", "pending", ""],
  ]);
  expect((await lists.download(job.id, "?status=pending")).slice(1).map(([email]) => email)).toHaveLength(3);
  await expectProblem(service, await lists.ask(`/bulk/jobs/${job.id}/results/2`), "results_not_ready");

  const before = await creditsOf(lists);
  const answer = await lists.ask(`/bulk/jobs/${job.id}/finish`, { method: "POST" });
  expect([answer.status, asJob(answer.body).phase]).toEqual([202, "finishing"]);
  const done = await lists.ended(job.id);
  // The silent host was never answered for: free. The greylisted mailbox has an answer, and is charged.
  expect(done).toMatchObject({
    status: "completed",
    processed: 3,
    sub_status_counts: { "": 1, greylisted: 1, smtp_skipped: 1 },
    credits_used: 2,
    credits_reserved: 0,
    retrying: {},
    next_attempt_at: null,
  });
  expect(await creditsOf(lists)).toEqual({ balance: before.balance + 1, reserved: before.reserved - 3 });
  expect((await lists.ask("/usage")).body.days).toMatchObject([{ valid: 1, unknown: 1, credits_used: 2 }]);
  const results = await resultsOf(lists, job.id);
  expect(results.map(({ status, sub_status }) => [status, sub_status])).toEqual([
    ["valid", ""],
    ["unknown", "smtp_skipped"],
    ["unknown", "greylisted"],
    ["valid", ""],
    ["unknown", "smtp_skipped"],
  ]);
  expect(results[1]!.reason).toBe("The job was finished before this address was checked.");
  expect(results[2]!.reason).toContain("asked us to retry later");
  const again = await lists.ask(`/bulk/jobs/${job.id}/finish`, { method: "POST" });
  await expectProblem(service, again, "job_state_conflict");
});

test("wait with for=end answers at the end of the job, whatever changes before", async () => {
  const lists = await openLists();
  const { id } = await beginWithSilentHost(lists);
  const ended = lists.ask(`/bulk/jobs/${id}?wait=30&for=end`);
  await lists.move(id, "pause");
  await lists.ask(`/bulk/jobs/${id}/finish`, { method: "POST" });
  expect(asJob((await ended).body).status).toBe("completed");
});

const NAMES = [
  "valid",
  "catch-all",
  "mailbox-not-found",
  "role-based",
  "greylisted",
  "disposable",
  "mailbox-full",
];
const SUB_STATUSES = [
  "",
  "catch_all",
  "mailbox_not_found",
  "role_based",
  "greylisted",
  "disposable",
  "mailbox_full",
];

test("results and downloads have the same filters and orders", async () => {
  const lists = await openLists();
  const { id } = await lists.begin(`email\n${NAMES.map((name) => `${name}@mailvet.test`).join("\n")}\n`);
  await lists.ended(id);
  const all = await resultsOf(lists, id);
  expect(all.map(({ sub_status }) => sub_status)).toEqual(SUB_STATUSES);
  const by = (isIt: (result: JobResult) => boolean) => all.filter(isIt).map(({ row }) => row);
  const cases: [query: string, rows: number[]][] = [
    ["status=risky", by(({ status }) => status === "risky")],
    ["status=valid,invalid", [1, 3]],
    ["sub_status=", [1]],
    ["sub_status=,catch_all,greylisted", [1, 2, 5]],
    ["safe_to_send=true", by(({ safe_to_send }) => safe_to_send === true)],
    ["safe_to_send=false&status=risky", by((one) => one.status === "risky" && !one.safe_to_send)],
    ["min_score=60", by(({ score }) => score! >= 60)],
    ["max_score=60&min_score=10", by(({ score }) => score! <= 60 && score! >= 10)],
    ["provider=other", by(({ provider }) => provider === "other")],
    ["domain=MAILVET.test", [1, 2, 3, 4, 5, 6, 7]],
    ["domain=vet.test", []],
    ["q=MAILBOX-", [3, 7]],
    ["q=%25", []],
    ["q=valid%00", []],
    ["domain=mailvet.test%00", []],
    ["provider=other%00", []],
    ["sort=-row", [7, 6, 5, 4, 3, 2, 1]],
    ["sort=email", [2, 6, 5, 7, 3, 4, 1]],
    ["sort=-email&status=risky", [4, 7, 6, 2]],
    ["sort=score", [...all].sort((a, b) => a.score! - b.score! || a.row - b.row).map(({ row }) => row)],
    ["sort=-score", [...all].sort((a, b) => b.score! - a.score! || a.row - b.row).map(({ row }) => row)],
  ];
  for (const [query, rows] of cases) {
    const { body, headers } = await lists.ask(`/bulk/jobs/${id}/results?limit=100&${query}`);
    expect([query, body.map(({ row }: JobResult) => row)]).toEqual([query, rows]);
    expect(headers.get("x-total-count")).toBe(String(rows.length));
    const [, ...cells] = await lists.download(id, `?${query}`);
    expect([query, cells.map(([email]) => email)]).toEqual([query, rows.map((row) => all[row - 1]!.email)]);
    const paged: number[] = [];
    for (let path: string | undefined = `/bulk/jobs/${id}/results?limit=2&${query}`; path; ) {
      const page = await lists.ask(path);
      paged.push(...page.body.map(({ row }: JobResult) => row));
      path = /<\/api\/v1([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
    }
    expect([query, paged]).toEqual([query, rows]);
  }
  await expectProblem(
    service,
    await lists.ask(`/bulk/jobs/${id}/results?sub_status=lost`),
    "validation_failed",
  );
});

test("the name of a download says what is in it, and its columns can be chosen", async () => {
  const account = await service.openAccount({ credits: 10 });
  const { key } = account;
  const lists = listsOf(service, account);
  const preview = await lists.upload(
    "id,email\n1,valid@mailvet.test\n2,catch-all@mailvet.test\n",
    "newsletter.csv",
  );
  const { id } = await lists.confirm(preview);
  await lists.ended(id);
  const nameOf = async (query: string) => {
    const { headers } = await lists.ask(`/bulk/jobs/${id}/download${query}`, { method: "HEAD" });
    return /filename="([^"]+)"/.exec(headers.get("content-disposition")!)?.[1];
  };
  expect(await nameOf("?status=valid")).toBe("newsletter-valid.csv");
  expect(await nameOf("?safe_to_send=true&format=xlsx")).toBe("newsletter-safe.xlsx");
  expect(await nameOf("?sub_status=catch_all")).toBe("newsletter-catch-all.csv");
  expect(await nameOf("?q=ann@home.example")).toBe("newsletter-search.csv");
  expect(await nameOf("?format=zip")).toBe("newsletter-by-verdict.zip");
  expect(await nameOf("")).toBe("newsletter-results.csv");

  expect(await lists.download(id, "?columns=status,score&status=valid")).toEqual([
    ["id", "email", "mailvet_status", "mailvet_score"],
    ["1", "valid@mailvet.test", "valid", expect.any(String)],
  ]);
  expect(await lists.download(id, "?columns=email,sub_status&status=risky")).toEqual([
    ["email", "mailvet_sub_status"],
    ["catch-all@mailvet.test", "catch_all"],
  ]);
  const path = `/bulk/jobs/${id}/download?dialect=excel&columns=status&status=valid`;
  const excel = async (query: string, language: string) => {
    const headers = { "x-api-key": key, "accept-language": language };
    const answer = await fetch(`${service.url}/api/v1${path}${query}`, { headers });
    return Buffer.from(await answer.arrayBuffer()).toString("utf8"); // with its byte order mark
  };
  const lines = (separator: string) =>
    `\u{feff}id,email,mailvet_status\r\n1,valid@mailvet.test,valid\r\n`.replaceAll(",", separator);
  expect(await excel("", "de-DE,de;q=0.9,en;q=0.8")).toBe(lines(";"));
  expect(await excel("", "en-US")).toBe(lines(","));
  expect(await excel("&separator=%3B", "en-US")).toBe(lines(";"));
});

test("a row opens the report of its check, as a single check returns it, at no cost", async () => {
  const lists = await openLists();
  const { id } = await lists.begin(
    "email\neve@shop.example-lab.com\nann@shop.example-lab.com\nEve@shop.example-lab.com\n",
  );
  await lists.ended(id);
  const before = await creditsOf(lists);
  const reportOf = async (row: number) =>
    (await lists.ask(`/bulk/jobs/${id}/results/${row}`)).body as ValidationResult;
  const [eve, ann, again] = [await reportOf(1), await reportOf(2), await reportOf(3)];
  expect(await creditsOf(lists)).toEqual(before);
  expect(again).toMatchObject({ email: "Eve@shop.example-lab.com", status: "invalid" });

  const comparable = ({ metadata, performance: _, request_id: __, ...report }: ValidationResult) => ({
    ...report,
    checked_at: metadata.checked_at,
  });
  for (const report of [eve, ann]) {
    const single = (await lists.ask("/validation/single", { body: { email: report.email } })).body;
    expect(comparable(report)).toEqual(comparable(single)); // from the cache: the same check
  }
  expect(eve.details).toMatchObject({
    smtp_code: 550,
    dns_valid: true,
    mx_host: expect.stringContaining("shop"),
  });
  const [result] = await resultsOf(lists, id);
  expect(result).toMatchObject({ reason: eve.reason, flags: eve.flags, mx_host: eve.details.mx_host });
  await expectProblem(service, await lists.ask(`/bulk/jobs/${id}/results/4`), "not_found");
});
