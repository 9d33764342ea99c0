/**
 * The export of an account: a ZIP file with everything it has, and nothing of others. A new table with a column of an account
 * must be added to the list below.
 */
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { beginPaused, listsOf } from "./jobs-http-world.ts";
import { beginHolder } from "./lock-waits.ts";
import { PATIENCE } from "./patience.ts";
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
  const { body: withHook } = await service.ask("/bulk/jobs", { key: ann.key, body: ofJob });
  await listsOf(service, ann).ended(withHook.id);
  const { body: saved } = await service.ask("/lists", {
    key: ann.key,
    body: { job_id: jobs[0], name: "customers", schedule: "weekly" },
  });
  const { body: savedForTest } = await service.ask("/lists", {
    key: testKey,
    body: { job_id: jobs[1], name: "try-out" },
  });
  jobs.push(withHook.id);
  const { id: running } = await beginPaused(
    listsOf(service, ann),
    service.database.pool,
    "email\nslow-3s@mailvet.test\n",
  );
  jobs.push(running);
  const { upload_id: unconfirmed } = await listsOf(service, ann).upload(
    "name,email\n=Ann,ann@shop.example\n",
  );
  const { body: delivery } = await service.ask(`/webhooks/${hook.id}/test`, { key: ann.key, method: "POST" });
  await service.database.pool.query(
    "insert into rechecks (account_id, request_id, email, address_hash, is_test) values ($1, 'r1', 'cy@shop.example', 'x', false)",
    [ann.accountId],
  );
  await service.ask("/account/notifications", {
    cookie: ann.cookie,
    method: "PATCH",
    body: { low_credits_threshold: 12 },
  });
  const bobs = listsOf(service, bob);
  await bobs.ended((await bobs.begin("email\nbobs-secret@mailvet.test\n")).id);

  const files = unzip(await exported(ann));
  const json = (name: string) => JSON.parse(files.get(name)!);
  expect([...files.keys()]).toEqual([
    "account.json",
    "sessions.json",
    "passkeys.json",
    "keys.json",
    "webhooks.json",
    "deliveries.ndjson",
    "waiting-checks.json",
    "notifications.json",
    "lists.json",
    "usage.csv",
    "ledger.csv",
    "outcomes.json",
    "audit.ndjson",
    "jobs.json",
    ...jobs.toReversed().map((id) => `results/${id}.csv`),
    "uploads.json",
    `uploads/${unconfirmed}.csv`,
  ]);
  expect(json("uploads.json")).toMatchObject([{ upload_id: unconfirmed, columns: ["name", "email"] }]);
  expect(files.get(`uploads/${unconfirmed}.csv`)).toBe("name,email\r\n'=Ann,ann@shop.example\r\n");
  expect(files.get(`results/${running}.csv`)).toMatch(/^email,mailvet_status,/);
  expect(json("waiting-checks.json")).toMatchObject([
    { email: "cy@shop.example", request_id: "r1", attempts: 1 },
  ]);
  const deliveries = files.get("deliveries.ndjson")!.trimEnd().split("\n");
  expect(deliveries.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ webhook_id: hook.id, id: delivery.id, message: delivery.message }),
  );
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
  expect(files.get("usage.csv")).toMatch(/^date,key_id,valid,.*\r\n\d{4}-\d\d-\d\d,[\w-]+,2,1,0,0,3\r\n$/);
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

/** Tables with a column of an account: the file of the export that has their rows, or the reason why none has. */
const NOT_EXPORTED = {
  secret: "proves who signs in: hashes and keys",
  derived: "derived from what is exported, under a hash of the address",
  replay: "encrypted with a key that only the client has, for 24 hours",
  counter: "counters of limits and of the queue's fair shares",
  email: "emails about to be sent to the owner, deleted then",
  operator: "of the installation; listed to operators",
  file: "the export itself",
} as const;
const TABLES: Readonly<Record<string, string>> = {
  account_exports: NOT_EXPORTED.file,
  accounts: "account.json",
  api_keys: "keys.json",
  audit_entries: "audit.ndjson",
  balances: "account.json",
  cached_verdicts: NOT_EXPORTED.derived,
  calibration_cells: NOT_EXPORTED.derived,
  idempotent_responses: NOT_EXPORTED.replay,
  jobs: "jobs.json",
  known_clients: NOT_EXPORTED.secret,
  ledger: "ledger.csv",
  mail_tokens: NOT_EXPORTED.secret,
  notification_settings: "notifications.json",
  operator_keys: NOT_EXPORTED.operator,
  outcomes: "outcomes.json",
  outgoing_emails: NOT_EXPORTED.email,
  passkey_challenges: NOT_EXPORTED.secret,
  passkeys: "passkeys.json",
  queue_groups: NOT_EXPORTED.counter,
  queue_shares: NOT_EXPORTED.counter,
  rechecks: "waiting-checks.json",
  recovery_codes: NOT_EXPORTED.secret,
  request_buckets: NOT_EXPORTED.counter,
  requests_in_progress: NOT_EXPORTED.counter,
  saved_lists: "lists.json",
  sessions: "sessions.json",
  two_factor: NOT_EXPORTED.secret,
  uploads: "uploads.json",
  usage_days: "usage.csv",
  verdicts: NOT_EXPORTED.derived,
  webhook_deliveries: "deliveries.ndjson",
  webhook_endpoints: "webhooks.json",
};

test("every table with an account is in the export, or has a reason why not", async () => {
  const { rows } = await service.database.pool.query<{ name: string }>(`
    select distinct c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and (a.attname like '%account_id' or c.relname = 'accounts')`);
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(TABLES).sort());
  const files = unzip(await exported(await service.openAccount()));
  const reasons: readonly string[] = Object.values(NOT_EXPORTED);
  for (const [table, place] of Object.entries(TABLES))
    expect([table, reasons.includes(place) || files.has(place)]).toEqual([table, true]);
});

test("the operator gets the same file", async () => {
  const ann = await service.openAccount({ credits: 5 });
  const cookie = await service.operatorCookie();
  const response = await written(`/api/v1/operator/accounts/${ann.accountId}/export`, cookie);
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

test("one that is being written is shared, and a complete one is kept for a day", async () => {
  const { pool } = service.database;
  const ann = await service.openAccount();
  const cookie = await service.operatorCookie();
  const ofAnn = `/api/v1/operator/accounts/${ann.accountId}/export`;
  await using paused = await beginHolder(pool);
  await paused.query("lock table webhook_endpoints in access exclusive mode", []);
  await Promise.all([tokenOf(ann), tokenOf(ann), tokenOf(ann)]);
  await paused.untilBlocked(1);
  const { rows } = await pool.query(
    "select from tasks t join queue_groups g on g.id = t.group_id where account_id = $1 and subject = 'export account'",
    [ann.accountId],
  );
  expect(rows).toHaveLength(1);
  await paused.commit();
  const first = Buffer.from(await (await written(ofAnn, cookie)).arrayBuffer());
  const again = Buffer.from(await (await written(ofAnn, cookie)).arrayBuffer());
  expect(again.equals(first)).toBe(true);
  expect(await blobs()).toContainEqual(expect.stringMatching(/-0$/));

  const path = `/api/v1/account/export?token=${await tokenOf(ann)}`;
  await written(path, ann.cookie);
  await pool.query("update account_exports set expires_at = now()");
  await pool.query("delete from pgboss.job where name = 'maintenance'");
  await using _other = await openService({ database: service.database }); // maintenance runs at start
  const count = async () => (await pool.query("select from account_exports")).rowCount;
  await expect.poll(count, PATIENCE).toBe(0);
  const expired = await fetch(`${service.url}${path}`, { headers: { cookie: ann.cookie } });
  expect([expired.status, await expired.json()]).toMatchObject([410, { code: "link_expired" }]);
});

test("one whose task fails for good is refused, and another one can be begun", async () => {
  const { pool } = service.database;
  const ann = await service.openAccount();
  const cookie = await service.operatorCookie();
  await pool.query("alter table tasks alter column failures set default 4"); // one more is the last
  await pool.query("alter table notification_settings rename to unreadable");
  const ofOwner = await service.ask(`/account/export?token=${await tokenOf(ann)}`, { cookie: ann.cookie });
  await expectProblem(service, ofOwner, "link_expired");
  const ofOperator = await service.ask(`/operator/accounts/${ann.accountId}/export`, { cookie });
  await expectProblem(service, ofOperator, "overloaded");
  expect([ofOperator.body.detail, ofOperator.headers.get("retry-after")]).toEqual([
    expect.stringContaining("The export has failed."),
    "300",
  ]);
  await pool.query("alter table unreadable rename to notification_settings");
  await pool.query("alter table tasks alter column failures set default 0");
  expect(unzip(await exported(ann)).get("account.json")).toContain(ann.email);
});

async function blobs(): Promise<string[]> {
  const files = await readdir(join(service.database.dataDirectory, "blobs", "exports"), { recursive: true });
  return files.map((path) => basename(path));
}

async function tokenOf({ cookie, password }: TestAccount): Promise<string> {
  const { status, body } = await service.ask("/account/export", { cookie, body: { password } });
  expect(status).toBe(202);
  return body.token;
}

async function exported(account: TestAccount): Promise<Buffer> {
  const path = `/api/v1/account/export?token=${await tokenOf(account)}`;
  return Buffer.from(await (await written(path, account.cookie)).arrayBuffer());
}

/** The answer is 202 while the file is being written. */
async function written(path: string, cookie: string): Promise<Response> {
  for (;;) {
    const response = await fetch(`${service.url}${path}`, { headers: { cookie } });
    if (response.status === 200) return response;
    expect([response.status, await response.json()]).toEqual([
      202,
      { state: "preparing", size_bytes: expect.any(Number), created_at: expect.any(String) },
    ]);
  }
}
