/**
 * Recent checks of this tab in session storage, newest first. They survive a reload and end with the tab.
 *
 * A pending check is stored with its idempotency key. Repeated with that key after a reload, it is charged once.
 */
import type { ValidationResult } from "@mailvet/contract";

export type Check = {
  result: ValidationResult;
  /** By the browser's clock; retry delays are counted from it. */
  receivedAtMs: number;
};

export type PendingCheck = { email: string; idempotencyKey: string };

export type StoredChecks = { accountId: string; checks: Check[]; pending?: PendingCheck | undefined };

const STORAGE_KEY = "mailvet-checks";
const MAX_CHECKS = 30;

/** Another account may sign in within the same tab and must not see these. */
export function readChecks(accountId: string): StoredChecks {
  const empty: StoredChecks = { accountId, checks: [] };
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null") as StoredChecks | null;
    return stored?.accountId === accountId ? stored : empty;
  } catch {
    return empty; // storage is disabled
  }
}

export function storeChecks(checks: StoredChecks): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(checks));
  } catch {
    // Full or disabled: only a reload loses the checks.
  }
}

/** Newest first, one per address. */
export function withCheck({ accountId, checks }: StoredChecks, check: Check): StoredChecks {
  const others = checks.filter(({ result }) => result.email !== check.result.email);
  return { accountId, checks: [check, ...others].slice(0, MAX_CHECKS) };
}
