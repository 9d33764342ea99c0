/** Idempotency-Key at every endpoint that honours it: done once, answered the same, paid once, readable by nobody. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { credentialsFor, ENDPOINTS, type Endpoint, honoursIdempotencyKeys, requestTo } from "./endpoints.ts";
import { booksOf, expectProblem } from "./problems.ts";
import { type Asked, openService, type Person, type TestService } from "./service.ts";

const HONOURING = ENDPOINTS.filter(honoursIdempotencyKeys);

let service: TestService;
let ann: Person;
beforeAll(async () => {
  service = await openService();
  ann = await service.openAccount({ credits: 1_000 });
});
afterAll(() => service[Symbol.asyncDispose]());

test("every way to spend, and every other POST of somebody known but the password's, honours the key", () => {
  expect(HONOURING.map(({ name }) => name)).toEqual([
    "POST /validation/single",
    "POST /validation/bulk",
    "POST /keys",
    "POST /operator/accounts/{account_id}/grants",
  ]);
});

for (const endpoint of HONOURING) {
  describe(endpoint.name, () => {
    test("the same request under the same key is answered by the same bytes and done once", async () => {
      const under = randomUUID();
      const first = await ask(endpoint, under);
      expect(first.status).toBeLessThan(300);
      expect(first.headers.get("idempotency-replayed")).toBeNull();
      const before = await everythingDone();

      for (let n = 0; n < 3; n++) {
        const again = await ask(endpoint, under);
        expect([again.status, again.text]).toEqual([first.status, first.text]);
        expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
        expect(again.headers.get("idempotency-replayed")).toBe("true");
        expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
      }
      expect(await everythingDone()).toEqual(before);
      await ask(endpoint, randomUUID());
      expect(await everythingDone()).not.toEqual(before);
    });

    test("another request under the same key is refused and not done", async () => {
      const under = randomUUID();
      await ask(endpoint, under);
      const before = await everythingDone();
      const other = await ask(endpoint, under, { body: otherBodyFor(endpoint) });
      await expectProblem(service, other, "idempotency_key_reused");
      expect(await everythingDone()).toEqual(before);
    });

    test("while the first is under way the second is sent away, and gets the answer later", async () => {
      const under = randomUUID();
      const lock = await service.database.pool.connect();
      try {
        // Whoever wants to spend, or to make a key, waits here.
        await lock.query("begin");
        await lock.query("lock table balances, api_keys in exclusive mode");
        const first = ask(endpoint, under);
        await untilHeld();
        const second = await ask(endpoint, under);
        await expectProblem(service, second, "idempotency_in_flight");
        expect(Number(second.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
        await lock.query("rollback");
        const { text, status } = await first;
        expect(status).toBeLessThan(300);
        expect((await ask(endpoint, under)).text).toBe(text);
      } finally {
        lock.release();
      }
    });

    test("four at once are one: done once, and those that got an answer got the same", async () => {
      const under = randomUUID();
      const before = await doneCount();
      const answers = await Promise.all(Array.from({ length: 4 }, () => ask(endpoint, under)));
      const good = answers.filter(({ status }) => status < 300);
      expect(new Set(good.map(({ text }) => text)).size).toBe(1);
      for (const answer of answers.filter(({ status }) => status >= 300)) {
        await expectProblem(service, answer, "idempotency_in_flight");
      }
      expect((await doneCount()) - before).toBe(1);
    });

    test("a request that was refused leaves the key free", async () => {
      const under = randomUUID();
      const before = await everythingDone();
      const refused = await ask(endpoint, under, { body: endpoint.wrong!.body });
      expect(refused.status).toBe(422);
      expect(await everythingDone()).toEqual(before);
      expect((await ask(endpoint, under)).status).toBeLessThan(300);
    });
  });
}

test("a process that dies before its answer is kept has given the credits, and the retry gives no more", async () => {
  const grants = HONOURING.find(({ path }) => path.endsWith("/grants"))!;
  const under = randomUUID();
  const first = await ask(grants, under);
  const before = await everythingDone();
  await loseAnswersOf(await operatorId());
  const again = await ask(grants, under);
  expect(again.headers.get("idempotency-replayed")).toBeNull();
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(await everythingDone()).toEqual(before);
});

test("a process that dies after spending the last credit leaves a retry that needs none, and spends none", async () => {
  // The first is known at once and charged, for the others somebody would have to be asked, with credits held.
  for (const [path, body] of [
    ["/validation/single", { email: "valid@mailvet.test" }],
    ["/validation/single", { email: "ann@nobody-is-asked.com" }],
    ["/validation/bulk", { emails: ["ann@nobody-is-asked.com"] }],
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
    expect((await service.ask(path, { key, body })).status).toBe(402); // as a request of its own it is too expensive
  }
});

test("who could not pay may try the same key again, also with another request", async () => {
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

test("a key is good for 24 hours, and means a new request after that, which is paid for", async () => {
  const { key, accountId } = await service.openAccount({ credits: 100 });
  const headers = { "idempotency-key": randomUUID() };
  const single = (email: string) => service.ask("/validation/single", { key, headers, body: { email } });
  await single("valid@mailvet.test");
  const { rows } = await service.database.pool.query(
    "select extract(epoch from expires_at - now()) as seconds from idempotent_answers where account_id = $1",
    [accountId],
  );
  expect(rows).toHaveLength(1);
  expect(Number(rows[0].seconds)).toBeGreaterThan(24 * 3600 - 30);
  expect(Number(rows[0].seconds)).toBeLessThanOrEqual(24 * 3600);

  await service.database.pool.query(
    "update idempotent_answers set expires_at = now() where account_id = $1",
    [accountId],
  );
  const { status, headers: said } = await single("catch-all@mailvet.test");
  expect([status, said.get("idempotency-replayed"), said.get("x-credits-remaining")]).toEqual([
    200,
    null,
    "98",
  ]);
});

test("a key at another endpoint is another request", async () => {
  const headers = { "idempotency-key": randomUUID() };
  const body = { email: "valid@mailvet.test" };
  expect((await service.ask("/validation/single", { key: ann.key, headers, body })).status).toBe(200);
  const bulk = { emails: ["valid@mailvet.test"] };
  const other = await service.ask("/validation/bulk", { key: ann.key, headers, body: bulk });
  await expectProblem(service, other, "idempotency_key_reused");
});

test("a test key's answer is not given to a live key", async () => {
  const { key, makeKey } = await service.openAccount({ credits: 100 });
  const { key: testKey } = await makeKey({ mode: "test" });
  const asked = { headers: { "idempotency-key": randomUUID() }, body: { email: "catch-all@house.example" } };
  const played = await service.ask("/validation/single", { ...asked, key: testKey });
  const real = await service.ask("/validation/single", { ...asked, key });
  expect([played.body.sub_status, real.body.sub_status]).toEqual(["catch_all", "reserved_domain"]);
  expect(real.headers.get("x-credits-remaining")).toBe("99");
});

test("what is kept can be read by nobody: neither address nor key nor answer stands in any table", async () => {
  const under = `kept-${randomUUID()}`;
  const email = "valid+very.secret.person@mailvet.test";
  const single = await ask(HONOURING[0]!, under, { body: { email } });
  expect(single.status).toBe(200);
  const created = await ask(HONOURING[2]!, `${under}-2`);

  const contents = await everyRow();
  expect(contents).toContain("idempotent_answers");
  for (const secret of [under, email, "very.secret.person", created.body.key, ann.key, single.body.reason]) {
    expect(contents).not.toContain(secret);
    expect(contents).not.toContain(Buffer.from(secret).toString("hex"));
    expect(contents).not.toContain(Buffer.from(secret).toString("base64").replace(/.?=*$/, ""));
  }
});

async function ask(endpoint: Endpoint, under: string, change: Asked = {}) {
  const { path, asked } = requestTo(endpoint, { account_id: ann.accountId });
  const who = await credentialsFor(endpoint, service, ann);
  return service.ask(path, { ...asked, ...who, headers: { "idempotency-key": under }, ...change });
}

/** A request as good as the endpoint's own, but another one. */
function otherBodyFor({ path }: Endpoint): unknown {
  if (path.endsWith("single")) return { email: "catch-all@mailvet.test" };
  if (path.endsWith("bulk")) return { emails: ["catch-all@mailvet.test"] };
  return path.endsWith("grants") ? { amount: 2 } : { name: "yet another key" };
}

/** The books, and how many keys there are. */
async function everythingDone(): Promise<unknown> {
  const { rows } = await service.database.pool.query("select count(*) from api_keys");
  return [await booksOf(service), rows[0]];
}

/** How many entries and keys there are. */
async function doneCount(): Promise<number> {
  const { rows } = await service.database.pool.query(
    "select (select count(*) from ledger) + (select count(*) from api_keys) as count",
  );
  return Number(rows[0].count);
}

/** As if a process had died after the work, and before the answer was kept: its lease has run out since. */
async function loseAnswersOf(accountId: string): Promise<void> {
  await service.database.pool.query(
    `update idempotent_answers set status = null, sealed_body = null, holder = gen_random_uuid(), held_until = now()
     where account_id = $1`,
    [accountId],
  );
}

/** Waits until a request holds its key. */
async function untilHeld(): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const { rows } = await service.database.pool.query(
      "select 1 from idempotent_answers where account_id = any($1) and holder is not null",
      [[ann.accountId, await operatorId()]],
    );
    if (rows.length > 0) return;
    await wait(10);
  }
  throw new Error("nobody holds a key");
}

async function operatorId(): Promise<string> {
  const { rows } = await service.database.pool.query("select id from accounts where is_operator");
  return rows[0].id;
}

/** All that the database holds, as text. */
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
