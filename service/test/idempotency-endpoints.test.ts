/** Idempotency-Key at every endpoint that honours it: executed once, charged once, replayed, stored encrypted. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { credentialsFor, honoursIdempotencyKeys, requestTo, wrongRequestTo } from "./endpoint-requests.ts";
import { ENDPOINTS, type Endpoint, HOOK, LINK } from "./endpoints.ts";
import { booksOf, expectProblem } from "./problems.ts";
import {
  type Answer,
  type Asked,
  formWith,
  openService,
  type TestAccount,
  type TestService,
} from "./service.ts";

const HONOURING = ENDPOINTS.filter(honoursIdempotencyKeys);

let service: TestService;
let ann: TestAccount;
/** Two webhook endpoints of ann, each with a delivery. */
let hooks: { webhook_id: string; delivery_id: string }[];
beforeAll(async () => {
  service = await openService({ env: { ROLE: "api" } }); // without a worker jobs do not progress
  ann = await service.openAccount({ credits: 1_000 });
  hooks = [await makeHook(), await makeHook()];
});
afterAll(() => service[Symbol.asyncDispose]());

test("every authenticated POST except the password change honours the key", () => {
  expect(HONOURING.map(({ name }) => name)).toEqual([
    "POST /validation/single",
    "POST /validation/bulk",
    "POST /bulk/upload/link",
    "POST /bulk/jobs",
    "POST /bulk/upload/preview",
    "POST /bulk/upload/confirm",
    "POST /bulk/jobs/{job_id}/cancel",
    "POST /bulk/jobs/{job_id}/pause",
    "POST /bulk/jobs/{job_id}/resume",
    "POST /bulk/jobs/{job_id}/recheck",
    "POST /bulk/jobs/{job_id}/finish",
    "POST /webhooks",
    "POST /webhooks/{webhook_id}/rotate-secret",
    "POST /webhooks/{webhook_id}/test",
    "POST /webhooks/{webhook_id}/deliveries/{delivery_id}/replay",
    "POST /keys",
    "POST /operator/keys",
    "POST /operator/accounts/{account_id}/grants",
    "POST /operator/accounts",
    "POST /operator/accounts/{account_id}/invitation",
    "POST /operator/accounts/{account_id}/suspend",
    "POST /operator/accounts/{account_id}/resume",
    "POST /operator/accounts/{account_id}/email",
    "POST /operator/accounts/{account_id}/end-sessions",
    "POST /operator/accounts/{account_id}/erase",
    "POST /operator/jobs/{job_id}/pause",
    "POST /operator/jobs/{job_id}/resume",
    "POST /operator/jobs/{job_id}/cancel",
  ]);
});

for (const endpoint of HONOURING) {
  describe(endpoint.name, () => {
    test("a repeated request gets the same bytes and is executed once", async () => {
      const under = randomUUID();
      const [request, next] = [await requestFor(endpoint), await requestFor(endpoint)];
      const first = await send(request, under);
      expect(first.status).toBeLessThan(300);
      expect(first.headers.get("idempotency-replayed")).toBeNull();
      const before = await everythingDone();

      for (let n = 0; n < 3; n++) {
        const again = await send(request, under);
        expect([again.status, again.text]).toEqual([first.status, first.text]);
        expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
        expect(again.headers.get("idempotency-replayed")).toBe("true");
        expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
      }
      expect(await everythingDone()).toEqual(before);
      await send(next, randomUUID());
      expect(await everythingDone()).not.toEqual(before);
    });

    test("another request under the same key is refused and not executed", async () => {
      const under = randomUUID();
      const other = await otherRequestFor(endpoint);
      await send(await requestFor(endpoint), under);
      const before = await everythingDone();
      await expectProblem(service, await send(other, under), "idempotency_key_reused");
      expect(await everythingDone()).toEqual(before);
    });

    test("while the first is in flight the second gets 409, and the response later", async () => {
      const under = randomUUID();
      const request = await requestFor(endpoint);
      const { pool } = service.database;
      await pool.query("update sessions set last_seen_at = now()"); // else a request may wait to write that
      const lock = await pool.connect();
      try {
        // Blocks spending, key creation, changes of jobs, endpoints and accounts, and storing of rows.
        await lock.query("begin");
        await lock.query(
          `lock table balances, api_keys, operator_keys, jobs, upload_column_index_parts, webhook_endpoints, mail_tokens,
             sessions, queue_groups in exclusive mode`,
        );
        const first = send(request, under);
        await untilHeld();
        const second = await send(request, under);
        await expectProblem(service, second, "idempotency_in_flight");
        expect(Number(second.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
        await lock.query("rollback");
        const { text, status } = await first;
        expect(status).toBeLessThan(300);
        expect((await send(request, under)).text).toBe(text);
      } finally {
        lock.release();
      }
    });

    test("concurrent copies are executed once, and successful responses are equal", async () => {
      const under = randomUUID();
      const request = await requestFor(endpoint);
      const before = await doneCount(endpoint);
      const isUpload = endpoint.form || /^POST \/bulk\/(jobs|upload\/link)$/.test(endpoint.name);
      const atOnce = isUpload ? 2 : 4; // concurrent uploads per account
      const responses = await Promise.all(Array.from({ length: atOnce }, () => send(request, under)));
      const good = responses.filter(({ status }) => status < 300);
      expect(new Set(good.map(({ text }) => text)).size).toBe(1);
      for (const response of responses.filter(({ status }) => status >= 300)) {
        await expectProblem(service, response, "idempotency_in_flight");
      }
      expect((await doneCount(endpoint)) - before).toBe(1);
    });

    test("a refused request releases the key", async () => {
      const under = randomUUID();
      const request = await requestFor(endpoint);
      const before = await everythingDone();
      const wrong = { ...wrongRequestTo(endpoint), endpoint };
      expect((await send(wrong, under)).status).toBe(422);
      expect(await everythingDone()).toEqual(before);
      expect((await send(request, under)).status).toBeLessThan(300);
    });
  });
}

test("after a crash before the response is stored, a retry of a grant grants nothing more", async () => {
  const under = randomUUID();
  const request = await requestFor(named("POST /operator/accounts/{account_id}/grants"));
  const first = await send(request, under);
  const before = await everythingDone();
  await loseAnswersOf(await operatorId());
  const again = await send(request, under);
  expect(again.headers.get("idempotency-replayed")).toBeNull();
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(await everythingDone()).toEqual(before);
});

test("after a crash that follows the last charge, the retry needs and spends no credits", async () => {
  // The first is answered from the sandbox and charged; the others need a check, with credits reserved.
  for (const [path, body] of [
    ["/validation/single", { email: "valid@mailvet.test" }],
    ["/validation/single", { email: "ann@not-contacted.com" }],
    ["/validation/bulk", { emails: ["ann@not-contacted.com"] }],
  ] as const) {
    const { key, accountId } = await service.openAccount({ credits: 1 });
    const asked = { key, headers: { "idempotency-key": randomUUID() }, body };
    const first = await service.ask(path, asked);
    expect([first.status, first.headers.get("x-credits-remaining")]).toEqual([200, "0"]);
    const before = await everythingDone();
    await loseAnswersOf(accountId);
    const again = await service.ask(path, asked);
    expect([again.status, again.headers.get("x-credits-remaining")]).toEqual([200, "0"]);
    expect(again.headers.get("idempotency-replayed")).toBeNull();
    expect(await everythingDone()).toEqual(before);
    expect((await service.ask(path, { key, body })).status).toBe(402); // a new request is too expensive
  }
});

test("after insufficient credits the same key may be used again, also with another request", async () => {
  const broke = await service.openAccount({ credits: 0 });
  const headers = { "idempotency-key": randomUUID() };
  const single = (email: string) =>
    service.ask("/validation/single", { key: broke.key, headers, body: { email } });
  expect((await single("valid@mailvet.test")).status).toBe(402);
  await service.ask(`/operator/accounts/${broke.accountId}/grants`, {
    cookie: await service.operatorCookie(),
    body: { amount: 2 },
  });
  const other = await single("catch-all@mailvet.test");
  expect([other.status, other.headers.get("x-credits-remaining")]).toEqual([200, "1"]);
});

test("a key is valid for 24 hours, and then starts a new request that is charged", async () => {
  const { key, accountId } = await service.openAccount({ credits: 100 });
  const headers = { "idempotency-key": randomUUID() };
  const single = (email: string) => service.ask("/validation/single", { key, headers, body: { email } });
  await single("valid@mailvet.test");
  const { rows } = await service.database.pool.query(
    "select extract(epoch from expires_at - now()) as seconds from idempotent_responses where account_id = $1",
    [accountId],
  );
  expect(rows).toHaveLength(1);
  expect(Number(rows[0].seconds)).toBeGreaterThan(24 * 3600 - 30);
  expect(Number(rows[0].seconds)).toBeLessThanOrEqual(24 * 3600);

  await service.database.pool.query(
    "update idempotent_responses set expires_at = now() where account_id = $1",
    [accountId],
  );
  const { status, headers: said } = await single("catch-all@mailvet.test");
  expect([status, said.get("idempotency-replayed"), said.get("x-credits-remaining")]).toEqual([
    200,
    null,
    "98",
  ]);
});

test("the same key at another endpoint is a different request", async () => {
  const headers = { "idempotency-key": randomUUID() };
  const body = { email: "valid@mailvet.test" };
  expect((await service.ask("/validation/single", { key: ann.key, headers, body })).status).toBe(200);
  const bulk = { emails: ["valid@mailvet.test"] };
  const other = await service.ask("/validation/bulk", { key: ann.key, headers, body: bulk });
  await expectProblem(service, other, "idempotency_key_reused");
});

test("a response to a test key is not replayed to a live key", async () => {
  const { key, makeKey } = await service.openAccount({ credits: 100 });
  const { key: testKey } = await makeKey({ mode: "test" });
  const asked = {
    headers: { "idempotency-key": randomUUID() },
    body: { email: "catch-all@company.example" },
  };
  const played = await service.ask("/validation/single", { ...asked, key: testKey });
  const real = await service.ask("/validation/single", { ...asked, key });
  expect([played.body.sub_status, real.body.sub_status]).toEqual(["catch_all", "reserved_domain"]);
  expect(real.headers.get("x-credits-remaining")).toBe("99");
});

test("no table contains address, key or response in plain text", async () => {
  const under = `kept-${randomUUID()}`;
  const email = "valid+very.secret.person@mailvet.test";
  const single = await send(await requestFor(named("POST /validation/single"), { body: { email } }), under);
  expect(single.status).toBe(200);
  const created = await send(await requestFor(named("POST /keys")), `${under}-2`);

  const contents = await everyRow();
  expect(contents).toContain("idempotent_responses");
  for (const secret of [under, email, "very.secret.person", created.body.key, ann.key, single.body.reason]) {
    expect(contents).not.toContain(secret);
    expect(contents).not.toContain(Buffer.from(secret).toString("hex"));
    expect(contents).not.toContain(Buffer.from(secret).toString("base64").replace(/.?=*$/, ""));
  }
});

function named(name: string): Endpoint {
  return HONOURING.find((endpoint) => endpoint.name === name)!;
}

const FIRST_SECRET = "secret = 'the first', previous_secret = null";

type Request = { endpoint: Endpoint; path: string; asked: Asked };

/** A request that succeeds; one-time actions get a new object. */
async function requestFor(endpoint: Endpoint, change: Asked = {}, hook = hooks[0]!): Promise<Request> {
  const ids: Record<string, string> = { account_id: ann.accountId, ...hook };
  const deed = deedOf(endpoint);
  if (LIFE_CYCLE.has(deed)) return lifeCycleRequest(endpoint, ids);
  const status = {
    cancel: "queued",
    pause: "processing",
    resume: "paused",
    finish: "processing",
    recheck: "completed",
  }[deed];
  if (status) ids.job_id = await jobThatIs(status);
  if (deed === "recheck") await addUnknownResult(ids.job_id!);
  if (deed === "rotate-secret") await refresh("webhook_endpoints", hook.webhook_id, FIRST_SECRET);
  if (deed === "replay") await refresh("webhook_deliveries", hook.delivery_id, "state = 'failed'");
  const { path, asked } = requestTo(endpoint, ids);
  const body = deed === "confirm" ? await confirmation() : asked.body;
  return { endpoint, path, asked: { ...asked, body, ...change } };
}

/** Actions on an account, by the names of deedOf. */
const LIFE_CYCLE = new Set([
  "accounts",
  "invitation",
  "suspend",
  "resume-account",
  "email",
  "end-sessions",
  "erase",
]);

/** With a new account for each. */
async function lifeCycleRequest(endpoint: Endpoint, ids: Record<string, string>): Promise<Request> {
  const { pool } = service.database;
  const deed = deedOf(endpoint);
  const email = `${deed}-${randomUUID()}@team.example`;
  const opened = await service.ask("/operator/accounts", {
    cookie: await service.operatorCookie(),
    body: { email },
  });
  const id: string = opened.body.account.id;
  if (deed === "invitation") await pool.query("delete from mail_tokens where account_id = $1", [id]);
  if (deed === "resume-account")
    await pool.query("update accounts set suspended_at = now(), suspended_reason = 'x' where id = $1", [id]);
  if (deed === "end-sessions")
    await pool.query(
      `insert into sessions (account_id, token_hash, user_agent, ip, expires_at)
       values ($1, $2, '', '', now() + interval '1 day')`,
      [id, id],
    );
  const { path, asked } = requestTo(endpoint, { ...ids, account_id: id });
  const bodies: Readonly<Record<string, object>> = {
    accounts: { email: `new-${email}` },
    email: { email: `moved-${email}` },
    erase: { email, reason: "requested" },
  };
  return { endpoint, path, asked: { ...asked, body: bodies[deed] ?? asked.body } };
}

/** Equally valid, but different; one-time actions differ anyway. */
function otherRequestFor(endpoint: Endpoint): Promise<Request> {
  return requestFor(endpoint, OTHERS[endpoint.name], hooks[1]);
}

/** The last segment of its path. */
function deedOf({ path }: Endpoint): string {
  if (path === "/operator/accounts/{account_id}/resume") return "resume-account";
  return path.split("/").at(-1)!;
}

const OTHERS: Readonly<Record<string, Asked>> = {
  "POST /validation/single": { body: { email: "catch-all@mailvet.test" } },
  "POST /validation/bulk": { body: { emails: ["catch-all@mailvet.test"] } },
  "POST /bulk/upload/link": { body: { url: `${LINK}?other` } },
  "POST /bulk/jobs": { body: { emails: ["catch-all@mailvet.test"] } },
  "POST /bulk/upload/preview": { form: formWith("email\ncatch-all@mailvet.test\n") },
  "POST /operator/accounts/{account_id}/grants": { body: { amount: 2 } },
  "POST /keys": { body: { name: "yet another key" } },
  "POST /operator/keys": { body: { name: "another script", scopes: ["system:read"] } },
  "POST /webhooks": { body: { url: HOOK, description: "yet another" } },
};

async function send({ endpoint, path, asked }: Request, under: string): Promise<Answer> {
  const who = await credentialsFor(endpoint, service, ann);
  return service.ask(path, { ...asked, ...who, headers: { "idempotency-key": under } });
}

async function makeHook() {
  const ask = async (path: string, body?: unknown): Promise<string> =>
    (await service.ask(`/webhooks${path}`, { method: "POST", key: ann.key, body })).body.id;
  const webhook_id = await ask("", { url: HOOK });
  return { webhook_id, delivery_id: await ask(`/${webhook_id}/test`) };
}

/** Resets an object so that the action is possible again, without pending work. */
async function refresh(table: string, id: string, values: string): Promise<void> {
  await service.database.pool.query(`update ${table} set ${values} where id = $1`, [id]);
  await service.database.pool.query("delete from tasks where queue = 'delivery'");
}

/** Of a new upload. */
async function confirmation() {
  const form = formWith("email\nvalid@mailvet.test\n");
  const { body } = await service.ask("/bulk/upload/preview", { key: ann.key, form });
  return { upload_id: body.upload_id, email_column: "email" };
}

async function jobThatIs(status: string): Promise<string> {
  const { body: job } = await service.ask("/bulk/upload/confirm", {
    key: ann.key,
    body: await confirmation(),
  });
  await service.database.pool.query(
    "update jobs set status = $2, is_planned = true, paused_at = now() where id = $1",
    [job.id, status],
  );
  return job.id;
}

async function addUnknownResult(jobId: string): Promise<void> {
  await service.database.pool.query(
    `insert into results (job_id, row, email, status, sub_status, confidence, score, is_valid, safe_to_send, provider,
       is_catchall, is_disposable, is_role_based, is_free, smtp_code, checked_at)
     values ($1, 1, 'valid@mailvet.test', 'unknown', 'greylisted', 0.4, 50, false, false, '', false, false, false, false,
       451, now())`,
    [jobId],
  );
  await service.database.pool.query(
    "insert into job_counts (job_id, sub_status, count) values ($1, 'greylisted', 1)",
    [jobId],
  );
}

/** The ledger, and everything else that can be created or changed here. */
async function everythingDone(): Promise<unknown> {
  const { rows } = await service.database.pool.query(
    `select (${KEYS}) as keys, (select count(*) from uploads) as uploads,
       (select json_agg(status order by id) from jobs) as jobs,
       (select json_agg(json_build_array(email, suspended_at) order by id) from accounts) as accounts,
       (select count(*) from sessions) as sessions, (select count(*) from mail_tokens) as links,
       (select json_agg(secret order by id) from webhook_endpoints) as hooks,
       (select count(*) from webhook_deliveries) as deliveries,
       (select json_agg(due_at order by id) from tasks where queue <> 'recheck') as tasks`,
  );
  return [await booksOf(service), rows[0]];
}

const KEYS = "select count(*) from (select id from api_keys union all select id from operator_keys) as every";

/** How often this was executed. */
async function doneCount(endpoint: Endpoint): Promise<number> {
  const { rows } = await service.database.pool.query(DONE[deedOf(endpoint)] ?? DONE.other!);
  return Number(rows[0].count);
}

const DONE: Readonly<Record<string, string>> = {
  preview: "select count(*) from uploads",
  link: "select count(*) from uploads",
  jobs: "select count(*) from jobs",
  confirm: "select count(*) from jobs",
  keys: KEYS,
  cancel: "select count(*) from jobs where status = 'cancelled'",
  finish: "select count(*) from jobs where is_finishing or status = 'completed'",
  pause: "select count(*) from jobs where status = 'paused'",
  resume: "select count(*) from jobs where status = 'processing'",
  recheck: "select sum(attempt - 1) as count from jobs",
  webhooks: "select count(*) from webhook_endpoints",
  // Executed twice, the previous secret would no longer be the first one.
  "rotate-secret": "select count(*) from webhook_endpoints where previous_secret = 'the first'",
  test: "select count(*) from webhook_deliveries",
  replay: "select count(*) from tasks where queue = 'delivery'",
  accounts: "select count(*) from accounts",
  invitation: "select count(*) from mail_tokens",
  suspend: "select count(*) from accounts where suspended_at is not null",
  "resume-account": "select count(*) from accounts where suspended_at is null",
  email: "select count(*) from accounts where email like 'moved-%'",
  "end-sessions": "select -count(*) as count from sessions",
  erase: "select -count(*) as count from accounts where erasing_at is null",
  other: "select count(*) from ledger",
};

/** As if a process had died after the effect and before the response was stored, and its lease had expired. */
async function loseAnswersOf(accountId: string): Promise<void> {
  await service.database.pool.query(
    `update idempotent_responses set status = null, encrypted_body = null, holder = gen_random_uuid(), held_until = now()
     where account_id = $1`,
    [accountId],
  );
}

/** Waits until a request has claimed its key; for an upload, until the upload exists. */
async function untilHeld(): Promise<void> {
  const text = `select 1 from idempotent_responses where account_id = any($1) and holder is not null
    union all select 1 from uploads where ready_at is null`;
  const holders = [[ann.accountId, await operatorId()]];
  await expect
    .poll(async () => (await service.database.pool.query(text, holders)).rowCount)
    .toBeGreaterThan(0);
}

async function operatorId(): Promise<string> {
  const { rows } = await service.database.pool.query("select id from accounts where is_operator");
  return rows[0].id;
}

/** Content of all tables, as text. */
async function everyRow(): Promise<string> {
  const { pool } = service.database;
  const { rows: tables } = await pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t`);
      return [name, ...rows.map(({ row }) => row)].join("\n");
    }),
  );
  return texts.join("\n");
}
