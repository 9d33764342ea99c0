/** What the answers of one request cost, and how they are counted. Test keys are never charged. */
import type { Status } from "@mailvet/contract";
import type { Caller } from "../base/caller.ts";
import type { Ledger, Reservation, UsageCounts } from "../credits/ledger.ts";
import type { ValidationAnswer } from "./answer.ts";
import type { PresentOptions } from "./present-result.ts";

export type Payment = {
  /** For known answers. Returns the balance, or undefined when nothing is charged. */
  charge(answers: readonly ValidationAnswer[]): Promise<number> | undefined;
  /** Reserves credits while a check runs. Released on disposal unless settled. */
  reserve(amount: number, forMs: number): Promise<Reservation>;
  settle(credit: Reservation, answers: readonly ValidationAnswer[]): Promise<number>;
};

/** On top of the time limit: the reservation must expire only if the process dies. */
const SPARE_MS = 60_000;

export function paymentBy(
  ledger: Pick<Ledger, "charge" | "reserve">,
  caller: Caller,
  { requestId: reference, idempotencyKey }: PresentOptions,
): Payment {
  const { accountId, by } = caller;
  const keyId = by.kind === "key" ? by.keyId : undefined;
  const usageOf = (answers: readonly ValidationAnswer[]): UsageCounts => ({
    keyId,
    counts: countStatuses(answers),
  });
  return {
    charge(answers) {
      if (caller.isTest) return undefined;
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
