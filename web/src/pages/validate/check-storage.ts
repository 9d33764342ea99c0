/**
 * What was checked in this tab, newest first. It outlives a reload, and ends with the tab.
 *
 * A check that is under way is remembered too, with the key it was asked under: asked again under that key after a
 * reload, it is answered from what the service did meanwhile and charged once.
 */
import type { ValidationResult } from "@mailvet/contract";

export type Check = {
  result: ValidationResult;
  /** By this browser's clock, which waiting times are counted from. */
  receivedAtMs: number;
};

export type PendingCheck = { email: string; onceKey: string };

export type StoredChecks = { accountId: string; checks: Check[]; underWay?: PendingCheck | undefined };

const PLACE = "mailvet-checks";
const MAX_CHECKS = 30;

/** Somebody else may sign in within the same tab: what is remembered is only for who asked. */
export function readChecks(accountId: string): StoredChecks {
  const nothing: StoredChecks = { accountId, checks: [] };
  try {
    const kept = JSON.parse(sessionStorage.getItem(PLACE) ?? "null") as StoredChecks | null;
    return kept?.accountId === accountId ? kept : nothing;
  } catch {
    return nothing; // storage is switched off
  }
}

export function storeChecks(memory: StoredChecks): void {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(memory));
  } catch {
    // Full or switched off: then a reload forgets, and nothing else is lost.
  }
}

/** The newest stands first, and once for each address. */
export function withCheck({ accountId, checks }: StoredChecks, check: Check): StoredChecks {
  const others = checks.filter(({ result }) => result.email !== check.result.email);
  return { accountId, checks: [check, ...others].slice(0, MAX_CHECKS) };
}
