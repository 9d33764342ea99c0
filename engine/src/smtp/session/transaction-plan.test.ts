import { expect, test } from "vitest";
import { ProbeRequest } from "../probe-request.ts";
import { type OpenTransaction, planTransactions, type TransactionLimits } from "./transaction-plan.ts";

const LIMITS: TransactionLimits = {
  recipientsPerTransaction: 90,
  oneDomainPerTransaction: false,
  refusalShare: 0.1,
};

function group(domain: string, count: number, smtpUtf8 = false): ProbeRequest[] {
  return Array.from({ length: count }, (_, i) => {
    const recipient = `ann${i}@${domain}`;
    return new ProbeRequest({ recipient, domain, smtpUtf8, isDecoy: false, isInteractive: false }, () => {});
  });
}

const plan = (
  open: OpenTransaction | undefined,
  groups: ProbeRequest[][],
  limits: Partial<TransactionLimits> = {},
) =>
  planTransactions(open, groups, { ...LIMITS, ...limits }).map(({ isNew, requests }) => [
    isNew,
    requests.length,
  ]);

test("recipients of several domains share one transaction", () => {
  expect(plan(undefined, [group("one", 3), group("two", 2)])).toEqual([[true, 5]]);
});

test("the transaction of the last batch is continued", () => {
  const [first] = planTransactions(undefined, [group("one", 3)], LIMITS);
  expect(plan(first!.transaction, [group("two", 2)])).toEqual([[false, 2]]);
  expect(first!.transaction.recipients).toBe(5);
});

test("where a host takes one domain at a time, every domain has its own transaction", () => {
  const limits = { oneDomainPerTransaction: true };
  expect(plan(undefined, [group("one", 3), group("two", 2)], limits)).toEqual([
    [true, 3],
    [true, 2],
  ]);
  const [first] = planTransactions(undefined, [group("one", 1)], { ...LIMITS, ...limits });
  expect(plan(first!.transaction, [group("one", 2), group("two", 1)], limits)).toEqual([
    [false, 2],
    [true, 1],
  ]);
});

test("SMTPUTF8 is declared with MAIL, so it begins a new transaction", () => {
  expect(plan(undefined, [group("one", 2), group("one", 1, true)])).toEqual([
    [true, 2],
    [true, 1],
  ]);
});

test("a transaction has no more recipients than the host takes, and no more than ten where it refuses many", () => {
  expect(plan(undefined, [group("one", 60), group("two", 40)])).toEqual([
    [true, 60],
    [true, 40],
  ]);
  expect(plan(undefined, [group("one", 60), group("two", 30)])).toEqual([[true, 90]]); // exactly the limit
  expect(plan(undefined, [group("one", 6), group("two", 6)], { refusalShare: 0.5 })).toEqual([
    [true, 6],
    [true, 6],
  ]);
  expect(plan(undefined, [group("one", 23)], { refusalShare: 0.5 })).toEqual([
    [true, 10],
    [true, 10],
    [true, 3],
  ]);
});

test("an exhausted transaction is not used again", () => {
  const [first] = planTransactions(undefined, [group("one", 1)], LIMITS);
  first!.transaction.isExhausted = true;
  expect(plan(first!.transaction, [group("one", 1)])).toEqual([[true, 1]]);
});
