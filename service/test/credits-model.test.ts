/** Credits compared with a model: any requests and runs in any order give the same answers. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Refusal } from "../src/base/refusal.ts";
import { createLedger, type Ledger } from "../src/credits/ledger.ts";
import { expectBooksToAddUp, openAccount, requestOf, reserve, settle } from "./credits-books.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { rounds } from "./rounds.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const account = fc.nat({ max: 1 });
const amount = fc.integer({ min: 1, max: 4 });
const key = fc.constantFrom("x", "y", "z");

const request = fc.oneof(
  fc.record({ ask: fc.constant("charge" as const), account, amount, key }),
  fc.record({
    ask: fc.constant("refund" as const),
    account,
    key,
    returned: fc.nat({ max: 4 }),
    isAll: fc.boolean(),
  }),
);
type Request = typeof request extends fc.Arbitrary<infer R> ? R : never;

/** One step: concurrent requests, a grant, or the begin or end of a run. */
const moment = fc.oneof(
  { weight: 5, arbitrary: fc.array(request, { minLength: 1, maxLength: 7 }) },
  fc.record({ ask: fc.constant("grant" as const), account, amount: fc.integer({ min: 1, max: 6 }), key }),
  fc.record({ ask: fc.constant("adjust" as const), account, amount: fc.integer({ min: 1, max: 6 }), key }),
  fc.record({ ask: fc.constant("reserve" as const), account, amount: fc.nat({ max: 8 }), key }),
  fc.record({ ask: fc.constant("settle" as const), account, share: fc.nat({ max: 4 }), key }),
);
type Moment = Exclude<typeof moment extends fc.Arbitrary<infer R> ? R : never, Request[]>;

test("any sequence of requests, some concurrent, matches the model", { timeout: 540_000 }, async () => {
  const start = fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 }));
  await fc.assert(
    fc.asyncProperty(start, fc.array(moment, { maxLength: 16 }), async (credits, moments) => {
      await database.pool.query("delete from accounts");
      await database.pool.query("delete from ledger");
      const ledger = createLedger({ database });
      const ids = await Promise.all(credits.map((count) => openAccount(database, ledger, count)));
      const real = realBooks(ledger, ids);
      const model = modelBooks(credits);
      for (const one of moments) {
        if (Array.isArray(one)) expect(await Promise.all(one.map(real.ask))).toEqual(one.map(model.ask));
        else expect(await real.at(one)).toEqual(model.at(one));
        expect(await Promise.all(ids.map((id) => ledger.balanceOf(id)))).toEqual(model.balances());
      }
      await expectBooksToAddUp(database);
    }),
    { numRuns: rounds(60) },
  );
});

/** The balance after it, or the required and available amounts. */
type Answer = number | string | undefined;

function realBooks(ledger: Ledger, ids: readonly string[]) {
  const inWords = (error: unknown): Answer => {
    if (!(error instanceof Refusal)) throw error;
    return `wants ${error.extras.required}, has ${error.extras.available}`;
  };
  const nothing = () => undefined;
  const runs = new Map<string, { id: string; amount: number }>();
  return {
    async ask(one: Request): Promise<Answer> {
      const asked = requestOf(ids[one.account]!, { idempotencyKey: one.key });
      if (one.ask === "charge") return ledger.charge(asked, one.amount).then(() => asked.balance, inWords);
      asked.amount = 4;
      asked.returned = one.returned;
      await ledger.refund(asked, one.isAll ? "all" : "returned");
      return asked.balance;
    },
    at(one: Moment): Promise<Answer> {
      const accountId = ids[one.account]!;
      const name = `${one.account} ${one.key}`;
      if (one.ask === "settle") {
        const run = runs.get(name);
        if (!run) return Promise.resolve(undefined);
        const used = Math.floor((run.amount * one.share) / 4);
        return settle(database, accountId, used, run.id, Math.floor(used / 2)).then(nothing);
      }
      if (one.ask === "reserve") {
        if (runs.has(name)) return Promise.resolve(undefined);
        const id = randomUUID();
        return reserve(database, accountId, one.amount, id).then(() => {
          runs.set(name, { id, amount: one.amount });
          return undefined;
        }, inWords);
      }
      const amount = one.ask === "grant" ? one.amount : -one.amount;
      return ledger
        .grant({ accountId, amount, reference: "grant", idempotencyKey: one.key })
        .then((entry) => entry.balance_after, inWords);
    },
  };
}

function modelBooks(credits: readonly number[]) {
  const books = credits.map((balance) => ({
    balance,
    reserved: 0,
    charged: new Map<string, number>(),
    refunded: new Set<string>(),
    granted: new Map<string, number>(), // the balance after it
    runs: new Map<string, { amount: number; isEnded: boolean }>(),
  }));
  return {
    /** In order of arrival. */
    ask(one: Request): Answer {
      const book = books[one.account]!;
      const charged = book.charged.get(one.key);
      if (one.ask === "charge") {
        if (charged !== undefined) return book.balance;
        if (one.amount > book.balance) return `wants ${one.amount}, has ${book.balance}`;
        book.charged.set(one.key, one.amount);
        book.balance -= one.amount;
        return book.balance;
      }
      const refund = one.isAll ? 4 : one.returned;
      if (refund === 0) return undefined; // not asked for
      if (charged !== undefined && refund <= charged && !book.refunded.has(one.key)) {
        book.refunded.add(one.key);
        book.balance += refund;
      }
      return book.balance;
    },
    at(one: Moment): Answer {
      const book = books[one.account]!;
      const run = book.runs.get(one.key);
      if (one.ask === "settle") {
        if (!run || run.isEnded) return undefined;
        const used = Math.floor((run.amount * one.share) / 4);
        book.balance += run.amount - used + Math.floor(used / 2);
        book.reserved -= run.amount;
        run.isEnded = true;
        return undefined;
      }
      if (one.ask === "reserve") {
        if (run) return undefined;
        if (one.amount > book.balance) return `wants ${one.amount}, has ${book.balance}`;
        book.runs.set(one.key, { amount: one.amount, isEnded: false });
        book.balance -= one.amount;
        book.reserved += one.amount;
        return undefined;
      }
      const before = book.granted.get(`${one.ask} ${one.key}`);
      if (before !== undefined) return before;
      const after = book.balance + (one.ask === "grant" ? one.amount : -one.amount);
      if (after < 0) return `wants ${one.amount}, has ${book.balance}`;
      book.balance = after;
      book.granted.set(`${one.ask} ${one.key}`, after);
      return after;
    },
    balances: () => books.map(({ balance, reserved }) => ({ balance, reserved })),
  };
}
