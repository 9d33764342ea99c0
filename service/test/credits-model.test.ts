/** Credits compared with a model: any requests in any order give the same answers. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Refusal } from "../src/base/refusal.ts";
import { createLedger, type Ledger, type Reservation } from "../src/credits/ledger.ts";
import { chargeOf, expectBooksToAddUp, oneCheck, openAccount } from "./credits-books.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { rounds } from "./rounds.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const account = fc.nat({ max: 1 });
const amount = fc.integer({ min: 1, max: 4 });
const idempotencyKey = fc.option(fc.constantFrom("x", "y"), { nil: undefined, freq: 2 });
const which = fc.nat({ max: 5 }); // index into the reservations so far, modulo their number

const request = fc.oneof(
  fc.record({ ask: fc.constant("charge" as const), account, amount, idempotencyKey }),
  fc.record({ ask: fc.constant("reserve" as const), account, amount, idempotencyKey }),
  fc.record({ ask: fc.constant("settle" as const), which }),
  fc.record({ ask: fc.constant("release" as const), which }),
);
type Request = typeof request extends fc.Arbitrary<infer R> ? R : never;
type Grant = { account: number; grant: number; idempotencyKey: string | undefined };

/** One step: concurrent requests, a grant, or the expiry of all reservations. */
const moment = fc.oneof(
  { weight: 5, arbitrary: fc.array(request, { minLength: 1, maxLength: 7 }) },
  {
    weight: 1,
    arbitrary: fc.record({
      grant: fc.integer({ min: -6, max: 6 }).filter((n) => n !== 0),
      account,
      idempotencyKey,
    }),
  },
  { weight: 1, arbitrary: fc.constant("expiry" as const) },
);

test("any sequence of requests, some concurrent, matches the model", {
  timeout: 540_000,
}, async () => {
  const start = fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 }));
  await fc.assert(
    fc.asyncProperty(start, fc.array(moment, { maxLength: 12 }), async (credits, moments) => {
      await database.pool.query("delete from accounts"); // cascades to everything else
      const ledger = createLedger({ database });
      const real = await realBooks(ledger, credits);
      const model = modelBooks(credits);
      for (const one of moments) {
        if (one === "expiry") {
          await database.pool.query("update reservations set expires_at = now() - interval '1 second'");
          expect(await ledger.releaseExpired()).toBe(model.expire());
        } else if ("grant" in one) {
          expect(await real.grant(one)).toEqual(model.grant(one));
        } else {
          expect(await Promise.all(one.map(real.ask))).toEqual(model.askTogether(one));
        }
      }
      expect(await Promise.all([0, 1].map(real.balance))).toEqual(model.balances());
      await expectBooksToAddUp(database);
    }),
    { numRuns: rounds(40) },
  );
});

/** A balance, or the required and available amounts. */
type Answer = number | string | undefined;

async function realBooks(ledger: Ledger, credits: readonly number[]) {
  const ids = await Promise.all(credits.map((count) => openAccount(database, ledger, count)));
  const held: Reservation[] = [];
  const inWords = (error: unknown): Answer => {
    if (!(error instanceof Refusal)) throw error;
    return `wants ${error.extras.required}, has ${error.extras.available}`;
  };
  const ask = async (wanted: Request): Promise<Answer> => {
    if (wanted.ask === "charge") {
      const { amount, idempotencyKey } = wanted;
      return ledger.charge(chargeOf(ids[wanted.account]!, { amount, idempotencyKey })).catch(inWords);
    }
    if (wanted.ask === "reserve") {
      const { account, ask: _, ...rest } = wanted;
      const hold = { accountId: ids[account]!, reference: randomUUID(), holdMs: 60_000, ...rest };
      return ledger.reserve(hold).then((reservation) => {
        held.push(reservation);
        return reservation.balance;
      }, inWords);
    }
    const reservation = held[wanted.which % held.length];
    if (wanted.ask === "settle") return reservation?.settle(oneCheck());
    return reservation?.[Symbol.asyncDispose]().then(() => undefined);
  };
  return {
    ask,
    grant: ({ account, grant: amount, idempotencyKey }: Grant) =>
      ledger
        .grant({ accountId: ids[account]!, amount, reference: "grant", idempotencyKey })
        .then((entry) => entry.balance_after, inWords),
    balance: (account: number) => ledger.balanceOf(ids[account]!),
  };
}

function modelBooks(credits: readonly number[]) {
  // An idempotency key is stored with the balance after its charge.
  const books = credits.map((balance) => ({ balance, reserved: 0, under: new Map<string, number>() }));
  const held: {
    account: number;
    amount: number;
    idempotencyKey: string | undefined;
    isHeld: boolean;
    isSettled: boolean;
  }[] = [];

  function giveBack(one: (typeof held)[number]): void {
    const book = books[one.account]!;
    book.balance += one.amount;
    book.reserved -= one.amount;
    one.isHeld = false;
  }
  function spend(account: number, amount: number, idempotencyKey: string | undefined): Answer {
    const book = books[account]!;
    if (book.balance < amount) return `wants ${amount}, has ${book.balance}`;
    book.balance -= amount;
    if (idempotencyKey) book.under.set(idempotencyKey, book.balance);
    return book.balance;
  }
  function isRepeated(account: number, idempotencyKey: string | undefined): boolean {
    return idempotencyKey !== undefined && books[account]!.under.has(idempotencyKey);
  }
  function ask(wanted: Request): Answer {
    if (wanted.ask === "charge") {
      const { account, amount, idempotencyKey } = wanted;
      return isRepeated(account, idempotencyKey)
        ? books[account]!.balance
        : spend(account, amount, idempotencyKey);
    }
    if (wanted.ask === "reserve") {
      const { account, amount, idempotencyKey } = wanted;
      const isHeld = !isRepeated(account, idempotencyKey);
      const answer = isHeld ? spend(account, amount, undefined) : books[account]!.balance;
      if (typeof answer === "number") {
        if (isHeld) books[account]!.reserved += amount;
        held.push({ account, amount, idempotencyKey, isHeld, isSettled: false });
      }
      return answer;
    }
    const one = held[wanted.which];
    if (!one) return undefined;
    if (wanted.ask === "release") {
      if (one.isHeld) giveBack(one);
      return undefined;
    }
    const book = books[one.account]!;
    one.isSettled = true;
    if (one.isHeld) giveBack(one);
    if (!isRepeated(one.account, one.idempotencyKey)) spend(one.account, one.amount, one.idempotencyKey);
    return book.balance;
  }

  /** In order of arrival, except that requests for the same reservation or idempotency key are serialised. */
  function askTogether(requests: readonly Request[]): Answer[] {
    const answers: Answer[] = [];
    const known = held.length; // what is reserved at this moment can be settled at the next
    let waiting = requests.map((request, place) => {
      const wanted = "which" in request ? { ...request, which: request.which % known } : request;
      return { wanted, place, names: namesOf(wanted) };
    });
    while (waiting.length > 0) {
      const taken = new Set<string>();
      waiting = waiting.filter(({ wanted, place, names }) => {
        if (names.some((name) => taken.has(name))) return true;
        for (const name of names) taken.add(name);
        answers[place] = ask(wanted);
        return false;
      });
    }
    return answers;
  }

  function namesOf(wanted: Request): string[] {
    const names: string[] = [];
    const one = "which" in wanted ? held[wanted.which] : undefined;
    // Releasing a settled reservation does nothing and does not wait.
    if (one && !(wanted.ask === "release" && one.isSettled)) names.push(`held ${held.indexOf(one)}`);
    const spending = wanted.ask === "settle" ? one : wanted.ask === "release" ? undefined : wanted;
    if (spending?.idempotencyKey) names.push(`${spending.account} ${spending.idempotencyKey}`);
    return names;
  }

  return {
    askTogether,
    grant: ({ account, grant, idempotencyKey }: Grant): Answer =>
      isRepeated(account, idempotencyKey)
        ? books[account]!.under.get(idempotencyKey!)
        : spend(account, -grant, idempotencyKey),
    expire(): number {
      const late = held.filter((one) => one.isHeld);
      for (const one of late) giveBack(one);
      return late.length;
    },
    balances: () => books.map(({ balance, reserved }) => ({ balance, reserved })),
  };
}
