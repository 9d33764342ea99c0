/**
 * Erasing an account deletes every row of it in every table, and its blobs.
 *
 * The tables come from the database's catalogue. A new table must be added to the list below, either as one that the test
 * fills for the account, or with the reason why it holds nothing of an account.
 */
import { readdir } from "node:fs/promises";
import type { AuditAction } from "@mailvet/contract";
import { type Lab, mailDomain, openLab } from "@mailvet/lab";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openTestDatabase } from "./database.ts";
import { beginPaused, listsOf } from "./jobs-http-world.ts";
import { beginHolder } from "./lock-waits.ts";
import { PATIENCE } from "./patience.ts";
import { openService, type TestAccount, type TestService } from "./service.ts";

const ACCOUNT = "rows of accounts";
const TABLES: Readonly<Record<string, string>> = {
  "public.account_exports": ACCOUNT,
  "public.accounts": ACCOUNT,
  "public.api_keys": ACCOUNT,
  "public.balances": ACCOUNT,
  "public.cached_verdicts": ACCOUNT,
  "public.calibration_cells": ACCOUNT,
  "public.duplicates": ACCOUNT,
  "public.idempotent_responses": ACCOUNT,
  "public.job_counts": ACCOUNT,
  "public.jobs": ACCOUNT,
  "public.known_clients": ACCOUNT,
  "public.ledger": ACCOUNT,
  "public.mail_tokens": ACCOUNT,
  "public.notification_settings": ACCOUNT,
  "public.operator_keys": ACCOUNT,
  "public.outcomes": ACCOUNT,
  "public.outgoing_emails": ACCOUNT,
  "public.passkey_challenges": ACCOUNT,
  "public.passkeys": ACCOUNT,
  "public.queue_groups": ACCOUNT,
  "public.queue_shares": ACCOUNT,
  "public.rechecks": ACCOUNT,
  "public.recovery_codes": ACCOUNT,
  "public.request_buckets": ACCOUNT,
  "public.requests_in_progress": ACCOUNT,
  "public.results": ACCOUNT,
  "public.saved_lists": ACCOUNT,
  "public.sessions": ACCOUNT,
  "public.slices": ACCOUNT,
  "public.tasks": ACCOUNT,
  "public.two_factor": ACCOUNT,
  "public.upload_column_index_parts": ACCOUNT,
  "public.upload_column_indexes": ACCOUNT,
  "public.upload_parts": ACCOUNT,
  "public.uploads": ACCOUNT,
  "public.usage_days": ACCOUNT,
  "public.verdicts": ACCOUNT,
  "public.webhook_deliveries": ACCOUNT,
  "public.webhook_endpoints": ACCOUNT,
  "pgboss.job": ACCOUNT,
  "public.cached_facts": "facts about domains, and server replies without the words that differ",
  "public.naming_patterns": "counts per domain and template, no names",
  "public.audit_entries": "what operators did to the account is kept, without emails",
  "public.attempts": "hashes, for a day at most",
  "public.ai_questions": "counts per day",
  "public.migrations": "names of migrations",
  "public.blob_stores": "one row per installation",
  "public.egress_sessions": "counts per identity and day",
  "public.host_leases": "mail hosts",
  "public.host_memories": "mail hosts",
  "public.host_waiters": "mail hosts",
  "public.throttle_states": "mail hosts",
  "public.egress_states": "mail providers and blocklists",
  "public.processes": "processes of the deployment",
};
/** Written some time after the requests that they count. */
const EXCHANGED = ["public.request_buckets", "public.requests_in_progress"];
/** Of libraries. */
const IS_BOOKKEEPING =
  /^(drizzle\.|pgboss\.(version|queue|schedule|subscription|warning|bam|queue_stats|job_dependency)$)/;

let lab: Lab;
let service: TestService;
beforeAll(async () => {
  lab = await openLab({ "shop.example-lab.com": mailDomain({ users: ["cy", "dee"] }) });
  service = await openService({ lab });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

const tablesOfCatalogue = async (): Promise<string[]> => {
  const { rows } = await service.database.pool.query<{ name: string }>(`
    select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition
      and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema' order by 1`);
  return rows.map(({ name }) => name);
};

test("the list of tables is that of the database", async () => {
  const found = (await tablesOfCatalogue()).filter((name) => !IS_BOOKKEEPING.test(name));
  expect(found.sort()).toEqual(Object.keys(TABLES).sort());
});

test("no table has rows of an account that was erased, and no blob is left", async () => {
  const ann = await service.openAccount();
  const marks = await fill(ann);
  const bystander = await service.openAccount();
  const marksOfBystander = [bystander.accountId, bystander.email];

  const unseen = new Set(Object.keys(TABLES).filter((name) => TABLES[name] === ACCOUNT));
  await expect
    .poll(async () => {
      for (const [name, count] of await mentions(marks)) if (count > 0) unseen.delete(name);
      return [...unseen];
    })
    .toEqual([]);
  expect(await blobsWith(marks)).not.toEqual([]);
  const rowsOfBystander = async () => {
    const counts = await mentions(marksOfBystander);
    for (const name of EXCHANGED) counts.delete(name);
    return counts;
  };
  const before = await rowsOfBystander();

  await erase(ann);

  const left = async () => [...(await mentions(marks)).entries()].filter(([, count]) => count > 0);
  await expect
    .poll(async () => (await left()).map(([name]) => name), PATIENCE)
    .toEqual(["public.audit_entries"]);
  const { rows } = await service.database.pool.query(
    "select action, actor_kind, is_operator from audit_entries where account_id = $1 and not is_operator",
    [ann.accountId],
  );
  expect(rows).toEqual([{ action: "account.deleted", actor_kind: "system", is_operator: false }]);
  expect((await mentions([ann.email])).get("public.audit_entries")).toBe(0);
  expect(await blobsWith(marks)).toEqual([]);
  expect(await rowsOfBystander()).toEqual(before);
  for (const who of [{ key: ann.key }, { cookie: ann.cookie }])
    expect((await service.ask("/account", who)).status).toBe(401);
  expect((await service.ask("/account", { key: bystander.key })).status).toBe(200);
});

test("a task that is being returned to the queue while its account is erased is deleted too", async () => {
  const { pool } = service.database;
  const ann = await service.openAccount();
  await pool.query("insert into queue_groups (id, account_id) values ($1, $1)", [ann.accountId]);
  await pool.query(
    `insert into tasks (group_id, queue, subject, state, turn_id)
     values ($1, 'recheck', '1', 'taken', gen_random_uuid())`,
    [ann.accountId],
  );
  await using worker = await beginHolder(pool);
  await worker.query(
    `update tasks set state = 'waiting', turn_id = null, due_at = now() + interval '1 hour' where group_id = $1`,
    [ann.accountId],
  );
  const erasing = erase(ann);
  await Promise.race([worker.untilBlocked(1), erasing]);
  await worker.commit();
  await erasing;
  expect((await pool.query("select from tasks where group_id = $1", [ann.accountId])).rowCount).toBe(0);
});

test("a task that the end of a job adds while its account is erased is deleted too", async () => {
  const ann = await service.openAccount();
  const { key } = ann;
  await beginPaused(listsOf(service, ann), service.database.pool, "email\nslow-3s@mailvet.test\n");
  const { body: hook } = await service.ask("/webhooks", { key, body: { url: "http://127.0.0.1:9/hook" } });
  await erase(ann);
  const ofHook = "select from tasks where group_id = $1";
  expect((await service.database.pool.query(ofHook, [hook.id])).rowCount).toBe(0);
});

test.each<[AuditAction, (account: TestAccount) => Promise<unknown>]>([
  ["password.reset_requested", ({ email }) => service.ask("/auth/password-reset", { body: { email } })],
  ["sign_in.failed", ({ email }) => service.ask("/auth/sign-in", { body: { email, password: "a guess" } })],
  ["audit.exported", ({ cookie }) => service.ask("/audit/export", { cookie })],
  ["feedback.deleted", ({ key }) => service.ask("/feedback", { key, method: "DELETE" })],
])("%s, while the account is erased, leaves no entry", async (action, act) => {
  const { pool } = service.database;
  const ann = await service.openAccount();
  await using recording = await beginHolder(pool);
  await recording.query("select pg_advisory_xact_lock(7)", []);
  await pool.query(`
    create function await_recording() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(7); return new; end';
    create trigger await_recording before insert on audit_entries for each row
      when (new.action = '${action}') execute function await_recording()`);
  const acting = act(ann).catch(() => undefined); // its answer may be cut off, as a download's
  await recording.untilBlocked(1);
  const erasing = erase(ann);
  await Promise.race([recording.untilBlocked(2), erasing]);
  await recording.commit();
  await Promise.all([acting, erasing]);
  if (action === "password.reset_requested") await resetMailTo(ann.email);
  await pool.query("drop function await_recording cascade");
  const { rows } = await pool.query(
    "select action from audit_entries where account_id = $1 and not is_operator",
    [ann.accountId],
  );
  expect(rows).toEqual([{ action: "account.deleted" }]);
});

test("an erasure that was interrupted is completed by maintenance, whatever becomes of others", async () => {
  const { pool } = service.database;
  const [stuck, ann] = [await service.openAccount(), await service.openAccount()];
  await pool.query(`
    create function keep_account() returns trigger language plpgsql as 'begin raise ''kept''; end';
    create trigger keep_account before delete on accounts for each row
      when (old.id = '${stuck.accountId}') execute function keep_account()`);
  for (const { accountId } of [stuck, ann])
    await pool.query(
      "update accounts set erasing_at = now(), suspended_at = now(), suspended_reason = 'Deleted' where id = $1",
      [accountId],
    );
  await pool.query("notify account_changed, ''");
  await using _other = await openService({ database: service.database }); // maintenance runs at start
  const isThere = async ({ accountId }: TestAccount) =>
    (await pool.query("select from accounts where id = $1", [accountId])).rowCount === 1;
  await expect.poll(() => isThere(ann)).toBe(false);
  expect(await isThere(stuck)).toBe(true);
  await pool.query("drop function keep_account cascade");
});

test("maintenance does not wait for an erasure", async () => {
  await using database = await openTestDatabase();
  const { pool } = database;
  const prepare = async () => {
    await using before = await openService({ database });
    const [ann, bob] = [await before.openAccount(), await before.openAccount()];
    const { upload_id } = await listsOf(before, bob).upload("email\nvalid@mailvet.test\n");
    return { accountId: ann.accountId, uploadId: upload_id };
  };
  const { accountId, uploadId } = await prepare();
  await pool.query(
    "update accounts set erasing_at = now(), suspended_at = now(), suspended_reason = 'Deleted' where id = $1",
    [accountId],
  );
  await pool.query("update uploads set expires_at = now() where id = $1", [uploadId]);
  await pool.query("delete from pgboss.job where name = 'maintenance'"); // so that it runs at start
  await using erasing = await beginHolder(pool);
  await erasing.query("select from balances where account_id = $1 for update", [accountId]);
  const failures: string[] = []; // what waits for the lock too long
  await using _service = await openService({
    database,
    logTo: (line) => line.includes("maintenance_failed") && failures.push(line),
  });
  await erasing.untilBlocked(1);
  const count = async (text: string, id: string) => (await pool.query(text, [id])).rowCount;
  const files = () => count("select from uploads where id = $1 and erased_at is null", uploadId);
  await expect.poll(files, PATIENCE).toBe(0);
  expect(failures).toEqual([]);
  await erasing.commit();
  await expect.poll(() => count("select from accounts where id = $1", accountId), PATIENCE).toBe(0);
});

/** It is sent in the background. */
async function resetMailTo(email: string): Promise<void> {
  await expect
    .poll(() => service.said.some((text) => text.includes(email) && text.includes("reset-password")))
    .toBe(true);
}

async function erase({ accountId, email }: TestAccount): Promise<void> {
  await service.ask(`/operator/accounts/${accountId}/suspend`, {
    cookie: await service.operatorCookie(),
    body: { reason: `Unpaid by ${email}` },
  });
  const erased = await service.ask(`/operator/accounts/${accountId}/erase`, {
    cookie: await service.operatorCookie(),
    body: { email, reason: `The owner asked for it: ${email}` },
  });
  expect([erased.status, erased.body.state]).toEqual([202, "erasing"]);
  await expect
    .poll(async () => {
      const { rows } = await service.database.pool.query("select from accounts where id = $1", [accountId]);
      return rows;
    }, PATIENCE)
    .toEqual([]);
}

/** Rows by table whose text contains one of the marks. */
async function mentions(marks: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const name of await tablesOfCatalogue()) {
    const { rows } = await service.database.pool.query<{ found: number }>(
      `select count(*)::int as found from ${name} t
       where exists (select from unnest($1::text[]) mark where position(mark in t::text) > 0)`,
      [marks],
    );
    counts.set(name, rows[0]!.found);
  }
  return counts;
}

async function blobsWith(marks: readonly string[]): Promise<string[]> {
  const files = await readdir(service.database.dataDirectory, { recursive: true });
  return files.filter((path) => marks.some((mark) => path.includes(mark)));
}

const untilExported = (accountId: string) =>
  vi.waitFor(async () => {
    const found = await service.database.pool.query<{ file_id: string }>(
      "select file_id from account_exports where account_id = $1 and expires_at is not null",
      [accountId],
    );
    expect(found.rowCount).toBe(1);
    return found;
  }, PATIENCE);

/** Gives the account a row in every table. Returns its ids and what only it knows. */
async function fill(account: TestAccount): Promise<string[]> {
  const { key, cookie, password, email, accountId } = account;
  const { pool } = service.database;
  const lists = listsOf(service, account);
  const done = await lists.confirm(
    await lists.upload("email\ncy@shop.example-lab.com\nCY@shop.example-lab.com\nvalid@mailvet.test\n"),
  );
  await lists.ended(done.id);
  const paused = await beginPaused(lists, pool, "email\nslow-3s+x@mailvet.test\nslow-3s+y@mailvet.test\n");
  const upload = await lists.upload("email\nvalid@mailvet.test\n");

  await service.ask("/validation/single?email=dee@shop.example-lab.com", { key });
  const headers = { "idempotency-key": "once" };
  await service.ask("/validation/single", { key, headers, body: { email: "valid@mailvet.test" } });
  const outcome = { email: "dee@shop.example-lab.com", outcome: "bounced" };
  expect((await service.ask("/feedback", { key, body: outcome })).status).toBe(200);
  const { body: hook } = await service.ask("/webhooks", { key, body: { url: "http://127.0.0.1:9/hook" } });
  await service.ask(`/webhooks/${hook.id}/test`, { key, method: "POST" });
  expect((await service.ask("/account/export", { cookie, body: { password } })).status).toBe(202);
  const { rows: exports } = await untilExported(accountId);
  const { body: setUp } = await service.ask("/auth/two-factor", { cookie, body: { password } });
  const code = new TOTP({ secret: setUp.secret }).generate();
  await service.ask("/auth/two-factor/confirm", { cookie, body: { code } });
  await service.ask("/auth/password-reset", { body: { email } });
  await resetMailTo(email);
  const { body: sessions } = await service.ask("/auth/sessions", { cookie });

  expect((await service.ask("/lists", { key, body: { job_id: done.id, name: "all" } })).status).toBe(200);
  await pool.query("insert into notification_settings (account_id, job_emails) values ($1, true)", [
    accountId,
  ]);
  await pool.query(
    `insert into outgoing_emails (account_id, subject, text, due_at)
     values ($1, 'Done', 'Your job is done.', now() + interval '1 day')`,
    [accountId],
  );

  // What requests fill for moments only, or earlier releases have left.
  await pool.query("insert into verdicts values ($1, 'x', '{}', now(), now() + interval '1 hour')", [
    accountId,
  ]);
  await pool.query("insert into slices (job_id, number, emails) values ($1, 999, '[]')", [paused.id]);
  await pool.query(
    "insert into tasks (group_id, queue, subject, state) values ($1, 'slice', '999', 'waiting')",
    [paused.id],
  );
  await pool.query(
    `insert into operator_keys (account_id, name, key_hash, prefix, scopes, allowed_ranges)
     values ($1, 'x', 'x', 'mv_op_', '{}', '{}')`,
    [accountId],
  );
  await pool.query(
    "insert into passkeys (account_id, name, credential_id, public_key, counter) values ($1, 'x', 'x', 'x', 0)",
    [accountId],
  );
  await pool.query("insert into passkey_challenges values ('x', $1, now() + interval '1 hour')", [accountId]);
  await pool.query("insert into upload_parts values ($1, 0, 1, 1, 'x')", [upload.upload_id]);
  await pool.query(
    "insert into rechecks (account_id, request_id, email, address_hash, is_test) values ($1, 'r', $2, 'x', false)",
    [accountId, email],
  );
  await pool.query("insert into calibration_cells values ($1, 'x', 1, 1, 1, 1) on conflict do nothing", [
    accountId,
  ]);
  await pool.query("insert into request_buckets values ($1, 1, 1, now()) on conflict do nothing", [
    accountId,
  ]);
  await pool.query(
    `insert into requests_in_progress (account_id, process_id, requests) values ($1, gen_random_uuid(), 1)`,
    [accountId],
  );
  await pool.query(
    `insert into pgboss.job (name, data) values ('dead_letter', jsonb_build_object('queue', 'delivery', 'groupId',
       $1::text, 'accountId', $1::text, 'subject', 'x', 'failures', 1, 'losses', 0, 'error', 'x'))`,
    [accountId],
  );
  const ids = [accountId, done.id, paused.id, upload.upload_id, hook.id, exports[0]!.file_id];
  return [...ids, email, ...sessions.map(({ id }: { id: string }) => id)];
}
