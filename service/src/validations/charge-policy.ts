/**
 * What the answers of one request cost, and how they are counted. Test keys are never charged, and sandbox addresses are free
 * in the web app. Verdicts that are refunded (credits/refund-policy.ts) are charged first, before the answer is sent.
 */
import type { Status } from "@mailvet/contract";
import type { Caller } from "../base/caller.ts";
import type { Ledger, Reservation, UsageCounts } from "../credits/ledger.ts";
import { isRefunded, isRefusalOfUs, type UnknownRefund } from "../credits/refund-policy.ts";
import type { ValidationAnswer } from "./answer.ts";
import type { PresentOptions } from "./present-result.ts";

export type Payment = {
  /** For known answers. Returns the balance, or undefined when nothing is charged. */
  charge(answers: readonly ValidationAnswer[]): Promise<number> | undefined;
  /** Answers that cost a credit. */
  costOf(answers: readonly ValidationAnswer[]): number;
  /** Of these, answers whose credit is returned. */
  refundOf(answers: readonly ValidationAnswer[]): number;
  /** Reserves credits while a check runs. Released on disposal unless settled. */
  reserve(amount: number, forMs: number): Promise<Reservation>;
  settle(credit: Reservation, answers: readonly ValidationAnswer[]): Promise<number>;
};

/** On top of the time limit: the reservation must expire only if the process dies. */
const SPARE_MS = 60_000;

export type PaymentDeps = {
  ledger: Pick<Ledger, "charge" | "reserve" | "refundPart">;
  unknownRefund: UnknownRefund;
};

export function paymentBy(
  { ledger, unknownRefund }: PaymentDeps,
  caller: Caller,
  { requestId: reference, idempotencyKey, options }: PresentOptions,
): Payment {
  const { accountId, by } = caller;
  const keyId = by.kind === "key" ? by.keyId : undefined;
  const costs = ({ isSandbox }: ValidationAnswer) => !(isSandbox && by.kind === "session");
  const isReturned = (answer: ValidationAnswer) =>
    isRefunded(unknownRefund, answer.verdict.subStatus, options?.level) ||
    isRefusalOfUs(unknownRefund, answer);
  const usageOf = (answers: readonly ValidationAnswer[]): UsageCounts => ({
    keyId,
    counts: countStatuses(answers.filter(costs)),
  });
  const costOf = (answers: readonly ValidationAnswer[]) => answers.filter(costs).length;
  const refundOf = (answers: readonly ValidationAnswer[]) =>
    answers.filter((answer) => costs(answer) && isReturned(answer)).length;
  const refunded = (charged: Promise<number>, answers: readonly ValidationAnswer[]): Promise<number> => {
    const amount = refundOf(answers);
    if (amount === 0) return charged;
    return charged.then(() =>
      ledger.refundPart({ accountId, chargeKey: idempotencyKey ?? reference, amount }),
    );
  };
  return {
    costOf,
    refundOf,
    charge(answers) {
      const amount = costOf(answers);
      if (caller.isTest || amount === 0) return undefined;
      const charge = { accountId, amount, reference, idempotencyKey, usage: usageOf(answers) };
      return refunded(ledger.charge(charge), answers);
    },
    reserve: (amount, forMs) =>
      ledger.reserve({ accountId, amount, reference, holdMs: forMs + SPARE_MS, idempotencyKey }),
    settle: (credit, answers) => refunded(credit.settle(usageOf(answers)), answers),
  };
}

export function countStatuses(answers: readonly ValidationAnswer[]): Record<Status, number> {
  const counts = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
  for (const { verdict } of answers) counts[verdict.status] += 1;
  return counts;
}
