/** API keys on a real database: made, recognised, revoked, by one process and by several. */
import { KEY_SCOPES, type Plan } from "@mailvet/contract";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { ACCOUNT_LIMITS } from "../src/accounts/plans.ts";
import { accounts } from "../src/accounts/schema.ts";
import { type Database, openDatabase } from "../src/db/database.ts";
import { createPubSub, notify, type PubSub } from "../src/db/pubsub.ts";
import { type ApiKeys, createApiKeys } from "../src/keys/api-keys.ts";
import { apiKeys } from "../src/keys/schema.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { recordEvents } from "./logged-events.ts";

const LIVE = { name: "checkout", mode: "live", scopes: KEY_SCOPES, expiresAt: undefined } as const;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test("a new key is authenticated at once, with its account and scopes", async () => {
  await using process = await startProcess();
  const accountId = await openAccount("growth");
  const { key, text } = await process.keyring.create(accountId, { ...LIVE, mode: "test", scopes: ["read"] });
  expect(await process.keyring.recognise(text)).toEqual({
    keyId: key.id,
    accountId,
    plan: "growth",
    isOperator: false,
    suspendedFor: null,
    mode: "test",
    scopes: ["read"],
  });
  expect(key).toMatchObject({ name: "checkout", prefix: text.slice(0, 12), revokedAt: null });
  const [stored] = await database.orm.select().from(apiKeys).where(eq(apiKeys.id, key.id));
  expect(JSON.stringify(stored)).not.toContain(text.slice(12)); // the secret is not stored
});

test("a thousand requests with a cached key need no query", async () => {
  stopClock();
  await using process = await startProcess();
  const { text } = await process.keyring.create(await openAccount(), LIVE);
  await process.catchUp();
  await process.keyring.recognise(text);
  const questions = process.countQuestions();
  for (let time = 0; time < 1_000; time++) expect(await process.keyring.recognise(text)).toBeDefined();
  expect(questions()).toBe(0);
});

test("a mistyped key is refused without a query", async () => {
  await using process = await startProcess();
  const { text } = await process.keyring.create(await openAccount(), LIVE);
  const questions = process.countQuestions();
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 8, max: text.length - 1 }),
      fc.constantFrom(..."aZ0"),
      async (at, typed) => {
        fc.pre(text[at] !== typed);
        expect(
          await process.keyring.recognise(text.slice(0, at) + typed + text.slice(at + 1)),
        ).toBeUndefined();
      },
    ),
  );
  expect(questions()).toBe(0);
});

test("a key revoked in one process is refused by others after the notification", async () => {
  stopClock();
  await using one = await startProcess();
  await using other = await startProcess();
  const accountId = await openAccount();
  const { key, text } = await one.keyring.create(accountId, LIVE);
  expect(await other.keyring.recognise(text)).toBeDefined();
  await one.keyring.revoke(accountId, key.id);
  expect(await one.keyring.recognise(text)).toBeUndefined();
  await untilRefused(other.keyring, text);
});

test("a key revoked while notifications are lost is refused as well, and listening resumes", async () => {
  await using one = await startProcess();
  await using other = await startProcess();
  const accountId = await openAccount();
  const first = await one.keyring.create(accountId, LIVE);
  const second = await one.keyring.create(accountId, LIVE);
  expect(await other.keyring.recognise(first.text)).toBeDefined();
  expect(await other.keyring.recognise(second.text)).toBeDefined();

  await endListening(database);
  await one.keyring.revoke(accountId, first.key.id);
  await untilRefused(other.keyring, first.text);

  await expect.poll(() => other.notices.isListening).toBe(true);
  expect(other.events[0]).toMatchObject({ event: "notifications_lost" });
  await other.keyring.recognise(second.text);
  await one.keyring.revoke(accountId, second.key.id);
  await untilRefused(other.keyring, second.text);
});

test("a process without notifications refuses a revoked key after a second", async () => {
  await using one = await startProcess();
  await using deaf = await startProcess({ port: 1, host: "127.0.0.1" });
  expect(deaf.notices.isListening).toBe(false);
  const accountId = await openAccount();
  const { key, text } = await one.keyring.create(accountId, LIVE);
  expect(await deaf.keyring.recognise(text)).toBeDefined();
  await one.keyring.revoke(accountId, key.id);
  await untilRefused(deaf.keyring, text);
});

test("a change of plan reaches the keys in every process", async () => {
  stopClock();
  await using one = await startProcess();
  await using other = await startProcess();
  const accountId = await openAccount("payg");
  const { text } = await one.keyring.create(accountId, LIVE);
  expect(await other.keyring.recognise(text)).toMatchObject({ plan: "payg" });
  await database.orm.update(accounts).set({ plan: "free" }).where(eq(accounts.id, accountId));
  await one.keyring.forgetAccount(accountId);
  expect(await one.keyring.recognise(text)).toMatchObject({ plan: "free" });
  const planSeen = async () => (await other.keyring.recognise(text))?.plan;
  await expect.poll(planSeen, { interval: 5 }).toBe("free");
});

test("a key chosen by the operator works at once, although it was cached as unknown", async () => {
  await using one = await startProcess();
  await using other = await startProcess();
  const accountId = await openAccount();
  const text = "an-operator-chose-this-one";
  for (const { keyring } of [one, other]) expect(await keyring.recognise(text)).toBeUndefined();
  const key = await one.keyring.adopt(accountId, text, "bootstrap");
  expect(await one.keyring.recognise(text)).toMatchObject({
    keyId: key.id,
    mode: "live",
    scopes: KEY_SCOPES,
  });
  const keyIdSeen = async () => (await other.keyring.recognise(text))?.keyId;
  await expect.poll(keyIdSeen, { interval: 5 }).toBe(key.id);
});

test("a chosen key is adopted once, and stays revoked", async () => {
  await using process = await startProcess();
  const [accountId, outsider] = [await openAccount(), await openAccount()];
  const adopt = (id: string) => process.keyring.adopt(id, "the-same-key-at-every-start", "bootstrap");
  const [key, again] = await Promise.all([adopt(accountId), adopt(accountId)]);
  expect(again).toEqual(key);
  await expect(adopt(outsider)).rejects.toThrow("belongs to another account");
  await process.keyring.revoke(accountId, key.id);
  expect((await adopt(accountId)).revokedAt).toBeInstanceOf(Date);
  expect(await process.keyring.recognise("the-same-key-at-every-start")).toBeUndefined();
  await expect(process.keyring.adopt(accountId, "too-short", "bootstrap")).rejects.toThrow("20 to 512");
});

test("an expired key is refused", async () => {
  await using process = await startProcess();
  const expiresAt = new Date(Date.now() + 3_600_000);
  const { text } = await process.keyring.create(await openAccount(), { ...LIVE, expiresAt });
  expect(await process.keyring.recognise(text)).toBeDefined();
  vi.useFakeTimers({ toFake: ["Date"], now: expiresAt });
  onTestFinished(() => void vi.useRealTimers());
  expect(await process.keyring.recognise(text)).toBeUndefined();
});

test("keys of other accounts can be neither seen nor revoked", async () => {
  await using process = await startProcess();
  const [owner, outsider] = [await openAccount(), await openAccount()];
  const { key, text } = await process.keyring.create(owner, LIVE);
  await expect(process.keyring.revoke(outsider, key.id)).rejects.toMatchObject({ code: "key_not_found" });
  expect(await process.keyring.recognise(text)).toBeDefined();
  expect(await process.keyring.list(outsider)).toEqual([]);
});

test("keys are listed newest first, revoked ones for 90 days, and revoking is idempotent", async () => {
  await using process = await startProcess();
  const accountId = await openAccount();
  const make = async (name: string) => (await process.keyring.create(accountId, { ...LIVE, name })).key;
  const [old, recent, working] = [await make("old"), await make("recent"), await make("working")];
  await process.keyring.revoke(accountId, recent.id);
  const before = await process.keyring.list(accountId);
  await process.keyring.revoke(accountId, recent.id);
  expect(await process.keyring.list(accountId)).toEqual(before);
  const longAgo = new Date(Date.now() - 91 * 86_400_000);
  await database.orm.update(apiKeys).set({ revokedAt: longAgo }).where(eq(apiKeys.id, old.id));
  const listed = await process.keyring.list(accountId);
  expect(listed.map(({ name }) => name)).toEqual(["working", "recent"]);
  expect(listed[0]).toEqual(working);
});

test("an account has at most a hundred keys, even with concurrent requests", async () => {
  await using process = await startProcess();
  const accountId = await openAccount();
  await database.pool.query(
    `insert into api_keys (account_id, name, mode, key_hash, prefix, scopes)
     select $1::uuid, 'n', 'live', sha256(($1::text || n)::bytea), 'mv_live_0000', '{read}' from generate_series(1, $2) n`,
    [accountId, ACCOUNT_LIMITS.api_keys - 2],
  );
  const tries = Array.from({ length: 6 }, () => process.keyring.create(accountId, LIVE));
  const outcomes = await Promise.allSettled(tries);
  const refused = outcomes.filter((one) => one.status === "rejected");
  expect(refused.map(({ reason }) => reason.code)).toEqual(Array(4).fill("too_many_keys"));
  const made = outcomes.find((one) => one.status === "fulfilled")!;
  await process.keyring.revoke(accountId, made.value.key.id);
  await process.keyring.create(accountId, LIVE); // below the limit again
});

test("the last use of a key is written once for many uses, and not lost on close", async () => {
  stopClock();
  const process = await startProcess();
  const accountId = await openAccount();
  const [used, idle] = [
    await process.keyring.create(accountId, { ...LIVE, name: "used" }),
    await process.keyring.create(accountId, { ...LIVE, name: "idle" }),
  ];
  await process.catchUp();
  const startedAtMs = Date.now();
  await process.keyring.recognise(used.text);
  const questions = process.countQuestions();
  for (let time = 0; time < 100; time++) await process.keyring.recognise(used.text);
  await process.keyring.close();
  expect(questions()).toBe(1);
  const listed = await process.keyring.list(accountId);
  expect(listed.find(({ id }) => id === idle.key.id)!.lastUsedAt).toBeNull();
  const { lastUsedAt } = listed.find(({ id }) => id === used.key.id)!;
  expect(lastUsedAt!.getTime()).toBeGreaterThanOrEqual(startedAtMs);
  expect(lastUsedAt!.getTime()).toBeLessThanOrEqual(Date.now()); // timing: a clock reading, not a duration
  await process[Symbol.asyncDispose]();
});

/** One process of a deployment: a pool, a listening connection, API keys. */
async function startProcess(listenElsewhere: { host: string; port: number } | undefined = undefined) {
  const own: Database = openDatabase({ connection: database.connection, maxConnections: 6 });
  const { events, log } = recordEvents();
  const notices: PubSub = createPubSub({ ...own.connection, ...listenElsewhere }, { log });
  const keyring: ApiKeys = createApiKeys({ database: own, notices });
  let caughtUp = () => {};
  notices.on("caught_up", () => caughtUp());
  await notices.start();
  /** Waits until all notifications sent so far have arrived, including those of this process. */
  const catchUp = async () => {
    const arrived = new Promise<void>((resolve) => {
      caughtUp = resolve;
    });
    await notify(own.pool, "caught_up", "");
    await arrived;
  };
  const countQuestions = () => {
    let count = 0;
    own.pool.on("acquire", () => count++);
    return () => count;
  };
  const stop = async () => {
    await keyring.close();
    await notices.close();
    await own.close();
  };
  return { keyring, notices, events, catchUp, countQuestions, [Symbol.asyncDispose]: stop };
}

async function openAccount(plan: Plan = "payg"): Promise<string> {
  const email = `${Math.random().toString(36).slice(2)}@example.com`;
  const [account] = await database.orm
    .insert(accounts)
    .values({ email, plan })
    .returning({ id: accounts.id });
  return account!.id;
}

async function untilRefused(keyring: ApiKeys, text: string): Promise<void> {
  await expect.poll(async () => keyring.recognise(text), { interval: 5 }).toBeUndefined();
}

/** Stops cache expiry: from here on only a notification changes the cache. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Terminates the connections whose last statement was a LISTEN. */
async function endListening({ pool }: Database): Promise<void> {
  const { rowCount } = await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and (query = 'select 1' or query like 'listen %') and pid <> pg_backend_pid()`,
  );
  expect(rowCount).toBe(2);
}
