/** What the answers of one request cost, and how they are counted. A test key never pays. */
import type { Status } from "@mailvet/contract";
import type { Caller } from "../caller.ts";
import type { Ledger, Reservation, Usage } from "../credits/ledger.ts";
import type { ValidationAnswer } from "./answer.ts";
import type { PresentOptions } from "./present-result.ts";

export type Payment = {
  /** Pays for what was known already. Returns the balance, or undefined when nothing was to be paid. */
  charge(answers: readonly ValidationAnswer[]): Promise<number | undefined>;
  /** Holds credits while others are asked. Given back when disposed of, unless settled. */
  reserve(amount: number, forMs: number): Promise<Reservation>;
  settle(credit: Reservation, answers: readonly ValidationAnswer[]): Promise<number>;
};

/** Longer than the work takes: it is for processes that die with credits in hand. */
const SPARE_MS = 60_000;

export function paymentBy(
  ledger: Pick<Ledger, "charge" | "reserve">,
  { accountId, by }: Caller,
  { requestId: reference, idempotencyKey }: PresentOptions,
): Payment {
  const keyId = by.kind === "key" ? by.keyId : undefined;
  const usageOf = (answers: readonly ValidationAnswer[]): Usage => ({
    keyId,
    counts: countStatuses(answers),
  });
  return {
    async charge(answers) {
      if (by.kind === "key" && by.isTest) return undefined;
      return ledger.charge({
        accountId,
        amount: answers.length,
        reference,
        idempotencyKey,
        usage: usageOf(answers),
      });
    },
    reserve: (amount, forMs) =>
      ledger.reserve({ accountId, amount, reference, holdMs: forMs + SPARE_MS, idempotencyKey }),
    settle: (credit, answers) => credit.settle(usageOf(answers)),
  };
}

export function countStatuses(answers: readonly ValidationAnswer[]): Record<Status, number> {
  const counts = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
  for (const { verdict } of answers) counts[verdict.status] += 1;
  return counts;
}
