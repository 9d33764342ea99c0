/** The bulk API over HTTP, from upload to download, field by field. */
import { Readable } from "node:stream";
import { ALL_SUB_STATUSES, type Job, JobResult, RESULT_COLUMNS, STATUS_OF } from "@mailvet/contract";
import readExcelFile from "read-excel-file/node";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asJob, type Lists, listsOf } from "./jobs-http-world.ts";
import { expectProblem } from "./problems.ts";
import { formWith, openService, type TestAccount, type TestService } from "./service.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const resultsSchema = Compile(Type.Array(JobResult));

let service: TestService;
let ann: TestAccount;
let lists: Lists;
beforeAll(async () => {
  service = await openService();
  ann = await service.openAccount({ credits: 1_000 });
  lists = listsOf(service, ann);
});
afterAll(() => service[Symbol.asyncDispose]());

test("a file is previewed, its column confirmed, and a job is queued", async () => {
  const file = "name,E-Mail,city\nAnn,valid+s1@mailvet.test,Rome\nBo,valid+s2@mailvet.test,Oslo\n,,\n";
  const preview = await lists.upload(file, "../../etc/March list.csv");
  expect(preview).toMatchObject({
    filename: "March list.csv",
    columns: ["name", "E-Mail", "city"],
    suggested_email_column: "E-Mail",
    total_rows: 3,
    sample_rows: [
      ["Ann", "valid+s1@mailvet.test", "Rome"],
      ["Bo", "valid+s2@mailvet.test", "Oslo"],
      ["", "", ""],
    ],
    email_count_by_column: { name: 0, "E-Mail": 2, city: 0 },
    unique_count_by_column: { "E-Mail": 2 },
    has_header: true,
  });
  expect(preview.upload_id).toMatch(UUID);
  const hoursLeft = (Date.parse(preview.expires_at) - Date.now()) / 3_600_000;
  expect([Math.round(hoursLeft), hoursLeft > 24]).toEqual([24, false]);

  const job = await lists.confirm(preview);
  expect(job.id).toMatch(UUID);
  expect(job).toMatchObject({
    status: "queued",
    phase: "waiting",
    filename: "March list.csv",
    email_column: "E-Mail",
    started_at: null,
    total_rows: 3,
    total_emails: 2,
    unique_emails: 2,
    duplicate_count: 0,
    processed: 0,
    progress_percent: 0,
    credits_reserved: 2,
    credits_used: 0,
    error: null,
    results_url: null,
  });
  const again = await lists.confirm(preview);
  expect(again.id).toBe(job.id);

  const ended = await lists.ended(job.id);
  expect(ended).toMatchObject({
    status: "completed",
    processed: 2,
    progress_percent: 100,
    eta_seconds: null,
    valid_count: 2,
    sub_status_counts: { "": 2 },
    credits_reserved: 0,
    credits_used: 2,
    results_url: `/api/v1/bulk/jobs/${job.id}/results`,
  });
  const daysLeft = (Date.parse(ended.expires_at!) - Date.parse(ended.completed_at!)) / 86_400_000;
  expect(Math.round(daysLeft * 1000)).toBe(30_000);
  expect(Date.parse(ended.started_at!)).toBeGreaterThanOrEqual(Date.parse(ended.created_at));
  expect((await lists.confirm(preview)).status).toBe("completed");
});

test("jobs are listed newest first, ten by default, with pagination and status filter", async () => {
  const bo = await service.openAccount({ credits: 20 });
  const { ask, begin, ended } = listsOf(service, bo);
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) ids.unshift((await begin(`valid+l${n}@mailvet.test\n`)).id);
  for (const id of ids) await ended(id);
  const page = async (query: string) => {
    const { body, headers } = await ask(`/bulk/jobs${query}`);
    const total = headers.get("x-total-count");
    return { ids: body.map(asJob).map(({ id }: Job) => id), total, link: headers.get("link") };
  };

  expect(await page("")).toEqual({
    ids: ids.slice(0, 10),
    total: "12",
    link: '</api/v1/bulk/jobs?skip=10&limit=10>; rel="next"',
  });
  const second = await page("?skip=10");
  expect(second).toMatchObject({ ids: ids.slice(10), link: expect.stringContaining('rel="prev"') });
  expect((await page("?skip=3&limit=2")).ids).toEqual(ids.slice(3, 5));
  expect((await page("?status=completed&limit=100")).total).toBe("12");
  expect(await page("?status=cancelled")).toEqual({ ids: [], total: "0", link: null });
  for (const query of ["?limit=0", "?limit=101", "?skip=-1", "?status=done", "?skip=x"]) {
    await expectProblem(service, await ask(`/bulk/jobs${query}`), "validation_failed");
  }
});

describe("a list with every kind of row", () => {
  // Every verdict twice, the second time in capitals; a formula, quotes and a line break beside them.
  const addresses = ALL_SUB_STATUSES.map((name) => `${name.replaceAll("_", "-") || "valid"}@mailvet.test`);
  const notes = ["=1+1", 'says "hi"', "two\nlines", "@SUM(A1)", "-5", "", "a,b", "+49 170 1", "\tx"];
  const noteOf = (n: number) => notes[n % notes.length]!;
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  const emails = [...addresses, "", ...addresses.map((address) => address.toUpperCase())];
  const file = `id,email,note\n${emails.map((email, n) => `${n},${email},${quoted(noteOf(n))}`).join("\n")}\n`;
  const subStatusAt = (n: number) => {
    const verdicts = [...ALL_SUB_STATUSES, undefined, ...ALL_SUB_STATUSES];
    return verdicts[n];
  };
  let job: Job;
  beforeAll(async () => {
    job = await lists.ended((await lists.begin(file)).id);
  });

  test("its record counts verdicts, duplicates and credits", () => {
    const count = ALL_SUB_STATUSES.length;
    expect(job).toMatchObject({
      status: "completed",
      total_rows: emails.length,
      total_emails: 2 * count,
      unique_emails: count,
      duplicate_count: count,
      processed: count,
      credits_used: count,
      sub_status_counts: Object.fromEntries(ALL_SUB_STATUSES.map((name) => [name, 1])),
    });
  });

  test("its results have one verdict per row, with pagination and status filter", async () => {
    const path = `/bulk/jobs/${job.id}/results`;
    const { body, headers } = await lists.ask(`${path}?limit=100`);
    expect(resultsSchema.Errors(body)).toEqual([]);
    expect(headers.get("x-total-count")).toBe(String(job.total_emails));
    const expected = emails.flatMap((email, n) =>
      email === "" ? [] : [{ row: n + 1, email, sub_status: subStatusAt(n) }],
    );
    expect(body).toMatchObject(expected);
    for (const { status, sub_status, row, is_duplicate } of body as JobResult[]) {
      expect([status, is_duplicate]).toEqual([STATUS_OF[sub_status!], row > ALL_SUB_STATUSES.length]);
    }
    const few = await lists.ask(`${path}?skip=2&limit=3`);
    expect(few.body).toEqual(body.slice(2, 5));
    expect(few.headers.get("link")).toMatch(/rel="next".*rel="prev"|rel="prev".*rel="next"/);
    expect((await lists.ask(path)).body).toHaveLength(10);
    const risky = await lists.ask(`${path}?status=risky&limit=100`);
    expect(risky.body).toEqual(body.filter(({ status }: JobResult) => status === "risky"));
    expect(risky.headers.get("x-total-count")).toBe(String(2 * job.risky_count));
  });

  test("as CSV it has its own columns, then the verdict columns, and no formula that a spreadsheet would run", async () => {
    const [header, ...rows] = await lists.download(job.id);
    expect(header).toEqual(["id", "email", "note", ...OURS]);
    expect(rows).toHaveLength(emails.length);
    const safe: Record<string, string> = { "=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)", "\tx": "'\tx" };
    rows.forEach((cells, n) => {
      const note = noteOf(n);
      expect(cells.slice(0, 3)).toEqual([String(n), emails[n], safe[note] ?? note]);
      const subStatus = subStatusAt(n);
      const ours = Object.fromEntries(OURS.map((name, column) => [name, cells[3 + column]]));
      if (subStatus === undefined) expect(Object.values(ours)).toEqual(OURS.map(() => ""));
      else
        expect(ours).toMatchObject({
          mailvet_status: STATUS_OF[subStatus],
          mailvet_sub_status: subStatus,
          mailvet_is_valid: expect.stringMatching(/^(true|false)$/),
          mailvet_checked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          mailvet_is_duplicate: String(n > ALL_SUB_STATUSES.length),
        });
    });
    const valid = await lists.download(job.id, "?status=valid");
    expect(valid).toEqual([header, ...rows.filter((cells) => cells[3] === "valid")]);
  });

  test("as NDJSON and XLSX it has the same rows with unchanged cells", async () => {
    const { text, headers } = await lists.ask(`/bulk/jobs/${job.id}/download?format=ndjson`);
    expect(headers.get("content-disposition")).toContain('filename="list-results.ndjson"');
    const objects = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(objects).toHaveLength(emails.length);
    const [, ...rows] = await lists.download(job.id);
    objects.forEach((object, n) => {
      const columns = { id: String(n), email: emails[n], note: noteOf(n) };
      expect(object).toMatchObject({ row: n + 1, email: emails[n], columns });
      const ours = RESULT_COLUMNS.map((name) => [object[name] ?? ""].flat().join(" | "));
      expect(ours).toEqual(rows[n]!.slice(3));
    });

    const answer = await fetch(`${service.url}/api/v1/bulk/jobs/${job.id}/download?format=xlsx`, {
      headers: { "x-api-key": ann.key },
    });
    const workbook = Buffer.from(await answer.arrayBuffer());
    const [sheet] = await readExcelFile(Readable.from([workbook]), { trim: false });
    expect(sheet?.data[0]).toEqual(["id", "email", "note", ...OURS]);
    expect(sheet?.data.slice(1).map((cells) => cells.slice(0, 3))).toEqual(
      emails.map((email, n) => [String(n), email || null, noteOf(n) || null]),
    );
    expect(sheet?.data.slice(1).map((cells) => cells[4] ?? "")).toEqual(rows.map((cells) => cells[4]));
  });

  test("its responses have the common headers", async () => {
    for (const path of ["/download", "/download?format=xlsx", "/events", "/results"]) {
      const { headers } = await lists.ask(`/bulk/jobs/${job.id}${path}`);
      expect(headers.get("x-request-id")).toMatch(UUID);
      expect(headers.get("ratelimit")).toMatch(/;r=\d+/);
      expect(headers.get("x-credits-remaining")).toMatch(/^\d+$/);
    }
  });

  test("after erase neither its record nor its results exist", async () => {
    const copy = await lists.ended((await lists.begin(file)).id);
    const erase = () => lists.ask(`/bulk/jobs/${copy.id}`, { method: "DELETE" });
    expect([(await erase()).status, (await erase()).status]).toEqual([204, 404]);
    for (const path of ["", "/results", "/download", "/events"]) {
      const answer = await lists.ask(`/bulk/jobs/${copy.id}${path}`);
      await expectProblem(service, answer, "job_not_found");
    }
    expect((await lists.ask("/bulk/jobs?limit=100")).text).not.toContain(copy.id);
  });

  test("after the retention its record stays and its results have expired", async () => {
    const copy = await lists.ended((await lists.begin(file)).id);
    const { pool } = service.database;
    await pool.query("update jobs set expires_at = now() where id = $1", [copy.id]);
    for (const path of ["/results", "/download"]) {
      const answer = await lists.ask(`/bulk/jobs/${copy.id}${path}`);
      await expectProblem(service, answer, "results_expired");
    }
    const { body: record } = await lists.ask(`/bulk/jobs/${copy.id}`);
    expect(record).toMatchObject({ status: "completed", processed: copy.processed, results_url: null });
  });
});

const OURS = RESULT_COLUMNS.map((name) => `mailvet_${name}`);

describe("credits", () => {
  test("with too few credits the refusal states required and available; with enough it succeeds", async () => {
    const bo = await service.openAccount({ credits: 2 });
    const { upload, confirm, ask, ended } = listsOf(service, bo);
    const preview = await upload(
      "email\nvalid+1@mailvet.test\nVALID+1@mailvet.test\nvalid+2@mailvet.test\nx\n",
    );
    const body = { upload_id: preview.upload_id, email_column: "email" };
    const refused = await ask("/bulk/upload/confirm", { body });
    await expectProblem(service, refused, "insufficient_credits");
    expect(refused.body).toMatchObject({ required: 3, available: 2 });
    expect((await ask("/credits")).body).toMatchObject({ balance: 2, reserved: 0 });

    await service.ask(`/operator/accounts/${bo.accountId}/grants`, {
      cookie: await service.operatorCookie(),
      body: { amount: 1 },
    });
    const job = await confirm(preview);
    expect(job).toMatchObject({ status: "queued", credits_reserved: 3 });
    expect(await ended(job.id)).toMatchObject({ status: "completed", credits_used: 3, credits_reserved: 0 });
    const { body: credits } = await ask("/credits?limit=100");
    expect(credits).toMatchObject({ balance: 0, reserved: 0 });
    const amounts = credits.ledger.map(({ amount }: { amount: number }) => amount);
    expect(amounts.reduce((sum: number, amount: number) => sum + amount, 0)).toBe(0);
    const { body: usage } = await ask("/usage");
    expect(usage.days).toMatchObject([{ credits_used: 3 }]);
  });

  test("a test key's job runs, is not charged, and reports what it would have cost", async () => {
    const bo = await service.openAccount({ credits: 0 });
    const { key } = await bo.makeKey({ mode: "test" });
    const { begin, ended, download, ask } = listsOf(service, { key });
    const { id } = await begin("email\nann@example.com\nmailbox-full@example.com\n");
    expect(await ended(id)).toMatchObject({ status: "completed", credits_used: 2, credits_reserved: 0 });
    const [, ...rows] = await download(id);
    expect(rows.map((cells) => cells[2])).toEqual(["", "mailbox_full"]);
    expect((await ask("/credits", { key: bo.key })).body).toMatchObject({ balance: 0, reserved: 0 });
  });

  test("an upload sent twice with one Idempotency-Key is one upload and one job", async () => {
    const headers = { "idempotency-key": "march" };
    const send = () =>
      lists.ask("/bulk/upload/preview", { headers, form: formWith("email\nvalid+once@mailvet.test\n") });
    const [first, second] = [await send(), await send()];
    expect(second.text).toBe(first.text);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    const jobs = await Promise.all([first, second].map(({ body }) => lists.confirm(body)));
    expect(jobs[0]!.id).toBe(jobs[1]!.id);
    expect(await lists.ended(jobs[0]!.id)).toMatchObject({ credits_used: 1 });
  });
});
