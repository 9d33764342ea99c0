/** What a spent amount means for the balance: refused, or running low. */
import { LOW_CREDITS } from "@mailvet/contract";
import { Refusal } from "../refusal.ts";

export type OnLow = (accountId: string, balance: number) => void;

export function insufficientCredits(required: number, available: number): Refusal {
  const detail = `This costs ${required} ${required === 1 ? "credit" : "credits"}, and the balance is ${available}.`;
  return new Refusal("insufficient_credits", detail, { required, available });
}

/** True only for the spending that crosses the limit, so that one notification is sent until credits are added. */
export function runsLow(balanceAfter: number, spent: number): boolean {
  return balanceAfter < LOW_CREDITS && balanceAfter + spent >= LOW_CREDITS;
}
