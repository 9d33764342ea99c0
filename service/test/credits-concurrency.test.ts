/** Credits when several processes spend them at once, and when the database fails in the middle. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createLedger, type Ledger } from "../src/credits/ledger.ts";
import { openDatabase } from "../src/db/database.ts";
import { charge, expectBooksToAddUp, openAccount, requestOf, reserve, settle } from "./credits-books.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { beginHolder } from "./lock-waits.ts";

let database: TestDatabase;
/** Each with its own pool, like three processes. */
let ledgers: Ledger[];
const closers: (() => Promise<void>)[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  ledgers = [1, 2, 3].map(() => {
    const own = openDatabase({ connection: database.connection, maxConnections: 2 });
    closers.push(own.close);
    return createLedger({ database: own });
  });
});
afterEach(() => expectBooksToAddUp(database));
afterAll(async () => {
  for (const close of closers) await close();
  await database.close();
});

test("of 900 charges by three processes against 500 credits exactly 500 succeed", async () => {
  const accountId = await openAccount(database, ledgers[0]!, 500);
  const charges = ledgers.flatMap((ledger) =>
    Array.from({ length: 300 }, async (_, turn) => {
      await pause(turn % 40); // so that their statements overlap often
      return charge(ledger, accountId);
    }),
  );
  const outcomes = await Promise.allSettled(charges);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(500);
  expect(await ledgers[1]!.balanceOf(accountId)).toEqual({ balance: 0, reserved: 0 });
});

test("50 concurrent attempts in two processes under one idempotency key are charged once", async () => {
  const accountId = await openAccount(database, ledgers[0]!, 10);
  const order = { amount: 1, idempotencyKey: "order" };
  await Promise.all(Array.from({ length: 50 }, (_, turn) => charge(ledgers[turn % 2]!, accountId, order)));
  expect(await ledgers[2]!.balanceOf(accountId)).toEqual({ balance: 9, reserved: 0 });
});

test("processes that use the same accounts in different orders do not deadlock", async () => {
  const accountIds = await Promise.all(
    Array.from({ length: 12 }, () => openAccount(database, ledgers[0]!, 40)),
  );
  const work = ledgers.map(async (ledger, process) => {
    for (let round = 0; round < 8; round++) {
      const inItsOrder = accountIds.map(
        (_, place) => accountIds[(place * (process === 1 ? 11 : 1) + round) % 12]!,
      );
      await Promise.all(
        inItsOrder.map(async (accountId, place) => {
          if (place % 3 === 0) {
            const run = randomUUID();
            await reserve(database, accountId, 1, run);
            return settle(database, accountId, round % 2, run);
          }
          const request = requestOf(accountId);
          await ledger.charge(request, 1);
          if (place % 3 === 1) await ledger.refund(request, "all");
        }),
      );
    }
  });
  await Promise.all(work); // 24 charges or reservations per account, and all of them fit
});

test("two processes charge one idempotency key once, and both return the balance", async () => {
  const accountId = await openAccount(database, ledgers[0]!, 10);
  await using lock = await lockBalance(accountId);
  const order = { amount: 4, idempotencyKey: "order" };
  const charges = Promise.all([
    charge(ledgers[0]!, accountId, order),
    charge(ledgers[1]!, accountId, order),
    charge(ledgers[1]!, accountId), // in the same statement, but unrelated
  ]);
  await lock.untilBlocked(2);
  await lock.commit();
  await charges;
  expect(await ledgers[0]!.balanceOf(accountId)).toEqual({ balance: 5, reserved: 0 });
});

test("two processes adjust credits under one idempotency key once, and both return the entry", async () => {
  const accountId = await openAccount(database, ledgers[0]!, 10);
  await using lock = await lockBalance(accountId);
  const grant = { accountId, amount: -10, reference: "a mistake", idempotencyKey: "order" };
  const entries = Promise.all([ledgers[0]!.grant(grant), ledgers[1]!.grant(grant)]);
  await lock.untilBlocked(2);
  await lock.commit();
  const [one, other] = await entries;
  expect(one).toMatchObject({ kind: "adjust", amount: -10, balance_after: 0 });
  expect(other).toEqual(one);
  expect((await ledgers[2]!.page(accountId, { skip: 0, limit: 10 })).total).toBe(2);
});

test("close waits for everything submitted before", async () => {
  const ledger = createLedger({ database });
  const accountId = await openAccount(database, ledger, 700);
  const charges = Promise.all(Array.from({ length: 700 }, () => charge(ledger, accountId)));
  await ledger.close();
  expect(await ledger.balanceOf(accountId)).toEqual({ balance: 0, reserved: 0 });
  await charges;
});

/** Locks an account's balance row like another transaction, until disposed. */
async function lockBalance(accountId: string) {
  const holder = await beginHolder(database.pool);
  await holder.query("select from balances where account_id = $1 for update", [accountId]);
  return holder;
}
