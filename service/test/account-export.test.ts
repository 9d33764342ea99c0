/** The export of an account: a ZIP file with everything it has, and nothing of others. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { listsOf } from "./jobs-http-world.ts";
import { expectProblem } from "./problems.ts";
import { openService, type TestAccount, type TestService } from "./service.ts";
import { unzip } from "./unzip.ts";

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service[Symbol.asyncDispose]());

test("it has the account with settings, keys, webhooks, saved lists, usage and ledger, and jobs with their results", async () => {
  const ann = await service.openAccount({ credits: 100 });
  const bob = await service.openAccount();
  const { body: hook } = await service.ask("/webhooks", {
    key: ann.key,
    body: { url: "http://127.0.0.1:9/" },
  });
  const { key: testKey } = await ann.makeKey({ mode: "test" });
  const jobs: string[] = [];
  for (const key of [ann.key, testKey]) {
    const lists = listsOf(service, { key });
    const { id } = await lists.begin(
      "name,email\nAnn,valid@mailvet.test\nBo,mailbox-not-found@mailvet.test\n",
    );
    await lists.ended(id);
    jobs.push(id);
  }
  const ofJob = { emails: ["valid@mailvet.test"], webhook_url: "http://127.0.0.1:9/job" };
  const { body: withHook } = await service.ask("/bulk/jobs", { key: testKey, body: ofJob });
  await listsOf(service, { key: testKey }).ended(withHook.id);
  const { body: saved } = await service.ask("/lists", {
    key: ann.key,
    body: { job_id: jobs[0], name: "customers", schedule: "weekly" },
  });
  const { body: savedForTest } = await service.ask("/lists", {
    key: testKey,
    body: { job_id: jobs[1], name: "try-out" },
  });
  jobs.push(withHook.id);
  await service.ask("/account/notifications", {
    cookie: ann.cookie,
    method: "PATCH",
    body: { low_credits_threshold: 12 },
  });
  const bobs = listsOf(service, bob);
  await bobs.ended((await bobs.begin("email\nbobs-secret@mailvet.test\n")).id);

  const files = unzip(await exported(ann));
  expect([...files.keys()]).toEqual([
    "account.json",
    "sessions.json",
    "passkeys.json",
    "keys.json",
    "webhooks.json",
    "notifications.json",
    "lists.json",
    "usage.csv",
    "ledger.csv",
    "outcomes.json",
    "audit.ndjson",
    "jobs.json",
    ...jobs.toReversed().map((id) => `results/${id}.csv`),
  ]);
  const json = (name: string) => JSON.parse(files.get(name)!);
  expect(json("account.json")).toMatchObject({ id: ann.accountId, email: ann.email, state: "active" });
  expect(json("sessions.json")).toMatchObject([{ id: expect.any(String) }]);
  expect(json("passkeys.json")).toEqual([]);
  expect(json("outcomes.json")).toMatchObject({ totals: { bounced: 0 } });
  const audit = files.get("audit.ndjson")!.trimEnd().split("\n");
  const actions = audit.map((line) => JSON.parse(line).action);
  expect(actions).toEqual(
    expect.arrayContaining(["account.created", "list.created", "notifications.changed"]),
  );
  expect(json("keys.json")).toMatchObject([{ mode: "test" }, { mode: "live" }]);
  expect(json("webhooks.json")).toMatchObject([
    { url: ofJob.webhook_url, job_id: withHook.id },
    { id: hook.id },
  ]);
  expect(json("notifications.json")).toEqual({ job_emails: true, low_credits_threshold: 12 });
  expect(json("lists.json")).toEqual([saved, savedForTest]);
  expect(json("jobs.json").map(({ id }: { id: string }) => id)).toEqual(jobs.toReversed());
  expect(files.get("usage.csv")).toMatch(/^date,key_id,valid,.*\r\n\d{4}-\d\d-\d\d,[\w-]+,1,1,0,0,2\r\n$/);
  const ledger = files.get("ledger.csv")!.trimEnd().split("\r\n");
  expect(ledger[0]).toMatch(/^id,kind,amount/);
  expect(ledger.at(-1)).toMatch(/^1,grant,100,/);
  for (const id of jobs.slice(0, 2)) {
    const [header, first, second] = files.get(`results/${id}.csv`)!.split("\r\n");
    expect(header).toMatch(/^name,email,mailvet_status,/);
    expect([first, second]).toEqual([
      expect.stringMatching(/^Ann,valid@mailvet.test,valid,/),
      expect.stringMatching(/^Bo,mailbox-not-found@mailvet.test,invalid,/),
    ]);
  }
  const all = [...files.values()].join("\n");
  for (const secret of [
    ann.key,
    testKey,
    hook.secret,
    withHook.webhook_secret,
    ann.password,
    "bobs-secret",
    bob.accountId,
    bob.email,
  ])
    expect(all).not.toContain(secret);
});

test("the operator gets the same file", async () => {
  const ann = await service.openAccount({ credits: 5 });
  const cookie = await service.operatorCookie();
  const response = await fetch(`${service.url}/api/v1/operator/accounts/${ann.accountId}/export`, {
    headers: { cookie },
  });
  expect(response.headers.get("content-type")).toBe("application/zip");
  expect(response.headers.get("content-disposition")).toContain(
    `filename*=UTF-8''mailvet-${encodeURIComponent(ann.email)}.zip`,
  );
  expect(unzip(Buffer.from(await response.arrayBuffer())).get("account.json")).toContain(ann.email);
});

test("it needs the password, and its token is good for the owner only", async () => {
  const [ann, bob] = [await service.openAccount(), await service.openAccount()];
  const wrong = await service.ask("/account/export", {
    cookie: ann.cookie,
    body: { password: "a guess at it" },
  });
  await expectProblem(service, wrong, "wrong_credentials");
  const token = await tokenOf(ann);
  const byBob = await service.ask(`/account/export?token=${token}`, { cookie: bob.cookie });
  await expectProblem(service, byBob, "link_expired");
  await service.database.pool.query("update mail_tokens set expires_at = now() where purpose = 'export'");
  const late = await service.ask(`/account/export?token=${token}`, { cookie: ann.cookie });
  await expectProblem(service, late, "link_expired");
});

async function tokenOf({ cookie, password }: TestAccount): Promise<string> {
  const { status, body } = await service.ask("/account/export", { cookie, body: { password } });
  expect(status).toBe(201);
  return body.token;
}

async function exported(account: TestAccount): Promise<Buffer> {
  const path = `/api/v1/account/export?token=${await tokenOf(account)}`;
  const response = await fetch(`${service.url}${path}`, { headers: { cookie: account.cookie } });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}
