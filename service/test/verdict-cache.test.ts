/** The verdict cache in the database: writing, expiry and deletion. */
import { type Evidence, readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accounts } from "../src/accounts/schema.ts";
import { partitionDates } from "../src/db/partitions.ts";
import { addressHash } from "../src/feedback/address-hash.ts";
import { expiryDate } from "../src/validations/freshness.ts";
import { SANDBOX_OUTCOMES } from "../src/validations/sandbox-outcomes.ts";
import { addressKey, contentId } from "../src/validations/shared-evidence.ts";
import { createVerdictCache } from "../src/validations/verdict-cache.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { recordEvents } from "./logged-events.ts";

const HOUR = 3_600_000;
const { events, log } = recordEvents();

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const openMemory = () => createVerdictCache({ database, log });
let people = 0;
async function openAccount(): Promise<string> {
  const values = { email: `person${++people}@example.com`, plan: "payg" } as const;
  const [account] = await database.orm.insert(accounts).values(values).returning();
  return account!.id;
}
const text = verifierFrom(readEngineSettings(settingsFrom({}))).begin("ann@shop.io", "syntax").evidence;
const proven: Evidence = SANDBOX_OUTCOMES[""](text);
const missing: Evidence = SANDBOX_OUTCOMES.domain_not_found(text);

test("thousands of verdicts are written in few statements, and another process reads them in one", async () => {
  const accountId = await openAccount();
  const addresses = Array.from({ length: 1_200 }, (_, i) => `ann${i}@shop.test`);
  const writing = openMemory();
  for (const address of addresses) writing.store(accountId, address, proven, Date.now());
  await writing.close();
  const recalled = await openMemory().findFresh(accountId, [...addresses, "bob@shop.test"]);
  expect([...recalled.keys()].sort()).toEqual([...addresses].sort());
  expect(recalled.get("ann7@shop.test")?.evidence.mailbox).toEqual(proven.mailbox);
});

test("processes that store the same new addresses at the same moment lose none", async () => {
  const accountId = await openAccount();
  const addresses = Array.from({ length: 400 }, (_, i) => `bob${i}@shop.test`);
  const nowMs = Date.now();
  const writing = Array.from({ length: 4 }, openMemory);
  for (const [n, cache] of writing.entries())
    for (const address of addresses) cache.store(accountId, address, proven, nowMs + n);
  await Promise.all(writing.map((cache) => cache.close()));
  const found = await openMemory().findFresh(accountId, addresses);
  expect([...found.values()].map(({ checkedAtMs }) => checkedAtMs)).toEqual(addresses.map(() => nowMs + 3));
  expect(events.filter(({ event }) => event === "verdicts_write_failed")).toEqual([]);
});

test("a verdict that is found while an older one is being read stays in memory", async () => {
  const accountId = await openAccount();
  const nowMs = Date.now();
  const before = openMemory();
  before.store(accountId, "ann@shop.test", missing, nowMs - 1_000);
  await before.close();
  let isFound = false;
  const query = async (...asked: Parameters<typeof database.pool.query>) => {
    const read = await database.pool.query(...asked);
    if (!isFound) memory.store(accountId, "ann@shop.test", proven, nowMs);
    isFound = true;
    return read;
  };
  const pool = { query } as unknown as typeof database.pool;
  const memory = createVerdictCache({ database: { pool }, log });
  await memory.findFresh(accountId, ["ann@shop.test"]);
  expect(memory.findInMemory(accountId, "ann@shop.test")).toMatchObject({ checkedAtMs: nowMs });
  await memory.close();
});

test("the later of two verdicts stays, in any order of writes", async () => {
  const accountId = await openAccount();
  const nowMs = Date.now();
  for (const [evidence, checkedAtMs] of [
    [proven, nowMs - 1_000],
    [missing, nowMs],
    [proven, nowMs - 2_000],
  ] as const) {
    const memory = openMemory();
    memory.store(accountId, "ann@shop.test", evidence, checkedAtMs);
    await memory.close();
  }
  const recalled = await openMemory().findFresh(accountId, ["ann@shop.test"]);
  expect(recalled.get("ann@shop.test")).toMatchObject({
    evidence: { route: missing.route },
    checkedAtMs: nowMs,
  });
});

test("stale evidence is not returned, in any process, and is deleted in time", async () => {
  const accountId = await openAccount();
  const memory = openMemory();
  memory.store(accountId, "old@gone.test", missing, Date.now() - 2 * HOUR);
  memory.store(accountId, "new@gone.test", missing, Date.now());
  memory.store(accountId, "ancient@gone.test", missing, Date.now() - 40 * 24 * HOUR);
  await memory.close();
  expect(memory.findInMemory(accountId, "old@gone.test")).toBeUndefined();
  expect(memory.findInMemory(accountId, "new@gone.test")).toBeDefined();
  const elsewhere = openMemory();
  const all = ["ancient@gone.test", "old@gone.test", "new@gone.test"];
  expect([...(await elsewhere.findFresh(accountId, all)).keys()]).toEqual(["new@gone.test"]);
  expect(elsewhere.findInMemory(accountId, "new@gone.test")).toBeDefined(); // in memory now
  expect(await memory.deleteExpired()).toBe(1);
  expect(await memory.deleteExpired()).toBe(0);
  expect([...(await elsewhere.findStale(accountId, all)).keys()].sort()).toEqual([
    "new@gone.test",
    "old@gone.test",
  ]);
});

test("unknown results can be matched with outcomes, but never answer or replace an answer", async () => {
  const accountId = await openAccount();
  const greylisted = SANDBOX_OUTCOMES.greylisted(text);
  const memory = openMemory();
  memory.store(accountId, "new@shop.test", greylisted, Date.now());
  memory.store(accountId, "ann@shop.test", proven, Date.now() - 1_000);
  await memory.close();
  const later = openMemory();
  later.store(accountId, "ann@shop.test", greylisted, Date.now());
  await later.close();

  const both = ["new@shop.test", "ann@shop.test"];
  expect(memory.findInMemory(accountId, "new@shop.test")).toBeUndefined();
  const elsewhere = openMemory();
  const recalled = await elsewhere.findFresh(accountId, both);
  expect([...recalled.keys()]).toEqual(["ann@shop.test"]);
  expect(recalled.get("ann@shop.test")?.evidence.mailbox).toEqual(proven.mailbox);
  expect((await elsewhere.findStale(accountId, both)).get("new@shop.test")?.evidence.mailbox?.answer).toBe(
    "greylisted",
  );
  expect(elsewhere.findInMemory(accountId, "new@shop.test")).toBeUndefined(); // stale reads do not fill the memory
});

test("internal errors are not cached", async () => {
  const accountId = await openAccount();
  const memory = openMemory();
  memory.store(accountId, "ann@shop.test", { ...proven, failure: "a bug" }, Date.now());
  await memory.close();
  expect((await openMemory().findStale(accountId, ["ann@shop.test"])).size).toBe(0);
});

test("a reply with unstorable characters does not prevent other writes", async () => {
  const accountId = await openAccount();
  const reply = { code: 550, text: "no\0such \ud83d user" };
  const memory = openMemory();
  memory.store(
    accountId,
    "odd@shop.test",
    { ...proven, mailbox: { answer: "not_found", reply } },
    Date.now(),
  );
  memory.store(accountId, "ann@shop.test", proven, Date.now());
  await memory.close();
  const recalled = await openMemory().findFresh(accountId, ["odd@shop.test", "ann@shop.test"]);
  expect(recalled.get("odd@shop.test")?.evidence.mailbox?.reply?.text).toBe("no such   user");
  expect(recalled.has("ann@shop.test")).toBe(true);
  expect(events).toEqual([]);
});

test("a deleted account does not prevent writes of other accounts", async () => {
  const [accountId, gone] = [await openAccount(), "00000000-0000-4000-8000-000000000000"];
  const memory = openMemory();
  memory.store(gone, "ann@shop.test", proven, Date.now());
  memory.store(accountId, "ann@shop.test", proven, Date.now());
  await memory.close();
  expect((await openMemory().findFresh(accountId, ["ann@shop.test"])).size).toBe(1);
  expect((await openMemory().findFresh(gone, ["ann@shop.test"])).size).toBe(0);
  expect(events).toEqual([]);
});

test("the tables reveal neither addresses nor accounts with the same address", async () => {
  const [ann, bob] = [await openAccount(), await openAccount()];
  const memory = openMemory();
  const reply = { code: 250, enhanced: "2.1.5", text: "<secret.person@shop.test> recipient ok" };
  const quoting: Evidence = { ...proven, mailbox: { answer: "accepted", reply } };
  for (const accountId of [ann, bob]) memory.store(accountId, "secret.person@shop.test", quoting, Date.now());
  await memory.close();
  const { rows } = await database.pool.query(
    `select address_key, own, f.content as facts, m.content as finding
     from cached_verdicts v join cached_facts f on f.id = facts_id left join cached_facts m on m.id = finding_id
     where account_id = any($1)`,
    [[ann, bob]],
  );
  expect(new Set(rows.map((row) => row.address_key)).size).toBe(2);
  expect(JSON.stringify(rows)).not.toContain("secret.person");
  const recalled = await openMemory().findFresh(ann, ["secret.person@shop.test"]);
  expect(recalled.get("secret.person@shop.test")?.evidence.mailbox?.reply).toEqual(reply);
});

test("facts about a domain are stored once, and verdicts keep those they were derived from", async () => {
  const accountId = await openAccount();
  const before = Date.now() - HOUR;
  const addresses = Array.from({ length: 50 }, (_, i) => `ann${i}@facts.test`);
  const old: Evidence = { ...proven, provider: "old-provider" };
  const writing = openMemory();
  for (const address of addresses) writing.store(accountId, address, old, before);
  await writing.close();
  const refreshed: Evidence = { ...proven, provider: "new-provider" };
  const later = openMemory();
  later.store(accountId, "ann7@facts.test", refreshed, Date.now());
  await later.close();

  const { rows } = await database.pool.query(
    "select content->>'provider' as provider from cached_facts where content->>'provider' like '%-provider' order by 1",
  );
  expect(new Set(rows.map(({ provider }) => provider))).toEqual(new Set(["new-provider", "old-provider"]));
  const recalled = await openMemory().findFresh(accountId, addresses);
  expect(recalled.get("ann6@facts.test")).toMatchObject({
    evidence: { provider: "old-provider" },
    checkedAtMs: before,
  });
  expect(recalled.get("ann7@facts.test")?.evidence.provider).toBe("new-provider");
});

test("one read returns verdicts with more facts than a process has in memory", async () => {
  const accountId = await openAccount();
  const addresses = Array.from({ length: 6_000 }, (_, i) => `ann@domain${i}.test`);
  const writing = openMemory();
  for (const [i, address] of addresses.entries())
    writing.store(accountId, address, { ...proven, provider: `provider${i}` }, Date.now());
  await writing.close();
  const recalled = await openMemory().findStale(accountId, addresses);
  expect(recalled.size).toBe(addresses.length);
  for (const i of [0, 5_999]) expect(recalled.get(addresses[i]!)?.evidence.provider).toBe(`provider${i}`);
});

test("a later verdict that is no longer fresh is not followed by an earlier one that would be", async () => {
  const accountId = await openAccount();
  const memory = openMemory();
  memory.store(accountId, "ann@shop.test", proven, Date.now() - 5 * HOUR); // fresh for days
  await memory.close();
  const later = openMemory();
  later.store(accountId, "ann@shop.test", missing, Date.now() - 2 * HOUR); // was fresh for an hour
  await later.close();
  expect((await openMemory().findFresh(accountId, ["ann@shop.test"])).size).toBe(0);
});

test("verdicts are deleted with their account", async () => {
  const accountId = await openAccount();
  const memory = openMemory();
  memory.store(accountId, "ann@shop.test", proven, Date.now());
  await memory.close();
  await database.pool.query("delete from accounts where id = $1", [accountId]);
  const left = await database.pool.query("select from cached_verdicts where account_id = $1", [accountId]);
  expect(left.rowCount).toBe(0);
});

test("verdicts of an earlier release answer until they are stale, unless there is a later one", async () => {
  const accountId = await openAccount();
  for (const address of ["ann@old.test", "bob@old.test"])
    await database.pool.query(
      `insert into verdicts (account_id, address_hash, evidence, checked_at, fresh_until)
       values ($1, decode($2, 'hex'), $3, now() - interval '1 hour', now() + interval '1 hour')`,
      [accountId, addressHash(accountId, address), { provider: "of-before" }],
    );
  const memory = openMemory();
  memory.store(accountId, "bob@old.test", proven, Date.now());
  await memory.close();
  const recalled = await openMemory().findFresh(accountId, ["ann@old.test", "bob@old.test"]);
  expect(recalled.get("ann@old.test")?.evidence).toEqual({ provider: "of-before" });
  expect(recalled.get("bob@old.test")?.evidence.mailbox).toEqual(proven.mailbox);
});

test("verdicts of the release before, whose facts name their domain, answer as well", async () => {
  const accountId = await openAccount();
  const memory = openMemory();
  memory.store(accountId, "ann@before.test", proven, Date.now());
  await memory.close();
  const facts = { provider: "of-before", mxHost: "mx.before.test" };
  const id = contentId(JSON.stringify(facts));
  await database.pool.query(
    `with moved as (
       update cached_verdicts set address_key = $1, facts_id = $2 where address_key = $3 returning expires_on
     )
     insert into cached_facts select $2, expires_on, $4 from moved`,
    [addressKey(accountId, "ann@before.test", 1), id, addressKey(accountId, "ann@before.test"), facts],
  );
  const recalled = await openMemory().findFresh(accountId, ["ann@before.test"]);
  expect(recalled.get("ann@before.test")?.evidence).toMatchObject({
    provider: "of-before",
    mailbox: { answer: "accepted", mxHost: "mx.before.test" },
  });
});

test("maintenance creates the partitions that are needed next, and a write that finds none creates it", async () => {
  await using empty = await openTestDatabase();
  const partitions = () => partitionDates(empty.pool, "cached_verdicts");
  expect(await partitions()).toEqual([]);
  const memory = createVerdictCache({ database: empty, log });
  await memory.deleteExpired();
  const ahead = await partitions();
  expect(ahead).toContain(expiryDate(Date.now() + 3 * 24 * HOUR));
  const [account] = await empty.orm
    .insert(accounts)
    .values({ email: "ann@example.com", plan: "payg" })
    .returning();
  memory.store(account!.id, "ann@shop.test", proven, Date.now() - 20 * 24 * HOUR);
  await memory.close();
  expect((await partitions()).length).toBe(ahead.length + 1);
  expect((await memory.findStale(account!.id, ["ann@shop.test"])).size).toBe(1);
  expect(events).toEqual([]);
});
