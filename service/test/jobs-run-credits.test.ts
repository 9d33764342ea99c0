/** Credits of jobs and concurrent single checks, compared with a model. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Refusal } from "../src/base/refusal.ts";
import { createLedger } from "../src/credits/ledger.ts";
import { charge, expectBooksToAddUp, openAccount, reserve, settle } from "./credits-books.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { rounds } from "./rounds.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const step = fc.oneof(
  fc.record({ kind: fc.constant("hold" as const), amount: fc.nat({ max: 8 }) }),
  fc.record({ kind: fc.constant("settle" as const), which: fc.nat({ max: 5 }), share: fc.nat({ max: 4 }) }),
  fc.record({ kind: fc.constant("charge" as const), amount: fc.integer({ min: 1, max: 4 }) }),
);

test("the balance matches the model for any order of jobs and single checks", async () => {
  const ledger = createLedger({ database });
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 20 }), fc.array(step, { maxLength: 12 }), async (credits, steps) => {
      const accountId = await openAccount(database, ledger, credits);
      let balance = credits;
      const jobs: { id: string; held: number }[] = [];
      for (const one of steps) {
        if (one.kind === "settle") {
          const job = jobs[one.which];
          if (!job) continue;
          const used = Math.floor((job.held * one.share) / 4);
          await settle(database, accountId, used, job.id);
          await settle(database, accountId, used, job.id); // the second time changes nothing
          balance += job.held - used;
          job.held = 0;
          continue;
        }
        const id = randomUUID();
        const spent =
          one.kind === "hold" ? reserve(database, accountId, one.amount, id) : charge(ledger, accountId, one);
        const extras = await spent.then(
          () => undefined,
          (error: Refusal) => error.extras,
        );
        expect(extras).toEqual(
          one.amount > balance ? { required: one.amount, available: balance } : undefined,
        );
        if (extras) continue;
        balance -= one.amount;
        if (one.kind === "hold") jobs.push({ id, held: one.amount });
      }
      const reserved = jobs.reduce((sum, job) => sum + job.held, 0);
      expect(await ledger.balanceOf(accountId)).toEqual({ balance, reserved });
    }),
    { numRuns: rounds(30) },
  );
  await ledger.close();
  await expectBooksToAddUp(database);
});

// Several rounds: how the statements meet differs from one to the next.
test.for(Array.from({ length: rounds(30) }, (_, round) => round))(
  "concurrent jobs and single checks never overdraw the balance, round %i",
  async () => {
    const ledger = createLedger({ database });
    const accountId = await openAccount(database, ledger, 50);
    const ids = Array.from({ length: 8 }, () => randomUUID());
    const tries = ids.flatMap((id) => [
      reserve(database, accountId, 10, id).then(() => settle(database, accountId, 7, id)),
      charge(ledger, accountId, { amount: 3 }),
    ]);
    const outcomes = await Promise.allSettled(tries);
    for (const one of outcomes) if (one.status === "rejected") expect(one.reason).toBeInstanceOf(Refusal);
    await ledger.close();
    await expectBooksToAddUp(database);
    expect((await ledger.balanceOf(accountId)).reserved).toBe(0);
  },
);

test("a job never settles more than it reserved", async () => {
  const ledger = createLedger({ database });
  const accountId = await openAccount(database, ledger, 5);
  const id = randomUUID();
  await reserve(database, accountId, 3, id);
  await expect(settle(database, accountId, 4, id)).rejects.toThrow("used 4 credits");
  await expect(settle(database, accountId, 2, id, 3)).rejects.toThrow("3 of them refunded");
  expect(await ledger.balanceOf(accountId)).toEqual({ balance: 2, reserved: 3 });
  await ledger.close();
});
