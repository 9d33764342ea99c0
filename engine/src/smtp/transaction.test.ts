import { expect, test } from "vitest";
import type { ProbeRequest } from "./probe-queue.ts";
import { type OpenTransaction, planTransactions, type TransactionLimits } from "./transaction.ts";

const LIMITS: TransactionLimits = {
  recipientsPerTransaction: 90,
  oneDomainPerTransaction: false,
  refusalShare: 0.1,
};

function group(domain: string, count: number, smtpUtf8 = false): ProbeRequest[] {
  return Array.from({ length: count }, (_, i) => ({
    recipient: `ann${i}@${domain}`,
    domain,
    smtpUtf8,
    isDecoy: false,
    isWanted: true,
    isSettled: false,
    deniedBy: new Map(),
    failures: 0,
    returns: 0,
    settle: () => {},
    drop: () => {},
    fail: () => {},
  }));
}

const file = (
  open: OpenTransaction | undefined,
  groups: ProbeRequest[][],
  limits: Partial<TransactionLimits> = {},
) =>
  planTransactions(open, groups, { ...LIMITS, ...limits }).map(({ isNew, pendings }) => [
    isNew,
    pendings.length,
  ]);

test("recipients of several domains share one envelope", () => {
  expect(file(undefined, [group("one", 3), group("two", 2)])).toEqual([[true, 5]]);
});

test("the envelope of the last round is continued", () => {
  const [first] = planTransactions(undefined, [group("one", 3)], LIMITS);
  expect(file(first!.envelope, [group("two", 2)])).toEqual([[false, 2]]);
  expect(first!.envelope.asked).toBe(5);
});

test("where a host takes one domain at a time, every domain has its own", () => {
  const limits = { oneDomainPerTransaction: true };
  expect(file(undefined, [group("one", 3), group("two", 2)], limits)).toEqual([
    [true, 3],
    [true, 2],
  ]);
  const [first] = planTransactions(undefined, [group("one", 1)], { ...LIMITS, ...limits });
  expect(file(first!.envelope, [group("one", 2), group("two", 1)], limits)).toEqual([
    [false, 2],
    [true, 1],
  ]);
});

test("SMTPUTF8 is declared with MAIL, so it begins a new one", () => {
  expect(file(undefined, [group("one", 2), group("one", 1, true)])).toEqual([
    [true, 2],
    [true, 1],
  ]);
});

test("an envelope holds no more than the host takes, and no more than ten where it refuses many", () => {
  expect(file(undefined, [group("one", 60), group("two", 40)])).toEqual([
    [true, 60],
    [true, 40],
  ]);
  expect(file(undefined, [group("one", 60), group("two", 30)])).toEqual([[true, 90]]); // just as many
  expect(file(undefined, [group("one", 6), group("two", 6)], { refusalShare: 0.5 })).toEqual([
    [true, 6],
    [true, 6],
  ]);
});

test("a spoiled envelope is not used again", () => {
  const [first] = planTransactions(undefined, [group("one", 1)], LIMITS);
  first!.envelope.isSpoiled = true;
  expect(file(first!.envelope, [group("one", 1)])).toEqual([[true, 1]]);
});
