/** Credits on a real database: charged, reserved, released, and never more than there are. */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createLedger, type Ledger } from "../src/credits/ledger.ts";
import { usageOf } from "../src/credits/usage.ts";
import { chargeOf, expectBooksToAddUp, oneCheck, openAccount } from "./credits-books.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { recordEvents } from "./logged-events.ts";
import { testOnOneDay } from "./one-day.ts";

let database: TestDatabase;
let ledger: Ledger;
const { events, log } = recordEvents();
beforeAll(async () => {
  database = await openTestDatabase();
  ledger = createLedger({ database, log });
});
afterEach(() => expectBooksToAddUp(database));
afterAll(async () => {
  await ledger.close();
  await database.close();
});

const HOUR_MS = 3_600_000;
const hold = (accountId: string, amount: number, holdMs = HOUR_MS, idempotencyKey?: string) =>
  ledger.reserve({ accountId, amount, reference: `work for ${amount}`, holdMs, idempotencyKey });
const refusalOf = (required: number, available: number) =>
  expect.objectContaining({ code: "insufficient_credits", extras: { required, available } });

test("of 200 concurrent charges with 50 credits exactly 50 succeed", async () => {
  const accountId = await openAccount(database, ledger, 50);

  const charges = await Promise.allSettled(
    Array.from({ length: 200 }, () => ledger.charge(chargeOf(accountId))),
  );

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
        ledger.charge(chargeOf(accountIds[place]!, { amount })),
        ledger.charge(chargeOf(accountIds[place]!, { amount, usage: oneCheck("risky", key) })),
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
  expect(used).toMatchObject([{ valid: 0, risky: 2, credits_used: 10 }]);
});

test("a charge that is too large does not block a smaller one behind it", async () => {
  const accountId = await openAccount(database, ledger, 10);

  const outcomes = await Promise.allSettled(
    [4, 20, 5, 2, 1].map((amount) => ledger.charge(chargeOf(accountId, { amount }))),
  );

  expect(outcomes).toEqual([
    { status: "fulfilled", value: 6 },
    { status: "rejected", reason: refusalOf(20, 6) },
    { status: "fulfilled", value: 1 },
    { status: "rejected", reason: refusalOf(2, 1) },
    { status: "fulfilled", value: 0 },
  ]);
});

test("reserved credits cannot be spent twice, and are released on disposal", async () => {
  const accountId = await openAccount(database, ledger, 10);
  {
    await using given_up = await hold(accountId, 8);
    expect(given_up.balance).toBe(2);
    await expect(ledger.charge(chargeOf(accountId, { amount: 3 }))).rejects.toEqual(refusalOf(3, 2));
    await expect(hold(accountId, 3)).rejects.toEqual(refusalOf(3, 2));
    expect(await ledger.balanceOf(accountId)).toEqual({ balance: 2, reserved: 8 });
  }
  expect(await ledger.balanceOf(accountId)).toEqual({ balance: 10, reserved: 0 });
});

testOnOneDay("reserved credits are spent and counted as usage when settled", async () => {
  const accountId = await openAccount(database, ledger, 10);
  const keyId = randomUUID();
  const today = new Date().toISOString().slice(0, 10);
  const used = () => usageOf(database, accountId, { from: today, to: today, keyId: undefined });
  {
    await using done = await hold(accountId, 3);
    expect(await used()).toEqual([]);
    const use = { keyId, counts: { valid: 1, invalid: 1, risky: 0, unknown: 1 } };
    expect(await done.settle(use)).toBe(7);
  }
  expect(await ledger.balanceOf(accountId)).toEqual({ balance: 7, reserved: 0 });
  const settled = { date: today, key_id: keyId, valid: 1, invalid: 1, risky: 0, unknown: 1, credits_used: 3 };
  expect(await used()).toEqual([settled]);

  await Promise.all([
    ledger.charge(chargeOf(accountId, { usage: oneCheck("risky", keyId) })),
    ledger.charge(chargeOf(accountId, { usage: oneCheck("invalid") })), // by the web app
    ledger.charge(chargeOf(accountId, { amount: 50 })).catch(() => {}), // counts nothing
  ]);
  expect(await used()).toEqual([
    { ...settled, risky: 1, credits_used: 4 },
    { date: today, key_id: null, valid: 0, invalid: 1, risky: 0, unknown: 0, credits_used: 1 },
  ]);
  expect(await usageOf(database, accountId, { from: today, to: today, keyId: randomUUID() })).toEqual([]);
});

test("reservations of a dead process are released once on expiry", async () => {
  const accountId = await openAccount(database, ledger, 10);
  const neighbour = createLedger({ database });
  for (let held = 0; held < 5; held++) await hold(accountId, 1, -1); // never disposed of
  await using alive = await hold(accountId, 1);

  const released = await Promise.all([
    ledger.releaseExpired(),
    neighbour.releaseExpired(),
    ledger.releaseExpired(),
  ]);

  expect(released.reduce((sum, count) => sum + count)).toBe(5);
  expect(await ledger.balanceOf(accountId)).toEqual({ balance: 9, reserved: 1 });
  await alive.settle(oneCheck());
});

test("work that outlasts its reservation is charged if the balance allows, and otherwise free", async () => {
  const accountId = await openAccount(database, ledger, 10);
  const [late, later] = [await hold(accountId, 4, -1), await hold(accountId, 4, -1)];
  expect(await ledger.releaseExpired()).toBe(2);
  await ledger.charge(chargeOf(accountId, { amount: 5 }));

  expect(await late.settle(oneCheck())).toBe(1);
  expect(events).toEqual([]);
  expect(await later.settle(oneCheck())).toBe(1);
  expect(events).toMatchObject([{ event: "charge_missed", amount: 4 }]);
});

test("a repeated idempotency key is not charged again", async () => {
  const accountId = await openAccount(database, ledger, 10);
  {
    await using slow = await hold(accountId, 2, HOUR_MS, "order 1");
    expect(await ledger.charge(chargeOf(accountId, { amount: 2, idempotencyKey: "order 1" }))).toBe(6);
    expect(await ledger.charge(chargeOf(accountId, { amount: 2, idempotencyKey: "order 1" }))).toBe(6);
    expect(await slow.settle(oneCheck())).toBe(8); // released
  }
  const outsider = await openAccount(database, ledger, 10);
  expect(await ledger.charge(chargeOf(outsider, { amount: 2, idempotencyKey: "order 1" }))).toBe(8); // its own order 1
});

test("a repeated idempotency key needs no credits", async () => {
  const accountId = await openAccount(database, ledger, 2);
  {
    await using first = await hold(accountId, 2, HOUR_MS, "order 3");
    expect(await first.settle(oneCheck())).toBe(0);
  }
  const { total } = await ledger.page(accountId, { skip: 0, limit: 1 });
  {
    await using again = await hold(accountId, 2, HOUR_MS, "order 3");
    expect([again.balance, await again.settle(oneCheck())]).toEqual([0, 0]);
    await using givenUp = await hold(accountId, 2, HOUR_MS, "order 3");
    expect(givenUp.balance).toBe(0);
  }
  expect(await ledger.balanceOf(accountId)).toEqual({ balance: 0, reserved: 0 });
  expect((await ledger.page(accountId, { skip: 0, limit: 1 })).total).toBe(total);
  await expect(hold(accountId, 2, HOUR_MS, "order 4")).rejects.toEqual(refusalOf(2, 0));
});

test("an idempotency key whose first attempt was refused can be used", async () => {
  const accountId = await openAccount(database, ledger, 1);
  const tries = await Promise.allSettled(
    [3, 1].map((amount) => ledger.charge(chargeOf(accountId, { amount, idempotencyKey: "order 2" }))),
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
    for (let n = 0; n < 50; n++) await ledger.charge(chargeOf(accountId, { amount: 1 }));
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
  for (let charge = 1; charge <= 6; charge++) {
    await ledger.charge(chargeOf(accountId, { amount: charge, reference: `charge ${charge}` }));
  }
  const first = await ledger.page(accountId, { skip: 0, limit: 4 });
  const second = await ledger.page(accountId, { skip: 4, limit: 4 });
  expect(first.total).toBe(7);
  expect([...first.entries, ...second.entries].map(({ reference }) => reference)).toEqual([
    ...[6, 5, 4, 3, 2, 1].map((charge) => `charge ${charge}`),
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
  await expect(ledger.charge(chargeOf(unknownAccount))).rejects.toEqual(refusalOf(1, 0));
  await expect(hold(unknownAccount, 2)).rejects.toEqual(refusalOf(2, 0));
});

test("spending zero or fractional credits throws", async () => {
  const accountId = await openAccount(database, ledger, 10);
  for (const amount of [0, -1, 0.5, Number.NaN]) {
    await expect(ledger.charge(chargeOf(accountId, { amount }))).rejects.toThrow(RangeError);
    await expect(hold(accountId, amount)).rejects.toThrow(RangeError);
  }
});
