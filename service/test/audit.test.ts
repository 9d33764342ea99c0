/** The audit log over HTTP: every action is recorded, and who may read what. */
import type { AuditAction, AuditEntry } from "@mailvet/contract";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAuditLog, forOwner } from "../src/audit/audit-log.ts";
import { recordAudit, SYSTEM } from "../src/audit/audit-writer.ts";
import { makeOperatorKey } from "./endpoint-requests.ts";
import {
  type Answer,
  cookieOf,
  formWith,
  OPERATOR,
  openService,
  type TestAccount,
  type TestService,
} from "./service.ts";
import { createSoftwareAuthenticator } from "./software-authenticator.ts";
import { answers, openReceiver } from "./webhooks-receiver.ts";

const HERE = "198.51.100.7";
const PUBLIC_URL = "https://mailvet.example";
const HOOK = "http://127.0.0.1:9/hook/secret-path";

let service: TestService;
beforeAll(async () => {
  service = await openService({ env: { PUBLIC_URL } });
});
beforeEach(async () => {
  await service.database.pool.query("delete from attempts"); // many sign up from one network
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

type Expected = Partial<Omit<AuditEntry, "actor">> & { actor?: Partial<AuditEntry["actor"]> };
type Deed = (account: TestAccount) => Promise<Expected>;

/** For every action: a request that leads to it, and the entry that its owner sees. */
const DEEDS: Readonly<Record<AuditAction, Deed>> = {
  "account.created": async () => ({ actor: { kind: "anonymous" } }),
  "sign_in.succeeded": async (account) => {
    const { body } = await signIn(account);
    const actor = { kind: "session", session_id: body.session_id } as const;
    return { actor, network: HERE, subject_id: body.session_id, details: { method: "password" } };
  },
  "sign_in.failed": async (account) => {
    expect((await signIn({ ...account, password: "not the password" })).status).toBe(401);
    return { actor: { kind: "anonymous" }, network: HERE, details: { reason: "password" } };
  },
  "sign_in.code_requested": async (account) => {
    await enableTwoFactor(account);
    expect((await signIn(account)).status).toBe(401);
    return { actor: { kind: "anonymous" }, network: HERE };
  },
  "sign_in.code_failed": async (account) => {
    await enableTwoFactor(account);
    expect((await signIn(account, "000000")).status).toBe(401);
    return { actor: { kind: "anonymous" }, network: HERE };
  },
  sign_out: async (account) => {
    const cookie = cookieOf(await signIn(account));
    await done(service.ask("/auth/sign-out", { method: "POST", cookie, from: HERE }));
    return { actor: { kind: "session" }, network: HERE };
  },
  "session.ended": async (account) => {
    const { body } = await signIn(account);
    const { cookie } = account;
    await done(service.ask(`/auth/sessions/${body.session_id}`, { method: "DELETE", cookie, from: HERE }));
    return { subject_id: body.session_id, actor: { kind: "session" }, network: HERE };
  },
  "password.changed": async ({ cookie, password }) => {
    const body = { current_password: password, new_password: "another long password" };
    await done(service.ask("/auth/password", { cookie, body, from: HERE }));
    return { actor: { kind: "session" }, network: HERE };
  },
  "password.reset_requested": async (account) => {
    await requestReset(account);
    return { actor: { kind: "anonymous" }, network: HERE };
  },
  "password.reset": async (account) => {
    const token = await requestReset(account);
    const body = { token, new_password: "another long password", revoke_keys: true };
    await done(service.ask("/auth/password-reset/confirm", { body, from: HERE }));
    return { actor: { kind: "anonymous" }, network: HERE };
  },
  "two_factor.enabled": async (account) => {
    await enableTwoFactor(account);
    return { actor: { kind: "session" }, network: HERE };
  },
  "two_factor.disabled": async (account) => {
    const code = await enableTwoFactor(account);
    const { cookie, password } = account;
    await done(
      service.ask("/auth/two-factor/disable", { cookie, body: { password, code: code(1) }, from: HERE }),
    );
    return { actor: { kind: "session" }, network: HERE };
  },
  "two_factor.recovery_codes_replaced": async (account) => {
    const code = await enableTwoFactor(account);
    const { cookie, password } = account;
    const body = { password, code: code(1) };
    await done(service.ask("/auth/two-factor/recovery-codes", { cookie, body, from: HERE }));
    return { actor: { kind: "session" }, network: HERE };
  },
  "passkey.added": async (account) => ({
    subject_id: await addPasskey(account),
    actor: { kind: "session" },
    network: HERE,
  }),
  "passkey.removed": async (account) => {
    const id = await addPasskey(account);
    const { cookie, password } = account;
    await done(service.ask(`/auth/passkeys/${id}/remove`, { cookie, body: { password }, from: HERE }));
    return { subject_id: id, actor: { kind: "session" }, network: HERE };
  },
  "key.created": async ({ makeKey }) => {
    const { id, prefix } = await makeKey({ mode: "test" });
    return { subject_id: id, actor: { kind: "session" }, details: { name: "a key", prefix, mode: "test" } };
  },
  "key.revoked": async ({ makeKey, cookie }) => {
    const { id } = await makeKey();
    for (let twice = 0; twice < 2; twice++)
      await done(service.ask(`/keys/${id}`, { method: "DELETE", cookie, from: HERE }));
    return { subject_id: id, actor: { kind: "session" }, network: HERE };
  },
  "operator_key.created": async () => {
    const { id, prefix } = await makeOperatorKey(service, { scopes: ["jobs:read", "system:read"] });
    const details = { name: "a script", prefix, scopes: "jobs:read, system:read" };
    return { ...BY_OPERATOR, account_id: await operatorId(), subject_id: id, details };
  },
  "operator_key.revoked": async () => {
    const { id } = await makeOperatorKey(service);
    const asked = { method: "DELETE", cookie: await service.operatorCookie() };
    for (let twice = 0; twice < 2; twice++) await done(service.ask(`/operator/keys/${id}`, asked));
    return { ...BY_OPERATOR, account_id: await operatorId(), subject_id: id };
  },
  "webhook.created": async (account) => {
    const id = await makeHook(account);
    const details = { host: "127.0.0.1:9", mode: "live" };
    return { subject_id: id, actor: { kind: "api_key" }, network: HERE, details };
  },
  "webhook.changed": async (account) => {
    const id = await makeHook(account);
    await done(hook(account, id, "PATCH", "", { url: `${HOOK}/2`, is_enabled: false }));
    const details = { host: "127.0.0.1:9", mode: "live", changed: "url, is_enabled" };
    return { subject_id: id, actor: { kind: "api_key" }, details };
  },
  "webhook.secret_rotated": async (account) => {
    const id = await makeHook(account);
    await done(hook(account, id, "POST", "/rotate-secret"));
    return { subject_id: id, actor: { kind: "api_key" } };
  },
  "webhook.disabled": async (account) => {
    await using gone = await openReceiver();
    gone.behave(answers(410));
    const id = await makeHook(account, gone.url);
    await done(hook(account, id, "POST", "/test"));
    await expect.poll(async () => (await hook(account, id, "GET")).body.is_enabled).toBe(false);
    return { subject_id: id, actor: { kind: "system" }, network: null };
  },
  "webhook.deleted": async (account) => {
    const id = await makeHook(account);
    await done(hook(account, id, "DELETE"));
    return { subject_id: id, actor: { kind: "api_key" }, network: HERE };
  },
  "job.downloaded": async (account) => {
    const id = await makeJob(account);
    await done(service.ask(`/bulk/jobs/${id}/download?format=ndjson`, { key: account.key, from: HERE }));
    return { subject_id: id, actor: { kind: "api_key" }, network: HERE, details: { format: "ndjson" } };
  },
  "job.deleted": async (account) => {
    const id = await makeJob(account);
    await done(service.ask(`/bulk/jobs/${id}`, { method: "DELETE", key: account.key, from: HERE }));
    return { subject_id: id, actor: { kind: "api_key" }, network: HERE };
  },
  "list.created": async (account) => {
    const subject_id = await makeList(account);
    const details = { mode: "live", schedule: "weekly" };
    return { subject_id, actor: { kind: "api_key" }, network: HERE, details };
  },
  "list.changed": async (account) => {
    const subject_id = await makeList(account);
    const asked = { method: "PATCH", key: account.key, from: HERE };
    await done(service.ask(`/lists/${subject_id}`, { ...asked, body: { schedule: null } }));
    await done(service.ask(`/lists/${subject_id}`, { ...asked, body: {} }));
    return { subject_id, actor: { kind: "api_key" }, details: { mode: "live", schedule: "never" } };
  },
  "list.deleted": async (account) => {
    const subject_id = await makeList(account);
    await done(service.ask(`/lists/${subject_id}`, { method: "DELETE", key: account.key, from: HERE }));
    return { subject_id, actor: { kind: "api_key" }, network: HERE };
  },
  "notifications.changed": async ({ cookie }) => {
    const body = { low_credits_threshold: 12 };
    await done(service.ask("/account/notifications", { method: "PATCH", cookie, body, from: HERE }));
    return { actor: { kind: "session" }, details: { job_emails: true, low_credits_threshold: 12 } };
  },
  "feedback.deleted": async ({ key }) => {
    await done(service.ask("/feedback", { method: "DELETE", key, from: HERE }));
    return { actor: { kind: "api_key" }, network: HERE };
  },
  "plan.changed": async ({ accountId }) => {
    const asked = { method: "PATCH", cookie: await service.operatorCookie(), body: { plan: "growth" } };
    for (let twice = 0; twice < 2; twice++) await done(service.ask(`/operator/accounts/${accountId}`, asked));
    return { ...BY_OPERATOR, details: { from: "enterprise", to: "growth" } };
  },
  "credits.granted": async ({ accountId }) => {
    const headers = { "idempotency-key": "once" };
    const asked = { cookie: await service.operatorCookie(), body: { amount: 7, note: "a gift" }, headers };
    for (let twice = 0; twice < 2; twice++)
      await done(service.ask(`/operator/accounts/${accountId}/grants`, asked));
    return { ...BY_OPERATOR, details: { amount: 7 } };
  },
  "dead_letter.redriven": async (account) => {
    const groupId = await makeHook(account);
    const { body } = await done(hook(account, groupId, "POST", "/test"));
    const task = { queue: "delivery", groupId, accountId: account.accountId, subject: body.id };
    const letter = { ...task, failures: 1, losses: 0, error: "an error", details: {} };
    const attempts = async () => (await hook(account, groupId, "GET", "/deliveries")).body[0].attempts;
    await expect.poll(attempts).toBeGreaterThanOrEqual(1);
    const { pool } = service.database;
    await pool.query("delete from tasks where subject = $1", [body.id]); // no retry changes the state again
    await pool.query("update webhook_deliveries set state = 'failed' where id = $1", [body.id]);
    const { rows } = await pool.query(
      "insert into pgboss.job (name, data) values ('dead_letter', $1) returning id",
      [letter],
    );
    const { id } = rows[0];
    const cookie = await service.operatorCookie();
    await done(service.ask(`/operator/dead-letters/${id}/redrive`, { method: "POST", cookie }));
    return { ...BY_OPERATOR, subject_id: id, details: { kind: "delivery" } };
  },
  "account.invited": async (account) => {
    await service.database.pool.query("update accounts set password_hash = null where id = $1", [
      account.accountId,
    ]);
    await act(account, "invitation");
    return BY_OPERATOR;
  },
  "account.suspended": async (account) => {
    await act(account, "suspend", { reason: "Unpaid invoice" });
    return { ...BY_OPERATOR, details: { reason: "Unpaid invoice" } };
  },
  "account.resumed": async (account) => {
    await act(account, "suspend", { reason: "Unpaid invoice" });
    for (let twice = 0; twice < 2; twice++) await act(account, "resume");
    return BY_OPERATOR;
  },
  "account.exported": async ({ accountId }) => {
    const cookie = await service.operatorCookie();
    await done(service.ask(`/operator/accounts/${accountId}/export`, { cookie }));
    return BY_OPERATOR;
  },
  "account.erasure_requested": async (account) => {
    await act(account, "erase", { email: account.email, reason: "The owner asked" });
    return { ...BY_OPERATOR, details: { reason: "The owner asked" } };
  },
  "account.closed": async ({ cookie, password }) => {
    await done(service.ask("/account/close", { cookie, body: { password }, from: HERE }));
    return { actor: { kind: "session" }, network: null };
  },
  "account.deleted": async ({ cookie, password }) => {
    await done(service.ask("/account/close", { cookie, body: { password }, from: HERE }));
    return { actor: { kind: "system" }, network: null };
  },
  "email.change_requested": async ({ accountId }) => {
    // Only where mail is sent (accounts-mail.test.ts).
    await recordAudit(
      service.database.pool,
      { isOperator: true },
      { action: "email.change_requested", accountId },
    );
    return BY_OPERATOR;
  },
  "email.changed": async (account) => {
    await act(account, "email", { email: `new-${account.email}` });
    return BY_OPERATOR;
  },
  "sessions.ended": async (account) => {
    await act(account, "end-sessions");
    return BY_OPERATOR;
  },
  "job.paused": (account) => actOnJob(account, "pause", "processing"),
  "job.resumed": (account) => actOnJob(account, "resume", "paused"),
  "job.cancelled": (account) => actOnJob(account, "cancel", "paused"),
  "audit.exported": async ({ cookie }) => {
    await done(service.ask("/audit/export", { cookie, from: HERE }));
    return { actor: { kind: "session" }, network: HERE };
  },
};

/** The owner of the account learns nothing else of an operator. */
const BY_OPERATOR = {
  actor: { kind: "operator", account_id: null, key_id: null, session_id: null, is_operator: true },
  network: null,
} as const;

describe("every action is recorded, once", () => {
  for (const [action, deed] of Object.entries(DEEDS) as [AuditAction, Deed][]) {
    test(action, async () => {
      const account = await service.openAccount();
      const expected = await deed(account);
      const isIt = expect.objectContaining({
        ...expected,
        ...(expected.actor ? { actor: expect.objectContaining(expected.actor) } : {}),
      });
      const found = async () =>
        (await entriesOf(expected.account_id ?? account.accountId, action)).filter((one) =>
          isIt.asymmetricMatch(one),
        );
      await expect.poll(async () => (await found()).length).toBe(1);
    });
  }
});

test("a sign-in to an unknown account is recorded without the email, for operators only", async () => {
  await service.ask("/auth/sign-in", {
    body: { email: "ghost@team.example", password: "a guess" },
    from: "2001:db8::7",
  });
  const { body } = await asOperator("/operator/audit?action=sign_in.failed&limit=1");
  expect(body).toMatchObject([
    { account_id: null, account_email: null, actor: { kind: "anonymous" }, network: "2001:db8:0:0::/64" },
  ]);
  expect(JSON.stringify(body)).not.toContain("ghost");
});

test("an operator sees the entries of all accounts with their emails, or those of one", async () => {
  const [ann, bob] = [await service.openAccount(), await service.openAccount()];
  const { accountId, email } = ann;
  const { body: anns } = await asOperator(`/operator/audit?account_id=${accountId}&action=credits.granted`);
  expect(anns).toMatchObject([
    {
      account_id: accountId,
      account_email: email,
      actor_email: OPERATOR.email,
      actor: { kind: "session", is_operator: true },
      network: "127.0.0.1",
      details: { amount: 100 },
    },
  ]);
  const { body: everyone } = await asOperator("/operator/audit?action=credits.granted&limit=2");
  expect(everyone.map((entry: AuditEntry) => entry.account_id)).toEqual([bob.accountId, accountId]);
});

test("no entry has a secret, a password or an address of a list", async () => {
  const account = await service.openAccount();
  for (const action of ["webhook.changed", "job.downloaded", "sign_in.code_failed"] as const)
    await DEEDS[action](account);
  const { rows } = await service.database.pool.query("select * from audit_entries");
  const text = JSON.stringify(rows);
  expect(rows.length).toBeGreaterThan(50);
  for (const secret of [account.key, account.password, LISTED, "secret-path"])
    expect(text).not.toContain(secret);
  expect(text).not.toMatch(/mv_(live|test)_\w{8}/);
  expect(text).not.toContain("@");
});

test("entries cannot be changed", async () => {
  await expect(service.database.pool.query("update audit_entries set action = 'sign_out'")).rejects.toThrow(
    "not changed",
  );
});

describe("pages", () => {
  test("follow each other without gaps or repetition, while entries are added", async () => {
    const { accountId, cookie } = await service.openAccount();
    await write(accountId, 25);
    const seen: AuditEntry[] = [];
    let path: string | undefined = "/audit?action=job.deleted&limit=10";
    for (let pages = 0; path !== undefined; pages++) {
      expect(pages).toBeLessThan(4);
      const answer: Answer = await done(service.ask(path, { cookie }));
      seen.push(...answer.body);
      path = /<\/api\/v1(.*)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
      await write(accountId, 1);
    }
    expect(seen.map(({ details }) => details.number)).toEqual(Array.from({ length: 25 }, (_, n) => 24 - n));
  });

  test("after an entry of another account there is nothing", async () => {
    const [ann, bob] = [await service.openAccount(), await service.openAccount()];
    const [{ id }] = (await done(service.ask("/audit", { cookie: bob.cookie }))).body;
    expect((await done(service.ask(`/audit?before=${id}`, { cookie: ann.cookie }))).body).toEqual([]);
  });

  test("can be limited to days", async () => {
    const { accountId, cookie } = await service.openAccount();
    await write(accountId, 3, ["2026-03-01T00:00:00Z", "2026-03-02T23:59:59.999Z", "2026-03-03T00:00:00Z"]);
    const numbers = async (query: string) =>
      (await done(service.ask(`/audit?action=job.deleted&${query}`, { cookie }))).body.map(
        ({ details }: AuditEntry) => details.number,
      );
    expect(await numbers("from=2026-03-01&to=2026-03-02")).toEqual([1, 0]);
    expect(await numbers("from=2026-03-02&to=2026-03-02")).toEqual([1]);
    expect(await numbers("from=2026-03-03")).toEqual([2]);
    expect(await numbers("to=2026-02-28")).toEqual([]);
  });
});

describe("the CSV export", () => {
  test("has all entries of the account, more than a batch, and no formulas", async () => {
    const { accountId, cookie } = await service.openAccount();
    await write(accountId, 2_345);
    await recordAudit(service.database.pool, SYSTEM, {
      action: "job.deleted",
      accountId,
      details: { name: '=HYPERLINK("x"), "quoted"' },
    });
    const { text, headers } = await done(service.ask("/audit/export?action=job.deleted", { cookie }));
    expect(headers.get("content-type")).toContain("text/csv");
    expect(headers.get("content-disposition")).toContain("audit-log.csv");
    const lines = text.trimEnd().split("\r\n");
    expect(lines[0]).toMatch(/^created_at,action,account_id/);
    expect(lines).toHaveLength(1 + 2_346);
    expect(lines.slice(1).every((line) => line.includes(accountId))).toBe(true);
    expect(lines[2]).toContain('{""number"":2344}');
  });

  test("of the operator has the entries of all accounts, with emails", async () => {
    const { email } = await service.openAccount();
    const { text } = await asOperator("/operator/audit/export?action=account.created");
    expect(text).toContain(email);
    expect(text).toContain("person1@team.example");
  });
});

test("entries older than the retention are deleted, in batches, and no others", async () => {
  const { accountId } = await service.openAccount();
  const { pool } = service.database;
  const before = await entriesOf(accountId);
  const old = new Date(Date.now() - 31 * DAY_MS).toISOString();
  const recent = new Date(Date.now() - 29 * DAY_MS).toISOString();
  await write(accountId, 1_501, [...Array(1_500).fill(old), recent]);
  const auditLog = createAuditLog({ database: service.database, retentionDays: 30 });
  const { rows } = await pool.query(
    "select count(*) as old from audit_entries where created_at < now() - interval '30 days'",
  );
  expect(await auditLog.deleteOld()).toBe(rows[0].old);
  expect(await entriesOf(accountId)).toHaveLength(before.length + 1);
  expect(await auditLog.deleteOld()).toBe(0);
});

const DAY_MS = 24 * 60 * 60 * 1000;
const LISTED = "valid+listed@mailvet.test";

async function entriesOf(accountId: string, action?: AuditAction): Promise<AuditEntry[]> {
  const auditLog = createAuditLog({ database: service.database, retentionDays: 1 });
  const entries = await auditLog.page({ accountId, action, limit: 100 });
  return entries.map(forOwner);
}

/** Numbered entries, now or at these times. */
async function write(accountId: string, count: number, times?: readonly string[]): Promise<void> {
  await service.database.pool.query(
    `insert into audit_entries (action, account_id, actor_kind, is_operator, details, created_at)
     select 'job.deleted', $1, 'system', false, jsonb_build_object('number', n),
       coalesce(($3::timestamptz[])[n + 1], clock_timestamp())
     from generate_series(0, $2 - 1) as n order by n`,
    [accountId, count, times ?? []],
  );
}

async function asOperator(path: string): Promise<Answer> {
  return done(service.ask(path, { cookie: await service.operatorCookie() }));
}

async function done(answer: Promise<Answer>): Promise<Answer> {
  const { status, text } = await answer;
  expect(status, text).toBeLessThan(300);
  return answer;
}

function signIn({ email, password }: TestAccount, code?: string): Promise<Answer> {
  return service.ask("/auth/sign-in", { body: { email, password, ...(code ? { code } : {}) }, from: HERE });
}

/** Returns the codes of the authenticator app, for this time step or the next one. */
/** The id of a new passkey. */
async function addPasskey({ cookie, password }: TestAccount): Promise<string> {
  const asked = { cookie, from: HERE };
  const { body: options } = await service.ask("/auth/passkeys/options", { ...asked, body: { password } });
  const credential = createSoftwareAuthenticator(PUBLIC_URL).create(options);
  const body = { name: "laptop", credential };
  return (await service.ask("/auth/passkeys", { ...asked, body })).body.id;
}

async function enableTwoFactor({ cookie, password }: TestAccount): Promise<(steps: number) => string> {
  const { body } = await done(service.ask("/auth/two-factor", { cookie, body: { password } }));
  const code = (steps: number) =>
    new TOTP({ secret: body.secret }).generate({ timestamp: Date.now() + steps * 30_000 });
  await done(service.ask("/auth/two-factor/confirm", { cookie, body: { code: code(0) }, from: HERE }));
  return code;
}

async function operatorId(): Promise<string> {
  return (await service.ask("/account", { cookie: await service.operatorCookie() })).body.id;
}

/** Returns the token of the link. */
async function requestReset({ email }: TestAccount): Promise<string> {
  await done(service.ask("/auth/password-reset", { body: { email }, from: HERE }));
  const token = () => {
    const message = service.said.findLast((text) => text.includes(email) && text.includes("token="));
    return /token=([\w-]+)/.exec(message ?? "")?.[1];
  };
  await expect.poll(token).toBeDefined();
  return token()!;
}

async function makeHook({ key }: TestAccount, url = HOOK): Promise<string> {
  return (await done(service.ask("/webhooks", { key, body: { url }, from: HERE }))).body.id;
}

function hook({ key }: TestAccount, id: string, method: string, path = "", body?: unknown): Promise<Answer> {
  return service.ask(`/webhooks/${id}${path}`, { key, method, body, from: HERE });
}

/** A job that has ended. */
/** By the operator. */
async function act({ accountId }: TestAccount, action: string, body?: object): Promise<void> {
  const cookie = await service.operatorCookie();
  await done(service.ask(`/operator/accounts/${accountId}/${action}`, { method: "POST", cookie, body }));
}

/** By the operator, on a job that is in this state. */
async function actOnJob(account: TestAccount, action: string, status: string): Promise<Expected> {
  const id = await makeJob(account);
  await service.database.pool.query(
    "update jobs set status = $2, paused_at = now(), completed_at = null where id = $1",
    [id, status],
  );
  const cookie = await service.operatorCookie();
  await done(service.ask(`/operator/jobs/${id}/${action}`, { method: "POST", cookie }));
  return { ...BY_OPERATOR, subject_id: id };
}

async function makeList(account: TestAccount): Promise<string> {
  const body = { job_id: await makeJob(account), name: "customers", schedule: "weekly" };
  const { key } = account;
  const { id } = (await done(service.ask("/lists", { key, body, from: HERE }))).body;
  await done(service.ask("/lists", { key, body, from: HERE })); // the same list
  return id;
}

async function makeJob({ key }: TestAccount): Promise<string> {
  const form = formWith(`email\n${LISTED}\n`);
  const { body: upload } = await done(service.ask("/bulk/upload/preview", { key, form }));
  const confirmed = { upload_id: upload.upload_id, email_column: "email" };
  const { body: job } = await done(service.ask("/bulk/upload/confirm", { key, body: confirmed }));
  await expect
    .poll(async () => (await service.ask(`/bulk/jobs/${job.id}`, { key })).body.status)
    .toBe("completed");
  return job.id;
}
