/** The SDK and the CLI against the real service. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient, MailvetProblem } from "@mailvet/sdk";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { beginHolder } from "./lock-waits.ts";
import { PATIENCE } from "./patience.ts";
import { OPERATOR, openService, type TestService } from "./service.ts";

const CLI = fileURLToPath(new URL("../../cli/dist/main.js", import.meta.url));

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service[Symbol.asyncDispose]());

test("a key holder checks one address, a list and a stream, and sees the cost", async () => {
  const ann = await service.openAccount({ credits: 3000 });
  const client = createClient({ baseUrl: service.url, apiKey: ann.key });

  const result = await client.validate("mailbox-not-found@mailvet.test");
  expect(result).toMatchObject({ status: "invalid", sub_status: "mailbox_not_found" });
  expect(client.creditsRemaining).toBe(2999);
  const summary = await client.validateBulk([
    "valid@mailvet.test",
    "VALID@mailvet.test",
    "catch-all@mailvet.test",
  ]);
  expect(summary).toMatchObject({ total: 3, duplicate_count: 1, credits_used: 2 });

  const emails = Array.from({ length: 2500 }, (_, index) => `valid+${index}@mailvet.test`);
  const items = [];
  for await (const item of client.validateMany(emails)) items.push(item.email);
  expect(items).toEqual(emails);

  const credits = await client.credits({ limit: 2 });
  expect(credits).toMatchObject({ balance: 3000 - 1 - 2 - 2500, reserved: 0, total: 6 });
  expect(credits.ledger).toHaveLength(2);
  const { days } = await client.usage();
  expect(days.reduce((sum, { credits_used }) => sum + credits_used, 0)).toBe(2503); // two days at midnight
  expect(await client.account()).toMatchObject({ id: ann.accountId, plan: "enterprise" });
});

const PEOPLE =
  "name,email\nAnn,valid@mailvet.test\nBo,greylisted-then-valid@mailvet.test\nCy,VALID@mailvet.test\nDee,x\n";

test("a key holder sends a file, follows the job to its end, and downloads the results", async () => {
  const { key } = await service.openAccount({ credits: 100 });
  const { jobs, credits } = createClient({ baseUrl: service.url, apiKey: key });

  const preview = await jobs.upload({ content: new Blob([PEOPLE]), name: "people.csv" });
  expect(preview).toMatchObject({ suggested_email_column: "email", total_rows: 4 });
  const choice = { uploadId: preview.upload_id, emailColumn: "email" };
  await using planning = await beginHolder(service.database.pool);
  await planning.query("lock table slices in share mode", []);
  const { id, status } = await jobs.confirm(choice);
  expect(status).toBe("queued");
  await expect(Promise.resolve(jobs.results(id, { final: true }))).rejects.toMatchObject({
    code: "results_not_ready",
  });
  await planning.commit();
  const steps: number[] = [];
  const job = await jobs.wait(id, { onProgress: ({ processed }) => steps.push(processed) });
  expect(job).toMatchObject({ status: "completed", processed: 3, duplicate_count: 1, credits_used: 3 });
  expect(steps.at(-1)).toBe(3);

  const results = [];
  for await (const { row, sub_status } of jobs.results(id)) results.push([row, sub_status]);
  expect(results).toEqual([
    [1, ""],
    [2, ""],
    [3, ""],
    [4, "syntax_error"],
  ]);
  const file = await (await jobs.download(id, { status: "invalid" })).text();
  expect(file).toMatch(/^name,email,mailvet_status,.*\r\nDee,x,invalid,syntax_error,.*\r\n$/);
  expect(await credits()).toMatchObject({ balance: 97, reserved: 0 });
  expect(await jobs.list({ status: "completed" })).toMatchObject({ items: [{ id }], total: 1 });

  // Another one, if it ends before.
  const cancelled = await vi.waitFor(async () => {
    const { upload_id } = await jobs.upload({ content: new Blob([PEOPLE]), name: "people.csv" });
    const job = await jobs.cancel((await jobs.confirm({ ...choice, uploadId: upload_id })).id);
    expect(job.status).toBe("cancelled");
    return job;
  }, PATIENCE);
  await jobs.delete(cancelled.id);
  await expect(jobs.get(cancelled.id)).rejects.toMatchObject({ code: "job_not_found" });
});

test("the command line checks a whole file through the service", async () => {
  const { key } = await service.openAccount({ credits: 10 });
  const folder = mkdtempSync(join(tmpdir(), "mailvet-clients-"));
  try {
    writeFileSync(join(folder, "people.csv"), PEOPLE);
    const out = join(folder, "checked.csv");
    const run = await mailvet(key, ["job", "run", join(folder, "people.csv"), "--out", out]);
    expect([run.code, run.stderr]).toEqual([0, expect.stringMatching(/\w/)]);
    const rows = readFileSync(out, "utf8").trimEnd().split("\r\n");
    expect(rows.map((row) => row.split(",").slice(0, 4))).toEqual([
      ["name", "email", "mailvet_status", "mailvet_sub_status"],
      ["Ann", "valid@mailvet.test", "valid", ""],
      ["Bo", "greylisted-then-valid@mailvet.test", "valid", ""],
      ["Cy", "VALID@mailvet.test", "valid", ""],
      ["Dee", "x", "invalid", "syntax_error"],
    ]);
    expect((await mailvet(key, ["job", "list"])).stdout).toContain("people.csv");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a refusal arrives as a problem with all its fields", async () => {
  const ann = await service.openAccount({ credits: 1 });
  const client = createClient({ baseUrl: `${service.url}/api/v1/`, apiKey: ann.key });
  const refusal = await client.validateBulk(["a@mailvet.test", "b@mailvet.test"]).catch((error) => error);
  expect(refusal).toBeInstanceOf(MailvetProblem);
  expect(refusal).toMatchObject({ code: "insufficient_credits", status: 402, required: 2, available: 1 });
  expect(refusal.requestId).toMatch(/^[0-9a-f-]{36}$/);
});

test("a user signs up, creates a key and is granted credits; the key works until it is revoked", async () => {
  const page = createClient({ baseUrl: service.url, fetch: withCookies() });
  const office = createClient({ baseUrl: service.url, fetch: withCookies() });
  const password = "a password of some length";
  const signedUp = await page.auth.signUp({ email: "eve@team.example", password });
  if (!("account" in signedUp)) throw new Error("signed up by mail");
  const accountId = signedUp.account.id;
  await office.auth.signIn(OPERATOR);
  expect(await office.operator.setPlan(accountId, "payg")).toMatchObject({ plan: "payg" });
  expect(await office.operator.grant(accountId, { amount: 5, note: "try it" })).toMatchObject({ amount: 5 });
  expect((await office.operator.accounts({ search: "eve@" })).items).toMatchObject([{ id: accountId }]);
  expect(await office.operator.account(accountId)).toMatchObject({ credits: { balance: 5 } });

  const created = await page.keys.create({ name: "first", expiresAt: new Date(Date.now() + 60_000) });
  const client = createClient({ baseUrl: service.url, apiKey: created.key, retries: 0 });
  expect(await client.validate("valid@mailvet.test")).toMatchObject({ status: "valid" });
  await page.keys.revoke(created.id);
  await expect(client.validate("valid@mailvet.test")).rejects.toMatchObject({ code: "invalid_api_key" });
  expect((await page.keys.list())[0]).toMatchObject({ id: created.id, revoked_at: expect.any(String) });

  await page.auth.changePassword({
    currentPassword: password,
    newPassword: "another password of some length",
  });
  expect(await page.auth.sessions()).toHaveLength(1);
  expect((await page.auth.session()).account.id).toBe(accountId);
  expect(await page.auth.requestPasswordReset("eve@team.example")).toEqual({ status: "mail_sent" });
  await page.auth.signOut();
  await expect(page.auth.session()).rejects.toMatchObject({ code: "not_signed_in" });
});

test("the command line checks through the service, in order, and prints the remaining credits", async () => {
  const ann = await service.openAccount({ credits: 10 });
  const run = mailvet(ann.key, ["check", "valid@mailvet.test", "catch-all@mailvet.test", "no address"]);
  const { code, stdout, stderr } = await run;
  expect(code).toBe(0);
  const lines = stdout.trim().split("\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/valid.*valid@mailvet\.test/);
  expect(lines[1]).toMatch(/risky\/catch_all.*catch-all@mailvet\.test/);
  expect(lines[2]).toMatch(/invalid\/syntax_error.*no address/);
  expect(stderr).toContain("7 credits remaining");

  const account = await mailvet(ann.key, ["account", "--json"]);
  expect(JSON.parse(account.stdout)).toMatchObject({ id: ann.accountId, credits: { balance: 7 } });

  const poor = await mailvet(ann.key, ["check", ...Array.from({ length: 8 }, (_, i) => `${i}@mailvet.test`)]);
  expect(poor.code).toBe(1);
  expect(poor.stderr).toMatch(/8.*7/s);
});

/** A fetch that stores cookies, like a browser. */
function withCookies(): typeof fetch {
  let cookie = "";
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (cookie) headers.set("cookie", cookie);
    const answer = await fetch(input, { ...init, headers });
    cookie = answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? cookie;
    return answer;
  };
}

function mailvet(key: string, args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, MAILVET_SERVICE: service.url, MAILVET_API_KEY: key };
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}
