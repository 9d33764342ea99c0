/** Credits on a real database: charged, reserved, released, and never more than there are. */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createLedger, type Ledger } from "../src/credits/ledger.ts";
import { usageOf } from "../src/credits/usage.ts";
import { createVerdictCounts } from "../src/credits/verdict-counts.ts";
import { charge, expectBooksToAddUp, openAccount, requestOf, reserve, settle } from "./credits-books.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { testOnOneDay } from "./one-day.ts";

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

const refusalOf = (required: number, available: number) =>
  expect.objectContaining({ code: "insufficient_credits", extras: { required, available } });

test("of 200 concurrent charges with 50 credits exactly 50 succeed", async () => {
  const accountId = await openAccount(database, ledger, 50);

  const charges = await Promise.allSettled(Array.from({ length: 200 }, () => charge(ledger, accountId)));

  const refused = charges.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(150);
  for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).toEqual(refusalOf(1, 0));
  expect(await ledger.balanceOf(accountId)).toEqual({ balance: 0, reserved: 0 });
});

test("concurrent charges of several accounts have separate balances and usage, whether or not all can pay", async () => {
  const accountIds = await Promise.all([30, 30, 2].map((credits) => openAccount(database, ledger, credits)));
  const key = randomUUID();
  const chargeRound = (amounts: readonly number[]) =>
    Promise.allSettled(
      amounts.flatMap((amount, place) => [
        charge(ledger, accountIds[place]!, { amount }),
        charge(ledger, accountIds[place]!, { amount, keyId: key }),
      ]),
    );

  const balances = (await chargeRound([3, 5, 1])).map((one) => one.status === "fulfilled" && one.value);
  expect(balances).toEqual([27, 24, 25, 20, 1, 0]);

  const outcomes = await chargeRound([3, 5, 1]); // the third has nothing left, the others are not affected
  expect(outcomes.map((one) => (one.status === "fulfilled" ? one.value : one.reason))).toEqual([
    ...[21, 18, 15, 10],
    ...[refusalOf(1, 0), refusalOf(1, 0)],
  ]);

  const ever = { from: "2000-01-01", to: "2999-12-31", keyId: key };
  const used = await usageOf(database, accountIds[1]!, ever);
  expect(used).toMatchObject([{ credits_used: 10 }]);
});

test("a charge that is too large does not block a smaller one behind it", async () => {
  const accountId = await openAccount(database, ledger, 10);

  const outcomes = await Promise.allSettled(
    [4, 20, 5, 2, 1].map((amount) => charge(ledger, accountId, { amount })),
  );

  expect(outcomes).toEqual([
    { status: "fulfilled", value: 6 },
    { status: "rejected", reason: refusalOf(20, 6) },
    { status: "fulfilled", value: 1 },
    { status: "rejected", reason: refusalOf(2, 1) },
    { status: "fulfilled", value: 0 },
  ]);
});

test("reserved credits cannot be spent twice, and are released when nothing was used", async () => {
  const accountId = await openAccount(database, ledger, 10);
  const run = randomUUID();
  await reserve(database, accountId, 8, run);
  await expect(charge(ledger, accountId, { amount: 3 })).rejects.toEqual(refusalOf(3, 2));
  await expect(reserve(database, accountId, 3, randomUUID())).rejects.toEqual(refusalOf(3, 2));
  expect(await ledger.balanceOf(accountId)).toEqual({ balance: 2, reserved: 8 });
  await settle(database, accountId, 0, run);
  expect(await ledger.balanceOf(accountId)).toEqual({ balance: 10, reserved: 0 });
});

testOnOneDay(
  "credits are counted per day and key when they are spent, and when they are refunded",
  async () => {
    const accountId = await openAccount(database, ledger, 10);
    const [keyId, run] = [randomUUID(), randomUUID()];
    const today = new Date().toISOString().slice(0, 10);
    const used = () => usageOf(database, accountId, { from: today, to: today, keyId: undefined });
    await reserve(database, accountId, 5, run, keyId);
    expect(await used()).toEqual([]);
    await settle(database, accountId, 4, run, 1);
    const none = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
    const byKey = { date: today, key_id: keyId, ...none, credits_used: 3 };
    expect(await used()).toEqual([byKey]);

    await Promise.all([
      charge(ledger, accountId, { keyId }),
      charge(ledger, accountId), // by the web app
      charge(ledger, accountId, { amount: 50 }).catch(() => {}), // counts nothing
    ]);
    const byWebApp = { date: today, key_id: null, ...none, credits_used: 1 };
    expect(await used()).toEqual([{ ...byKey, credits_used: 4 }, byWebApp]);
    expect(await usageOf(database, accountId, { from: today, to: today, keyId: randomUUID() })).toEqual([]);

    const counts = createVerdictCounts(database.pool);
    counts.add(accountId, keyId, { ...none, valid: 1, risky: 2 });
    counts.add(accountId, keyId, { ...none, valid: 1, unknown: 3 });
    counts.add(accountId, null, { ...none, invalid: 1 });
    counts.add(randomUUID(), null, { ...none, invalid: 1 }); // erased meanwhile
    await counts.flush();
    expect(await used()).toEqual([
      { ...byKey, valid: 2, risky: 2, unknown: 3, credits_used: 4 },
      { ...byWebApp, invalid: 1 },
    ]);
  },
);

test("verdicts are counted later when the database is away", async () => {
  const accountId = await openAccount(database, ledger, 0);
  let isAway = true;
  const query = (...asked: never[]) =>
    isAway
      ? Promise.reject(new Error("away"))
      : (database.pool.query as (...asked: never[]) => never)(...asked);
  const counts = createVerdictCounts(Object.assign(Object.create(database.pool), { query }));
  const one = { valid: 1, invalid: 0, risky: 0, unknown: 0 };
  counts.add(accountId, null, one);
  await expect(counts.flush()).rejects.toThrow("away");
  counts.add(accountId, null, one);
  isAway = false;
  await counts.flush();
  const ever = { from: "2000-01-01", to: "2999-12-31", keyId: undefined };
  expect(await usageOf(database, accountId, ever)).toMatchObject([{ valid: 2, credits_used: 0 }]);
});

test("a repeated idempotency key is not charged again, and needs no credits", async () => {
  const accountId = await openAccount(database, ledger, 2);
  const order = { amount: 2, idempotencyKey: "order 1" };
  const together = [1, 2, 3].map(() => charge(ledger, accountId, order)); // in one statement
  expect(await Promise.all(together)).toEqual([0, 0, 0]);
  expect(await charge(ledger, accountId, order)).toBe(0);
  expect((await ledger.page(accountId, { skip: 0, limit: 9 })).total).toBe(2);
  await expect(charge(ledger, accountId, { idempotencyKey: "order 2" })).rejects.toEqual(refusalOf(1, 0));
  const outsider = await openAccount(database, ledger, 10);
  expect(await charge(ledger, outsider, order)).toBe(8); // its own order 1
});

test("a request charges once", async () => {
  const accountId = await openAccount(database, ledger, 5);
  const request = requestOf(accountId);
  await ledger.charge(request, 2);
  await expect(ledger.charge(request, 2)).rejects.toThrow("has charged already");
  expect(await ledger.balanceOf(accountId)).toEqual({ balance: 3, reserved: 0 });
});

test("an idempotency key whose first attempt was refused can be used", async () => {
  const accountId = await openAccount(database, ledger, 1);
  const tries = await Promise.allSettled(
    [3, 1].map((amount) => charge(ledger, accountId, { amount, idempotencyKey: "order 2" })),
  );
  expect(tries).toMatchObject([{ status: "rejected" }, { status: "fulfilled", value: 0 }]);
});

test("a reference with half a surrogate pair is stored with a replacement character", async () => {
  const accountId = await openAccount(database, ledger, 0);
  const granted = await ledger.grant({
    accountId,
    amount: 1,
    reference: "note \ud800",
    idempotencyKey: undefined,
  });
  expect(granted.reference).toBe("note \ufffd");
});

test("the operator can grant credits and remove what is left, but no more", async () => {
  const accountId = await openAccount(database, ledger, 0);
  const grant = (amount: number) =>
    ledger.grant({ accountId, amount, reference: "invoice 7", idempotencyKey: undefined });
  expect(await grant(10)).toMatchObject({
    kind: "grant",
    amount: 10,
    balance_after: 10,
    reference: "invoice 7",
  });
  expect(await grant(-4)).toMatchObject({ kind: "adjust", amount: -4, reserved_change: 0, balance_after: 6 });
  await expect(grant(-7)).rejects.toEqual(refusalOf(7, 6));
});

test("a grant under an idempotency key happens once per account", async () => {
  const [one, other] = [await openAccount(database, ledger, 0), await openAccount(database, ledger, 0)];
  const grant = (accountId: string, amount: number, idempotencyKey: string) =>
    ledger.grant({ accountId, amount, reference: "invoice 8", idempotencyKey });
  const first = await grant(one, 10, "gift");
  expect(await grant(one, 10, "gift")).toEqual(first);
  expect(await grant(one, -10, "mistake")).toMatchObject({ amount: -10, balance_after: 0 });
  expect(await grant(one, -10, "mistake")).toMatchObject({ amount: -10, balance_after: 0 });
  expect((await ledger.page(one, { skip: 0, limit: 10 })).total).toBe(2);
  expect(await grant(other, 10, "gift")).toMatchObject({ balance_after: 10 });
});

test("the balance that comes with a page is that after its newest entry, also while credits are spent", async () => {
  const accountId = await openAccount(database, ledger, 100);
  let isSpending = true;
  const spend = async () => {
    for (let n = 0; n < 50; n++) await charge(ledger, accountId, { amount: 1 });
    isSpending = false;
  };
  const read = async () => {
    while (isSpending) {
      const { balance, entries } = await ledger.page(accountId, { skip: 0, limit: 1 });
      expect(entries).toMatchObject([{ balance_after: balance }]);
    }
  };
  await Promise.all([spend(), read()]);
});

test("the ledger is read in pages, newest first", async () => {
  const accountId = await openAccount(database, ledger, 100);
  for (let amount = 1; amount <= 6; amount++)
    await charge(ledger, accountId, { amount, reference: `charge ${amount}` });
  const first = await ledger.page(accountId, { skip: 0, limit: 4 });
  const second = await ledger.page(accountId, { skip: 4, limit: 4 });
  expect(first.total).toBe(7);
  expect([...first.entries, ...second.entries].map(({ reference }) => reference)).toEqual([
    ...[6, 5, 4, 3, 2, 1].map((amount) => `charge ${amount}`),
    "welcome",
  ]);
  expect(first.entries[0]).toEqual({
    id: expect.stringMatching(/^\d+$/),
    kind: "settle",
    amount: -6,
    reserved_change: 0,
    balance_after: 79,
    reference: "charge 6",
    reference_kind: "request",
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
});

test("an account without a balance has no credits", async () => {
  const unknownAccount = randomUUID();
  expect(await ledger.balanceOf(unknownAccount)).toEqual({ balance: 0, reserved: 0 });
  await expect(charge(ledger, unknownAccount)).rejects.toEqual(refusalOf(1, 0));
  await expect(reserve(database, unknownAccount, 2, randomUUID())).rejects.toEqual(refusalOf(2, 0));
});

test("spending zero or fractional credits throws", async () => {
  const accountId = await openAccount(database, ledger, 10);
  for (const amount of [0, -1, 0.5, Number.NaN])
    await expect(charge(ledger, accountId, { amount })).rejects.toThrow(RangeError);
  for (const amount of [-1, 0.5, Number.NaN])
    await expect(reserve(database, accountId, amount, randomUUID())).rejects.toThrow(RangeError);
});
