/** A charge gets at most one refund, of all of it or of a part. */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createLedger, type Ledger } from "../src/credits/ledger.ts";
import { charge, expectBooksToAddUp, openAccount, requestOf, reserve, settle } from "./credits-books.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { beginHolder } from "./lock-waits.ts";

let database: TestDatabase;
let ledger: Ledger;
beforeAll(async () => {
  database = await openTestDatabase();
  ledger = createLedger({ database });
});
afterEach(() => expectBooksToAddUp(database));
afterAll(async () => {
  await ledger.close();
  await database.close();
});

async function charged(accountId: string, amount: number, idempotencyKey?: string) {
  const request = requestOf(accountId, idempotencyKey === undefined ? {} : { idempotencyKey });
  await ledger.charge(request, amount);
  return request;
}

async function usageOf(accountId: string): Promise<unknown> {
  const text = "select day::text, credits_used from usage_days where account_id = $1 order by day";
  return (await database.pool.query(text, [accountId])).rows;
}

const balanceOf = async (accountId: string) => (await ledger.balanceOf(accountId)).balance;

test("a refund has the reference of its charge, and is subtracted from the usage of the charge's day", async () => {
  const account = await openAccount(database, ledger, 10);
  const request = await charged(account, 3, "order");
  const yesterday =
    "update ledger set created_at = created_at - interval '1 day' where account_id = $1 and kind = 'settle'";
  await database.pool.query(yesterday, [account]);
  await database.pool.query("update usage_days set day = day - 1 where account_id = $1", [account]);
  // Another process repeats the request, under a request id of its own.
  const repeated = await charged(account, 3, "order");
  await ledger.refund(repeated, "all");
  expect(repeated.balance).toBe(10);
  const { entries } = await ledger.page(account, { skip: 0, limit: 10 });
  expect(entries).toHaveLength(3);
  expect(entries[0]).toMatchObject({
    kind: "refund",
    amount: 3,
    balance_after: 10,
    reference: request.reference,
    reference_kind: "request",
  });
  expect(await usageOf(account)).toEqual([{ day: expect.any(String), credits_used: 0 }]);
});

test("charged and refunded credits are counted for the metrics; a refused charge and a repetition are not", async () => {
  const counted: unknown[] = [];
  const own = createLedger({ database, countCredits: (...words) => counted.push(words) });
  const account = await openAccount(database, own, 10);
  const request = requestOf(account);
  await own.charge(request, 3);
  await expect(charge(own, account, { amount: 8 })).rejects.toMatchObject({ code: "insufficient_credits" });
  request.returned = 2;
  for (const _ of [1, 2]) await own.refund(request, "returned");
  await own.close();
  expect(counted).toEqual([
    ["charged", 3],
    ["refunded", 2],
  ]);
});

test("a refused charge leaves nothing to refund", async () => {
  const account = await openAccount(database, ledger, 1);
  const request = requestOf(account);
  await expect(ledger.charge(request, 2)).rejects.toMatchObject({ code: "insufficient_credits" });
  await ledger.refund(request, "all");
  expect((await ledger.page(account, { skip: 0, limit: 9 })).total).toBe(1);
});

test("of refunds of one charge at the same moment, one is written", async () => {
  const account = await openAccount(database, ledger, 20);
  const requests = await Promise.all(Array.from({ length: 10 }, () => charged(account, 2)));
  const other = createLedger({ database });
  await Promise.all(
    requests.flatMap((request) => {
      request.returned = 1;
      return [
        ledger.refund(request, "returned"),
        other.refund(request, "all"),
        ledger.refund(request, "all"),
      ];
    }),
  );
  expect(await balanceOf(account)).toBeGreaterThanOrEqual(10);
  const text =
    "select count(*)::int as refunds, count(distinct key)::int as keys from ledger where account_id = $1 and kind = 'refund'";
  expect((await database.pool.query(text, [account])).rows).toEqual([{ refunds: 10, keys: 10 }]);
});

test("a refund is never more than the charge, and only from its account", async () => {
  const [ann, bob] = await Promise.all([openAccount(database, ledger, 5), openAccount(database, ledger, 5)]);
  const request = await charged(ann, 2);
  const foreign = Object.assign(requestOf(bob), { key: request.key, amount: 2 });
  await ledger.refund(foreign, "all");
  await ledger.refund(Object.assign(requestOf(ann), { key: request.key, amount: 3 }), "all");
  expect([await balanceOf(ann), await balanceOf(bob)]).toEqual([3, 5]);
  await ledger.refund(request, "all");
  expect(await balanceOf(ann)).toBe(5);
});

test("a charge whose outcome is uncertain is written before its refund, so that a lost statement finds both", async () => {
  const account = await openAccount(database, ledger, 10);
  const request = requestOf(account);
  Object.assign(request, { amount: 4, isUncertain: true });
  await ledger.refund(request, "all");
  expect(await balanceOf(account)).toBe(10);
  expect(await charge(ledger, account, { amount: 4, reference: request.key })).toBe(10); // known
});

test("a connection that is lost while it writes is replaced, and the same charges are written once", async () => {
  const account = await openAccount(database, ledger, 100);
  await using lock = await beginHolder(database.pool);
  await lock.query("select from balances where account_id = $1 for update", [account]);
  const underWay = Promise.all([1, 2, 3].map(() => charge(ledger, account)));
  await lock.untilBlocked(1);
  await lock.breakBlocked();
  await Promise.race([lock.untilBlocked(1), underWay]); // again
  await lock.commit();
  expect(await underWay).toEqual([99, 98, 97]);
});

test("a charge that was committed although the connection was lost is known to its repetition", async () => {
  const account = await openAccount(database, ledger, 10);
  const { pool } = database;
  let lost = 0;
  const connect = async () => {
    const client = await pool.connect();
    const query = async (asked: never) => {
      const answer = await client.query(asked);
      if (lost++ === 0) throw new Error("Connection terminated unexpectedly");
      return answer;
    };
    return { query, release: () => client.release() };
  };
  const own = createLedger({
    database: { ...database, pool: Object.assign(Object.create(pool), { connect }) },
  });
  expect(await charge(own, account, { amount: 3 })).toBe(7);
  expect(lost).toBe(2);
  expect((await ledger.page(account, { skip: 0, limit: 9 })).total).toBe(2);
});

test("without a connection a charge fails at once, and nothing is refunded", async () => {
  const account = await openAccount(database, ledger, 10);
  const connect = () => Promise.reject(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }));
  const pool = Object.assign(Object.create(database.pool), { connect });
  const request = requestOf(account);
  await expect(createLedger({ database: { ...database, pool } }).charge(request, 3)).rejects.toThrow(
    "connect",
  );
  expect([request.amount, request.isUncertain]).toEqual([0, false]);
});

test("a run settles, releases and refunds once, whatever it is asked", async () => {
  const account = await openAccount(database, ledger, 10);
  const run = randomUUID();
  await reserve(database, account, 8, run);
  for (const _ of [1, 2]) await settle(database, account, 5, run, 2);
  expect(await ledger.balanceOf(account)).toEqual({ balance: 7, reserved: 0 });
  const { entries } = await ledger.page(account, { skip: 0, limit: 4 });
  expect(entries).toMatchObject([
    { kind: "refund", amount: 2, reserved_change: 0, reference_kind: "job", reference: `job of ${run}` },
    { kind: "release", amount: 3, reserved_change: -3 },
    { kind: "settle", amount: 0, reserved_change: -5 },
    { kind: "reserve", amount: -8, reserved_change: 8 },
  ]);
});
