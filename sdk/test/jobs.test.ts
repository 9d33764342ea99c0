/** Files through the client and the command line, with a real service. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mailvet } from "../../cli/test/command.ts";
import { rowOf, xlsxOf } from "../../engine/test/workbooks.ts";
import { type Lab, mailDomain, openLab, saysNothing } from "../../lab/src/index.ts";
import { openService, type TestAccount, type TestService } from "../../service/test/service.ts";
import { type Client, createClient, type Job } from "../src/index.ts";

const LIST = [
  "name,E-mail",
  "Ann,valid+ann@mailvet.test",
  "Bob,mailbox-not-found+bob@mailvet.test",
  "Cy,catch-all+cy@mailvet.test",
  "Nobody,",
  "Ann again,Ann <VALID+ann@mailvet.test>",
].join("\n");

let lab: Lab;
let service: TestService;
let ann: TestAccount;
let client: Client;
beforeAll(async () => {
  lab = await openLab({ "silent.test": mailDomain({ temper: saysNothing({ at: "rcpt" }) }) });
  service = await openService({ lab, env: { PROBE_TIMEOUT_SECONDS: "600" } });
  ann = await service.openAccount({ credits: 100 });
  client = createClient({ baseUrl: service.url, apiKey: ann.key });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

async function begin(text: string): Promise<Job> {
  const preview = await client.jobs.upload(new File([text], "people.csv"));
  return await client.jobs.confirm({
    uploadId: preview.upload_id,
    emailColumn: preview.suggested_email_column,
  });
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable("it should have failed"),
    (error: unknown) => error,
  );

test("a file is uploaded, checked and downloaded", async () => {
  const preview = await client.jobs.upload(new File([LIST], "people.csv"));
  expect(preview).toMatchObject({
    filename: "people.csv",
    columns: ["name", "E-mail"],
    suggested_email_column: "E-mail",
    total_rows: 5,
    unique_count_by_column: { "E-mail": 3 },
  });
  const choice = { uploadId: preview.upload_id, emailColumn: "E-mail" };
  const { id, status } = await client.jobs.confirm(choice);
  expect(status).toBe("queued");
  expect((await client.jobs.confirm(choice)).id).toBe(id);

  const seen: string[] = [];
  const job = await client.jobs.wait(id, { onProgress: (now) => seen.push(now.status) });
  expect(job).toMatchObject({ id, status: "completed", processed: 3, valid_count: 1, credits_used: 3 });
  expect(seen.at(-1)).toBe("completed");
  expect(await client.jobs.get(id, { waitSeconds: 1 })).toMatchObject({ id, status: "completed" });
  expect((await client.jobs.list({ status: "completed" })).items.map((item) => item.id)).toContain(id);

  const rows: [number, string][] = [];
  for await (const { row, status } of client.jobs.results(id)) rows.push([row, status]);
  expect(rows).toEqual([
    [1, "valid"],
    [2, "invalid"],
    [3, "risky"],
    [5, "valid"],
  ]);
  const text = await (await client.jobs.download(id, { status: "valid" })).text();
  expect(text).toMatch(
    /^name,E-mail,mailvet_status.*\r\nAnn,.*,valid,.*\r\nAnn again,.*,valid,.*,true,.*\r\n$/,
  );
});

test("run uploads a file or sends a list in memory, reports progress and resolves at the end", async () => {
  const seen: number[] = [];
  const onProgress = ({ progress_percent }: Job) => seen.push(progress_percent);
  const job = await client.jobs.run(new File([LIST], "people.csv"), { onProgress });
  expect(job).toMatchObject({ status: "completed", email_column: "E-mail", processed: 3 });
  expect(seen.at(-1)).toBe(100);
  const safe: string[] = [];
  for await (const { email } of client.jobs.results(job.id, { safeToSend: true })) safe.push(email);
  expect(safe).toHaveLength(2); // the duplicate too
  const byName = client.jobs.run(new File([LIST], "people.csv"), { emailColumn: "name" });
  expect(await failureOf(byName)).toMatchObject({ code: "no_emails_found" });
  const memory = await client.jobs.run({ emails: ["valid+list@mailvet.test"], name: "sign-ups" });
  expect(memory).toMatchObject({ status: "completed", valid_count: 1, filename: "sign-ups" });
});

test("a stream can be uploaded", async () => {
  async function* pieces() {
    yield new TextEncoder().encode("email\nvalid+one@mail");
    yield new TextEncoder().encode("vet.test\n");
  }
  const preview = await client.jobs.upload({ name: "piped.csv", content: pieces() });
  expect(preview).toMatchObject({ filename: "piped.csv", total_rows: 1, suggested_email_column: "email" });
});

test("a list in memory, a link-like array of files and a sheet are accepted", async () => {
  const created = await client.jobs.create({
    emails: ["valid+m@mailvet.test"],
    name: "memory",
    metadata: { a: "1" },
  });
  expect(created).toMatchObject({ filename: "memory", unique_emails: 1, metadata: { a: "1" } });
  expect(await client.jobs.wait(created.id)).toMatchObject({ status: "completed", valid_count: 1 });
  const workbook = await xlsxOf({
    sheets: { A: rowOf("valid+x@mailvet.test"), B: rowOf("valid+y@mailvet.test") },
  });
  const file = new File([new Uint8Array(workbook)], "two.xlsx");
  expect(await client.jobs.upload(file, { sheet: "B" })).toMatchObject({ sheet: "B", sheets: ["A", "B"] });
  const group = await client.jobs.upload([file, new File(["valid+z@mailvet.test"], "one.txt")]);
  expect(group).toMatchObject({ filename: "two.xlsx and 1 more", total_rows: 2, is_group: true });
});

test("a job can be paused, resumed, cancelled and deleted", async () => {
  const silent = Array.from({ length: 30 }, (_, n) => `ann${n}@silent.test`).join("\n");
  const { id } = await begin(`email\n${silent}\n`);
  for await (const { status } of client.jobs.events(id)) if (status === "processing") break;
  expect(await client.jobs.pause(id)).toMatchObject({ id, status: "paused" });
  expect(await client.jobs.resume(id)).toMatchObject({ id, status: "processing" });
  expect(await failureOf(Promise.resolve(client.jobs.results(id, { final: true })))).toMatchObject({
    code: "results_not_ready",
  });
  expect(await client.jobs.cancel(id)).toMatchObject({ id, status: "cancelled" });
  expect(await client.jobs.wait(id)).toMatchObject({ status: "cancelled" });
  expect(await failureOf(client.jobs.resume(id))).toMatchObject({ code: "job_state_conflict" });
  await client.jobs.delete(id);
  expect(await failureOf(client.jobs.wait(id))).toMatchObject({ code: "job_not_found" });
});

test("a list without emails and one that costs too much are rejected", async () => {
  const nothing = client.jobs.upload(new File(["name,city\nAnn,Rome\n"], "people.csv"));
  expect(await failureOf(nothing)).toMatchObject({ code: "no_emails_found" });
  const many = Array.from({ length: 500 }, (_, n) => `valid+${n}@mailvet.test`).join("\n");
  expect(await failureOf(begin(`email\n${many}\n`))).toMatchObject({
    code: "insufficient_credits",
    required: 500,
  });
});

test("mailvet job run sends a workbook, and downloads what is safe to send to", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailvet-jobs-"));
  try {
    const list = join(folder, "people.xlsx");
    writeFileSync(
      list,
      await xlsxOf({
        sheets: { Cover: rowOf("Hello"), People: rowOf("mail") + rowOf("valid+cli@mailvet.test") },
      }),
    );
    const env = { MAILVET_SERVICE: service.url, MAILVET_API_KEY: ann.key };
    const { code } = await mailvet(["job", "run", list, "--sheet", "People"], { env });
    expect(code).toBe(0);
    expect(readFileSync(join(folder, "people-results.csv"), "utf8")).toMatch(
      /^mail,mailvet_status.*\r\nvalid\+cli@mailvet.test,valid,/,
    );
    const csv = join(folder, "people.csv");
    writeFileSync(csv, LIST);
    const safe = await mailvet(["job", "run", csv, "--wait", "--only", "safe", "--out", "-"], { env });
    expect(safe.stdout.split("\r\n").map((line) => line.split(",", 1)[0])).toEqual([
      "name",
      "Ann",
      "Ann again",
      "",
    ]);
    const wrong = await mailvet(["job", "run", list, "--sheet", "Nope", "--force"], { env });
    expect([wrong.code, wrong.stderr]).toEqual([expect.any(Number), expect.stringContaining("--sheet")]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("mailvet job run writes the results beside the file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailvet-jobs-"));
  try {
    const list = join(folder, "people.csv");
    writeFileSync(list, LIST);
    const env = { MAILVET_SERVICE: service.url, MAILVET_API_KEY: ann.key };
    const { code, stderr } = await mailvet(["job", "run", list], { env });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("1 valid, 1 invalid, 1 risky"),
    });
    const lines = readFileSync(join(folder, "people-results.csv"), "utf8").split("\r\n");
    expect(lines[0]).toMatch(/^name,E-mail,mailvet_status,/);
    expect(lines.slice(1, -1).map((line) => line.split(",", 1)[0])).toEqual([
      "Ann",
      "Bob",
      "Cy",
      "Nobody",
      "Ann again",
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("mailvet job recheck asks again, and mailvet list keeps the job and shows what changed", async () => {
  const env = { MAILVET_SERVICE: service.url, MAILVET_API_KEY: ann.key };
  const cli = async (...args: string[]) => {
    const { code, stdout, stderr } = await mailvet(args, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    return stdout;
  };
  const job = await client.jobs.run(new File(["email\nvalid+keep@mailvet.test\n"], "keep.csv"));
  const again = JSON.parse(await cli("job", "recheck", job.id, "--which", "all", "--wait", "--json"));
  expect(again).toMatchObject({ id: job.id, status: "completed", attempt: 2 });

  const saved = JSON.parse(
    await cli("list", "save", job.id, "--tag", "crm", "eu", "--schedule", "weekly", "--json"),
  );
  expect(saved).toMatchObject({ job_id: job.id, name: "keep.csv", tags: ["crm", "eu"], schedule: "weekly" });
  expect(await cli("list", "all")).toContain(`${saved.id}  weekly`);
  await cli("list", "set", saved.id, "--name", "customers", "--schedule", "never", "--stale-after", "3");
  expect(await cli("list", "show", saved.id)).toMatch(/^customers\n.*never, what is older than 3 days/s);
  // As if the mailbox had been invalid before.
  await service.database.pool.query("update results set status = 'invalid' where job_id = $1", [job.id]);
  expect(await cli("list", "recheck", saved.id, "--wait")).toContain("completed");
  expect(await cli("list", "changes", saved.id)).toBe("invalid → valid  valid+keep@mailvet.test\n");
  const refused = await mailvet(["list", "delete", saved.id], { env });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--yes")]);
  await cli("list", "delete", saved.id, "--yes");
  expect(await cli("list", "all", "--json")).toBe("");
});

test("webhook endpoints can be created, changed, tested and removed", async () => {
  const { webhooks } = client;
  const made = await webhooks.create({ url: "http://127.0.0.1:9/mailvet", events: ["job.completed"] });
  expect(made.secret).toMatch(/^whsec_/);
  const { id } = made;
  expect((await webhooks.list()).map((endpoint) => endpoint.id)).toEqual([id]);
  expect(await webhooks.update(id, { description: "ours" })).toMatchObject({ id, description: "ours" });
  expect((await webhooks.rotateSecret(id)).secret).not.toBe(made.secret);
  const delivery = await webhooks.test(id);
  expect(delivery).toMatchObject({ event: "webhook.test", state: "pending" });
  const { items, total } = await webhooks.deliveries(id);
  expect([items.map((item) => item.id), total]).toEqual([[delivery.id], 1]);
  expect(await webhooks.replay(id, delivery.id)).toMatchObject({ event: "webhook.test" });
  await webhooks.remove(id);
  expect(await failureOf(webhooks.get(id))).toMatchObject({ code: "webhook_not_found" });
});
