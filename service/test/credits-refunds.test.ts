/** A charge stands once its answer was sent; otherwise it is refunded, and may be made again. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLedger, type Ledger } from "../src/credits/ledger.ts";
import { unansweredCharges } from "../src/credits/schema.ts";
import {
  chargeOf,
  countUnanswered,
  expectBooksToAddUp,
  expireUnanswered,
  oneCheck,
  openAccount,
} from "./credits-books.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

/** No batch is split because a test is slow. */
const NEVER_MS = 24 * 3600 * 1000;

let database: TestDatabase;
let ledger: Ledger;
beforeAll(async () => {
  database = await openTestDatabase();
  ledger = createLedger({ database, splitAfterMs: NEVER_MS });
});
afterAll(async () => {
  await ledger.close();
  await expectBooksToAddUp(database);
  await database.close();
});

async function refundWhatIsLeft(): Promise<number> {
  await expireUnanswered(database);
  return ledger.refundExpired();
}

async function untilNoneIsLeft(): Promise<void> {
  while ((await countUnanswered(database)) > 0);
}

async function usageOf(accountId: string): Promise<unknown> {
  const text = "select valid, risky, credits_used from usage_days where account_id = $1";
  return (await database.pool.query(text, [accountId])).rows;
}

test("an unconfirmed charge is refunded, including its usage", async () => {
  const account = await openAccount(database, ledger, 10);
  const reference = randomUUID();
  expect(await ledger.charge(chargeOf(account, { reference, amount: 3 }))).toBe(7);
  expect(await ledger.refundExpired()).toBe(0); // not expired yet
  expect(await refundWhatIsLeft()).toBe(1);
  expect(await ledger.balanceOf(account)).toEqual({ balance: 10, reserved: 0 });
  const { entries } = await ledger.page(account, { skip: 0, limit: 10 });
  expect(entries[0]).toMatchObject({
    kind: "refund",
    amount: 3,
    balance_after: 10,
    reference,
    reference_kind: "request",
  });
  expect(await usageOf(account)).toEqual([{ valid: 0, risky: 0, credits_used: 0 }]);
  expect(await refundWhatIsLeft()).toBe(0);
});

test("charged and refunded credits are counted; an insufficient charge is not", async () => {
  const counted: unknown[] = [];
  const own = createLedger({ database, countCredits: (...words) => counted.push(words) });
  const account = await openAccount(database, own, 10);
  const reference = randomUUID();
  await own.charge(chargeOf(account, { reference, amount: 3 }));
  await expect(own.charge(chargeOf(account, { amount: 8 }))).rejects.toMatchObject({
    code: "insufficient_credits",
  });
  own.refund({ accountId: account, chargeKey: reference });
  await own.close();
  expect(counted).toEqual([
    ["charged", 3],
    ["refunded", 3],
  ]);
});

test("a confirmed charge stands", async () => {
  const account = await openAccount(database, ledger, 10);
  const references = [randomUUID(), randomUUID()];
  await Promise.all(references.map((reference) => ledger.charge(chargeOf(account, { reference }))));
  for (const reference of references) ledger.confirm(reference);
  await untilNoneIsLeft();
  for (const chargeKey of references) ledger.refund({ accountId: account, chargeKey }); // too late
  expect(await refundWhatIsLeft()).toBe(0);
  expect(await ledger.balanceOf(account)).toEqual({ balance: 8, reserved: 0 });
});

test("a settled reservation is refunded in the same way", async () => {
  const account = await openAccount(database, ledger, 10);
  const held = await ledger.reserve({
    accountId: account,
    amount: 2,
    reference: randomUUID(),
    holdMs: 60_000,
    idempotencyKey: undefined,
  });
  expect(await held.settle(oneCheck("risky"))).toBe(8);
  expect(await refundWhatIsLeft()).toBe(1);
  expect(await ledger.balanceOf(account)).toEqual({ balance: 10, reserved: 0 });
});

test("many charges of several accounts are refunded together", async () => {
  const accounts = await Promise.all([5, 50, 500].map((credits) => openAccount(database, ledger, credits)));
  await Promise.all(
    accounts.flatMap((account) => [1, 2, 3].map(() => ledger.charge(chargeOf(account, { amount: 1 })))),
  );
  expect(await refundWhatIsLeft()).toBe(9);
  const balances = await Promise.all(accounts.map((account) => ledger.balanceOf(account)));
  expect(balances.map(({ balance }) => balance)).toEqual([5, 50, 500]);
});

test("a repeated idempotency key costs nothing while the charge stands, and is charged after a refund", async () => {
  const account = await openAccount(database, ledger, 10);
  const idempotencyKey = randomUUID();
  const charge = () => ledger.charge(chargeOf(account, { idempotencyKey }));
  expect(await charge()).toBe(9);
  expect(await charge()).toBe(9); // another process takes over, and answers
  ledger.confirm(idempotencyKey);
  await untilNoneIsLeft();
  expect(await charge()).toBe(9);

  const other = randomUUID();
  const chargeOther = () => ledger.charge(chargeOf(account, { idempotencyKey: other }));
  expect(await chargeOther()).toBe(8);
  ledger.refund({ accountId: account, chargeKey: other });
  await untilNoneIsLeft();
  expect(await ledger.balanceOf(account)).toEqual({ balance: 9, reserved: 0 });
  expect(await chargeOther()).toBe(8);
  ledger.confirm(other);
  await untilNoneIsLeft();
});

test("a refund for another account has no effect", async () => {
  const [ann, bob] = await Promise.all([openAccount(database, ledger, 5), openAccount(database, ledger, 5)]);
  const chargeKey = randomUUID();
  await ledger.charge(chargeOf(ann, { reference: chargeKey }));
  ledger.refund({ accountId: bob, chargeKey });
  ledger.refund({ accountId: ann, chargeKey });
  await untilNoneIsLeft();
  expect(await ledger.balanceOf(ann)).toEqual({ balance: 5, reserved: 0 });
  expect(await ledger.balanceOf(bob)).toEqual({ balance: 5, reserved: 0 });
});

test("part of a charge is returned once, and never more than the charge", async () => {
  const account = await openAccount(database, ledger, 10);
  const chargeKey = randomUUID();
  await ledger.charge(chargeOf(account, { reference: chargeKey, amount: 3 }));
  const part = { accountId: account, chargeKey, amount: 2 };
  expect(await Promise.all([1, 2, 3].map(() => ledger.refundPart(part)))).toEqual([9, 9, 9]);
  expect(await usageOf(account)).toEqual([{ valid: 1, risky: 0, credits_used: 1 }]);

  const small = randomUUID();
  await ledger.charge(chargeOf(account, { reference: small }));
  expect(await ledger.refundPart({ ...part, chargeKey: small })).toBe(8); // more than was charged
  expect(await ledger.refundPart({ ...part, chargeKey: randomUUID() })).toBe(8); // no such charge
  for (const key of [chargeKey, small]) ledger.confirm(key);
  await untilNoneIsLeft();
  expect(await ledger.refundPart({ ...part, chargeKey: small, amount: 1 })).toBe(8); // confirmed before
});

test("a charge that was refunded in part and not answered returns the rest, and may be made again", async () => {
  const account = await openAccount(database, ledger, 10);
  const idempotencyKey = randomUUID();
  const part = { accountId: account, chargeKey: idempotencyKey, amount: 2 };
  const charge = () => ledger.charge(chargeOf(account, { idempotencyKey, amount: 3 }));
  await charge();
  expect(await ledger.refundPart(part)).toBe(9);
  expect(await refundWhatIsLeft()).toBe(1);
  expect(await ledger.balanceOf(account)).toEqual({ balance: 10, reserved: 0 });
  expect(await usageOf(account)).toEqual([{ valid: 0, risky: 0, credits_used: 0 }]);

  expect(await charge()).toBe(7);
  expect(await ledger.refundPart(part)).toBe(9);
  ledger.confirm(idempotencyKey);
  await untilNoneIsLeft();
  expect(await ledger.balanceOf(account)).toEqual({ balance: 9, reserved: 0 });
});

test("of partial and whole refunds of one charge at the same moment, together the charge comes back once", async () => {
  const account = await openAccount(database, ledger, 20);
  const keys = Array.from({ length: 20 }, () => randomUUID());
  await Promise.all(keys.map((reference) => ledger.charge(chargeOf(account, { reference }))));
  await Promise.all(
    keys.map((chargeKey) => {
      ledger.refund({ accountId: account, chargeKey });
      return ledger.refundPart({ accountId: account, chargeKey, amount: 1 });
    }),
  );
  await untilNoneIsLeft();
  await expect.poll(() => ledger.balanceOf(account)).toEqual({ balance: 20, reserved: 0 });
});

/** Three charges that are written by one statement, so that they have one row until they are answered. */
async function chargeTogether(by: Ledger, account: string): Promise<[string, string, string]> {
  const references = [randomUUID(), randomUUID(), randomUUID()] as [string, string, string];
  await Promise.all(references.map((reference) => by.charge(chargeOf(account, { reference }))));
  return references;
}

test("of charges that were made together, those stand that were confirmed", async () => {
  const account = await openAccount(database, ledger, 10);
  const [confirmed, refunded, confirmedLater] = await chargeTogether(ledger, account);
  expect(await countUnanswered(database)).toBe(1);
  ledger.confirm(confirmed);
  ledger.refund({ accountId: account, chargeKey: refunded });
  ledger.confirm(confirmedLater);
  await untilNoneIsLeft();
  await expect.poll(() => ledger.balanceOf(account)).toEqual({ balance: 8, reserved: 0 });
  expect(await refundWhatIsLeft()).toBe(0);
  const { entries } = await ledger.page(account, { skip: 0, limit: 1 });
  expect(entries).toMatchObject([{ kind: "refund", reference: refunded }]);
  expect(await usageOf(account)).toEqual([{ valid: 2, risky: 0, credits_used: 2 }]);
});

test("a charge that is never confirmed does not cause a refund of those made together with it", async () => {
  const own = createLedger({ database });
  const account = await openAccount(database, own, 10);
  const [first, second] = await chargeTogether(own, account);
  own.confirm(first);
  own.confirm(second);
  await own.close();
  expect(await countUnanswered(database)).toBe(1);
  expect(await refundWhatIsLeft()).toBe(1);
  expect(await ledger.balanceOf(account)).toEqual({ balance: 8, reserved: 0 });
});

test("the same while the process goes on: charges that are late are separated from the others", async () => {
  const own = createLedger({ database, splitAfterMs: 1 });
  const account = await openAccount(database, own, 10);
  const [first, late, last] = await chargeTogether(own, account);
  own.confirm(first);
  own.confirm(last);
  const left = () => database.orm.select().from(unansweredCharges);
  await expect.poll(left).toMatchObject([{ chargeKey: late, accountId: account, amount: 1, valid: 1 }]);
  own.confirm(late);
  await untilNoneIsLeft();
  await own.close();
});

test("a charge in a batch is refunded with its own amount and usage, and only from its account", async () => {
  const [ann, bob] = await Promise.all([
    openAccount(database, ledger, 20),
    openAccount(database, ledger, 20),
  ]);
  const [firstKey, secondKey] = [randomUUID(), randomUUID()];
  const counts = { valid: 1, invalid: 2, risky: 3, unknown: 4 };
  const charges = [
    chargeOf(ann, { usage: oneCheck("valid", firstKey) }),
    chargeOf(bob, { usage: oneCheck("invalid", firstKey) }),
    chargeOf(ann, { amount: 10, usage: { keyId: secondKey, counts } }),
    chargeOf(ann, { usage: oneCheck("risky", firstKey) }),
  ];
  await Promise.all(charges.map((charge) => ledger.charge(charge)));
  for (const { reference } of [charges[0]!, charges[1]!, charges[3]!]) ledger.confirm(reference);
  ledger.refund({ accountId: ann, chargeKey: charges[2]!.reference });
  await untilNoneIsLeft();
  await expect.poll(() => ledger.balanceOf(ann)).toEqual({ balance: 18, reserved: 0 });
  expect(await ledger.balanceOf(bob)).toEqual({ balance: 19, reserved: 0 });
  const text =
    "select valid, invalid, risky, unknown, credits_used from usage_days where account_id = $1 order by key_id = $2";
  expect((await database.pool.query(text, [ann, secondKey])).rows).toEqual([
    { valid: 1, invalid: 0, risky: 1, unknown: 0, credits_used: 2 },
    { valid: 0, invalid: 0, risky: 0, unknown: 0, credits_used: 0 },
  ]);
});

test("part of a charge in a batch is returned, and all of the batch stands", async () => {
  const account = await openAccount(database, ledger, 10);
  const chargeKeys = await chargeTogether(ledger, account);
  const part = { accountId: account, chargeKey: chargeKeys[1], amount: 1 };
  expect(await ledger.refundPart(part)).toBe(8);
  for (const chargeKey of chargeKeys) ledger.confirm(chargeKey);
  await untilNoneIsLeft();
  expect(await refundWhatIsLeft()).toBe(0);
  expect(await ledger.balanceOf(account)).toEqual({ balance: 8, reserved: 0 });
});

test("many expired batches are refunded at once", async () => {
  const accounts = await Promise.all(Array.from({ length: 25 }, () => openAccount(database, ledger, 5)));
  await Promise.all(accounts.map((account) => ledger.charge(chargeOf(account))));
  expect(await countUnanswered(database)).toBe(25);
  expect(await refundWhatIsLeft()).toBe(25);
});

/** Loses the connection once, after the statement that splits a batch was committed. */
function losingTheAnswerOfOneSplit(): { pool: pg.Pool; isLost: () => boolean } {
  let isLost = false;
  const query = async (text: string, values: unknown[]) => {
    const answer = await database.pool.query(text, values);
    if (isLost || typeof text !== "string" || !text.includes("with batch as")) return answer;
    isLost = true;
    throw new Error("connection lost");
  };
  return { pool: Object.assign(Object.create(database.pool), { query }), isLost: () => isLost };
}

test.for(["refund", "partial refund", "late charge"] as const)(
  "what was confirmed stands when the connection is lost while a batch is split: %s",
  async (cause) => {
    const { pool, isLost } = losingTheAnswerOfOneSplit();
    const own = createLedger({
      database: { ...database, pool },
      splitAfterMs: cause === "late charge" ? 1 : NEVER_MS,
    });
    const account = await openAccount(database, own, 10);
    const [before, split, after] = await chargeTogether(own, account);
    const charge = { accountId: account, chargeKey: split };
    own.confirm(before);
    if (cause === "refund") own.refund(charge);
    if (cause === "partial refund") await expect(own.refundPart({ ...charge, amount: 1 })).rejects.toThrow();
    await expect.poll(isLost).toBe(true);
    own.confirm(after);
    if (cause === "late charge") own.confirm(split);
    await own.close();
    expect(await refundWhatIsLeft()).toBe(cause === "partial refund" ? 1 : 0);
    expect(await ledger.balanceOf(account)).toEqual({
      balance: cause === "late charge" ? 7 : 8,
      reserved: 0,
    });
  },
);
