/** When credits run low: as spending takes the balance below a limit, and not again until it has been above it. */
import { LOW_CREDITS } from "@mailvet/contract";

export type OnLow = (accountId: string, balance: number) => void;

export function runsLow(balanceAfter: number, spent: number): boolean {
  return balanceAfter < LOW_CREDITS && balanceAfter + spent >= LOW_CREDITS;
}
