/** The audit log: every action is recorded, and without secrets. */
import type { AuditAction, AuditEntry } from "@mailvet/contract";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAuditLog, forOwner } from "../src/audit/audit-log.ts";
import { recordAudit } from "../src/audit/audit-writer.ts";
import { makeOperatorKey } from "./endpoint-requests.ts";
import {
  type Answer,
  cookieOf,
  formWith,
  must,
  openService,
  type TestAccount,
  type TestService,
} from "./service.ts";
import { createSoftwareAuthenticator } from "./software-authenticator.ts";
import { answers, openReceiver } from "./webhooks-receiver.ts";

const HERE = "198.51.100.7";
const PUBLIC_URL = "https://mailvet.example";
const HOOK = "http://127.0.0.1:9/hook/secret-path";
const LISTED = "valid+listed@mailvet.test";

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
    await must(service.ask("/auth/sign-out", { method: "POST", cookie, from: HERE }));
    return { actor: { kind: "session" }, network: HERE };
  },
  "session.ended": async (account) => {
    const { body } = await signIn(account);
    const { cookie } = account;
    await must(service.ask(`/auth/sessions/${body.session_id}`, { method: "DELETE", cookie, from: HERE }));
    return { subject_id: body.session_id, actor: { kind: "session" }, network: HERE };
  },
  "password.changed": async ({ cookie, password }) => {
    const body = { current_password: password, new_password: "another long password" };
    await must(service.ask("/auth/password", { cookie, body, from: HERE }));
    return { actor: { kind: "session" }, network: HERE };
  },
  "password.reset_requested": async (account) => {
    await requestReset(account);
    return { actor: { kind: "anonymous" }, network: HERE };
  },
  "password.reset": async (account) => {
    const token = await requestReset(account);
    const body = { token, new_password: "another long password", revoke_keys: true };
    await must(service.ask("/auth/password-reset/confirm", { body, from: HERE }));
    return { actor: { kind: "anonymous" }, network: HERE };
  },
  "two_factor.enabled": async (account) => {
    await enableTwoFactor(account);
    return { actor: { kind: "session" }, network: HERE };
  },
  "two_factor.disabled": async (account) => {
    const code = await enableTwoFactor(account);
    const { cookie, password } = account;
    await must(
      service.ask("/auth/two-factor/disable", { cookie, body: { password, code: code(1) }, from: HERE }),
    );
    return { actor: { kind: "session" }, network: HERE };
  },
  "two_factor.recovery_codes_replaced": async (account) => {
    const code = await enableTwoFactor(account);
    const { cookie, password } = account;
    const body = { password, code: code(1) };
    await must(service.ask("/auth/two-factor/recovery-codes", { cookie, body, from: HERE }));
    return { actor: { kind: "session" }, network: HERE };
  },
  "passkey.added": async (account) => ({
    subject_id: await addPasskey(account),
    actor: { kind: "session" },
    network: HERE,
  }),
  "passkey.renamed": async (account) => {
    const id = await addPasskey(account);
    const asked = { method: "PATCH", cookie: account.cookie, body: { name: "old laptop" }, from: HERE };
    await must(service.ask(`/auth/passkeys/${id}`, asked));
    return { subject_id: id, actor: { kind: "session" }, network: HERE };
  },
  "passkey.removed": async (account) => {
    const id = await addPasskey(account);
    const { cookie, password } = account;
    await must(service.ask(`/auth/passkeys/${id}/remove`, { cookie, body: { password }, from: HERE }));
    return { subject_id: id, actor: { kind: "session" }, network: HERE };
  },
  "key.created": async ({ makeKey }) => {
    const { id, prefix } = await makeKey({ mode: "test" });
    return { subject_id: id, actor: { kind: "session" }, details: { name: "a key", prefix, mode: "test" } };
  },
  "key.revoked": async ({ makeKey, cookie }) => {
    const { id } = await makeKey();
    for (let twice = 0; twice < 2; twice++)
      await must(service.ask(`/keys/${id}`, { method: "DELETE", cookie, from: HERE }));
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
    for (let twice = 0; twice < 2; twice++) await must(service.ask(`/operator/keys/${id}`, asked));
    return { ...BY_OPERATOR, account_id: await operatorId(), subject_id: id };
  },
  "webhook.created": async (account) => {
    const id = await makeHook(account);
    const details = { host: "127.0.0.1:9", mode: "live" };
    return { subject_id: id, actor: { kind: "api_key" }, network: HERE, details };
  },
  "webhook.changed": async (account) => {
    const id = await makeHook(account);
    await must(hook(account, id, "PATCH", "", { url: `${HOOK}/2`, is_enabled: false }));
    const details = { host: "127.0.0.1:9", mode: "live", changed: "url, is_enabled" };
    return { subject_id: id, actor: { kind: "api_key" }, details };
  },
  "webhook.secret_rotated": async (account) => {
    const id = await makeHook(account);
    await must(hook(account, id, "POST", "/rotate-secret"));
    return { subject_id: id, actor: { kind: "api_key" } };
  },
  "webhook.disabled": async (account) => {
    await using gone = await openReceiver();
    gone.behave(answers(410));
    const id = await makeHook(account, gone.url);
    await must(hook(account, id, "POST", "/test"));
    await expect.poll(async () => (await hook(account, id, "GET")).body.is_enabled).toBe(false);
    return { subject_id: id, actor: { kind: "system" }, network: null };
  },
  "webhook.deleted": async (account) => {
    const id = await makeHook(account);
    await must(hook(account, id, "DELETE"));
    return { subject_id: id, actor: { kind: "api_key" }, network: HERE };
  },
  "job.downloaded": async (account) => {
    const id = await makeJob(account);
    await must(service.ask(`/bulk/jobs/${id}/download?format=ndjson`, { key: account.key, from: HERE }));
    return { subject_id: id, actor: { kind: "api_key" }, network: HERE, details: { format: "ndjson" } };
  },
  "job.deleted": async (account) => {
    const id = await makeJob(account);
    await must(service.ask(`/bulk/jobs/${id}`, { method: "DELETE", key: account.key, from: HERE }));
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
    await must(service.ask(`/lists/${subject_id}`, { ...asked, body: { schedule: null } }));
    await must(service.ask(`/lists/${subject_id}`, { ...asked, body: {} }));
    return { subject_id, actor: { kind: "api_key" }, details: { mode: "live", schedule: "never" } };
  },
  "list.deleted": async (account) => {
    const subject_id = await makeList(account);
    await must(service.ask(`/lists/${subject_id}`, { method: "DELETE", key: account.key, from: HERE }));
    return { subject_id, actor: { kind: "api_key" }, network: HERE };
  },
  "notifications.changed": async ({ cookie }) => {
    const body = { low_credits_threshold: 12 };
    await must(service.ask("/account/notifications", { method: "PATCH", cookie, body, from: HERE }));
    return { actor: { kind: "session" }, details: { job_emails: true, low_credits_threshold: 12 } };
  },
  "feedback.deleted": async ({ key }) => {
    await must(service.ask("/feedback", { method: "DELETE", key, from: HERE }));
    return { actor: { kind: "api_key" }, network: HERE };
  },
  "plan.changed": async ({ accountId }) => {
    const asked = { method: "PATCH", cookie: await service.operatorCookie(), body: { plan: "growth" } };
    for (let twice = 0; twice < 2; twice++) await must(service.ask(`/operator/accounts/${accountId}`, asked));
    return { ...BY_OPERATOR, details: { from: "enterprise", to: "growth" } };
  },
  "credits.granted": async ({ accountId }) => {
    const headers = { "idempotency-key": "once" };
    const asked = { cookie: await service.operatorCookie(), body: { amount: 7, note: "a gift" }, headers };
    for (let twice = 0; twice < 2; twice++)
      await must(service.ask(`/operator/accounts/${accountId}/grants`, asked));
    return { ...BY_OPERATOR, details: { amount: 7 } };
  },
  "dead_letter.redriven": async (account) => {
    const groupId = await makeHook(account);
    const { body } = await must(hook(account, groupId, "POST", "/test"));
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
    await must(service.ask(`/operator/dead-letters/${id}/redrive`, { method: "POST", cookie }));
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
    await must(service.ask(`/operator/accounts/${accountId}/export`, { cookie }));
    return BY_OPERATOR;
  },
  "account.erasure_requested": async (account) => {
    await act(account, "erase", { email: account.email, reason: "The owner asked" });
    return BY_OPERATOR; // without the reason, which may name people
  },
  "account.closed": async ({ cookie, password }) => {
    await must(service.ask("/account/close", { cookie, body: { password }, from: HERE }));
    return { actor: { kind: "session" }, network: null };
  },
  "account.deleted": async ({ cookie, password }) => {
    await must(service.ask("/account/close", { cookie, body: { password }, from: HERE }));
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
    await must(service.ask("/audit/export", { cookie, from: HERE }));
    return { actor: { kind: "session" }, network: HERE };
  },
};

/** The owner of the account learns nothing else of an operator. */
const BY_OPERATOR = {
  actor: { kind: "operator", account_id: null, key_id: null, session_id: null, is_operator: true },
  network: null,
} as const;

describe("every action is recorded, once, and without a secret, a password or an address of a list", () => {
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
      await expectNoSecret(account);
    });
  }
});

async function expectNoSecret({ key, password }: TestAccount): Promise<void> {
  const { rows } = await service.database.pool.query("select * from audit_entries");
  const text = JSON.stringify(rows);
  for (const secret of [key, password, LISTED, "secret-path", "@"]) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/mv_(live|test)_\w{8}/);
}

async function entriesOf(accountId: string, action?: AuditAction): Promise<AuditEntry[]> {
  const auditLog = createAuditLog({ database: service.database, retentionDays: 1 });
  const entries = await auditLog.page({ accountId, action, limit: 100 });
  return entries.map(forOwner);
}

function signIn({ email, password }: TestAccount, code?: string): Promise<Answer> {
  return service.ask("/auth/sign-in", { body: { email, password, ...(code ? { code } : {}) }, from: HERE });
}

/** The id of a new passkey. */
async function addPasskey({ cookie, password }: TestAccount): Promise<string> {
  const asked = { cookie, from: HERE };
  const { body: options } = await service.ask("/auth/passkeys/options", { ...asked, body: { password } });
  const credential = createSoftwareAuthenticator(PUBLIC_URL).create(options);
  const body = { name: "laptop", credential };
  return (await service.ask("/auth/passkeys", { ...asked, body })).body.id;
}

/** Returns the codes of the authenticator app, for this time step or the next one. */
async function enableTwoFactor({ cookie, password }: TestAccount): Promise<(steps: number) => string> {
  const { body } = await must(service.ask("/auth/two-factor", { cookie, body: { password } }));
  const code = (steps: number) =>
    new TOTP({ secret: body.secret }).generate({ timestamp: Date.now() + steps * 30_000 });
  await must(service.ask("/auth/two-factor/confirm", { cookie, body: { code: code(0) }, from: HERE }));
  return code;
}

async function operatorId(): Promise<string> {
  return (await service.ask("/account", { cookie: await service.operatorCookie() })).body.id;
}

/** Returns the token of the link. */
async function requestReset({ email }: TestAccount): Promise<string> {
  await must(service.ask("/auth/password-reset", { body: { email }, from: HERE }));
  const token = () => {
    const message = service.said.findLast((text) => text.includes(email) && text.includes("token="));
    return /token=([\w-]+)/.exec(message ?? "")?.[1];
  };
  await expect.poll(token).toBeDefined();
  return token()!;
}

async function makeHook({ key }: TestAccount, url = HOOK): Promise<string> {
  return (await must(service.ask("/webhooks", { key, body: { url }, from: HERE }))).body.id;
}

function hook({ key }: TestAccount, id: string, method: string, path = "", body?: unknown): Promise<Answer> {
  return service.ask(`/webhooks/${id}${path}`, { key, method, body, from: HERE });
}

/** By the operator. */
async function act({ accountId }: TestAccount, action: string, body?: object): Promise<void> {
  const cookie = await service.operatorCookie();
  await must(service.ask(`/operator/accounts/${accountId}/${action}`, { method: "POST", cookie, body }));
}

/** By the operator, on a job that is in this state. */
async function actOnJob(account: TestAccount, action: string, status: string): Promise<Expected> {
  const id = await makeJob(account);
  await service.database.pool.query(
    "update jobs set status = $2, paused_at = now(), completed_at = null where id = $1",
    [id, status],
  );
  const cookie = await service.operatorCookie();
  await must(service.ask(`/operator/jobs/${id}/${action}`, { method: "POST", cookie }));
  return { ...BY_OPERATOR, subject_id: id };
}

async function makeList(account: TestAccount): Promise<string> {
  const body = { job_id: await makeJob(account), name: "customers", schedule: "weekly" };
  const { key } = account;
  const { id } = (await must(service.ask("/lists", { key, body, from: HERE }))).body;
  await must(service.ask("/lists", { key, body, from: HERE })); // the same list
  return id;
}

/** A job that has ended. */
async function makeJob({ key }: TestAccount): Promise<string> {
  const form = formWith(`email\n${LISTED}\n`);
  const { body: upload } = await must(service.ask("/bulk/upload/preview", { key, form }));
  const confirmed = { upload_id: upload.upload_id, email_column: "email" };
  const { body: job } = await must(service.ask("/bulk/upload/confirm", { key, body: confirmed }));
  await expect
    .poll(async () => (await service.ask(`/bulk/jobs/${job.id}`, { key })).body.status)
    .toBe("completed");
  return job.id;
}
