/**
 * What the answers of one request cost, and how they are counted. Test keys are never charged, and sandbox addresses are free
 * in the web app. Everything is charged before it is asked; what is refunded by policy (credits/refund-policy.ts) is returned
 * when the answer is written.
 */
import type { Status } from "@mailvet/contract";
import type { Caller } from "../base/caller.ts";
import type { Ledger } from "../credits/ledger.ts";
import { isRefunded, isRefusalOfUs, type UnknownRefund } from "../credits/refund-policy.ts";
import type { ValidationAnswer } from "./answer.ts";
import type { PresentOptions } from "./present-result.ts";

export type Payment = {
  /** Answers that cost a credit. */
  costOf(answers: readonly ValidationAnswer[]): number;
  /** Of these, answers whose credit is returned. */
  refundOf(answers: readonly ValidationAnswer[]): number;
  /** Undefined when nothing is charged. */
  charge(amount: number): Promise<void> | undefined;
  /** What the charge was for: what of it is returned, and the verdicts to count. */
  settle(answers: readonly ValidationAnswer[]): void;
};

export type PaymentDeps = { ledger: Pick<Ledger, "charge">; unknownRefund: UnknownRefund };

export function paymentBy(
  { ledger, unknownRefund }: PaymentDeps,
  { isTest, by }: Caller,
  { charge, options }: PresentOptions,
): Payment {
  const costs = ({ isSandbox }: ValidationAnswer) => !(isSandbox && by.kind === "session");
  const isReturned = (answer: ValidationAnswer) =>
    isRefunded(unknownRefund, answer.verdict.subStatus, options?.level) ||
    isRefusalOfUs(unknownRefund, answer);
  const costOf = (answers: readonly ValidationAnswer[]) => answers.filter(costs).length;
  const refundOf = (answers: readonly ValidationAnswer[]) =>
    answers.filter((answer) => costs(answer) && isReturned(answer)).length;
  return {
    costOf,
    refundOf,
    charge: (amount) => (isTest || amount === 0 ? undefined : ledger.charge(charge, amount)),
    settle(answers) {
      if (isTest) return;
      charge.returned = refundOf(answers);
      charge.counts = countStatuses(answers.filter(costs));
    },
  };
}

export function countStatuses(answers: readonly ValidationAnswer[]): Record<Status, number> {
  const counts = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
  for (const { verdict } of answers) counts[verdict.status] += 1;
  return counts;
}
