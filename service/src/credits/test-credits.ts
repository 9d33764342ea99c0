/** Credits as test mode shows them: it spends none, so its balance is fixed, and it has neither entries nor usage. */
import type { Ledger } from "./ledger.ts";
import type { LedgerLines } from "./statement.ts";

export const TEST_CREDITS = { balance: 1_000_000, reserved: 0 };

export const testCredits = {
  ledger: { page: async () => ({ ...TEST_CREDITS, entries: [], total: 0 }) } satisfies Pick<Ledger, "page">,
  usageOf: async () => [],
  statementOf: async (): Promise<LedgerLines> => ({ lines: [], total: 0 }),
};
