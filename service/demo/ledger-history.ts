/**
 * Writes an account's past grants and charges as the ledger would have: entries that add up to the balance, and the
 * usage per day and key.
 */
import { randomUUID } from "node:crypto";
import { balances, ledger, usageDays } from "../src/credits/schema.ts";
import type { Orm } from "../src/db/database.ts";
import type { Spending } from "./past-month.ts";

export type Grant = { at: Date; amount: number; reference: string };

/** Runs in the transaction that creates the account. Throws if the balance would become negative. */
export async function writeLedgerHistory(
  tx: Orm,
  accountId: string,
  past: { grants: readonly Grant[]; spendings?: readonly Spending[] },
): Promise<void> {
  const entries = [
    ...past.grants.map(({ at, amount, reference }) => ({
      kind: "grant" as const,
      at,
      amount,
      reference,
      subject: "grant" as const,
      keyId: undefined,
    })),
    ...(past.spendings ?? []).map((spending) => ({
      kind: "settle" as const,
      at: spending.at,
      amount: -costOf(spending),
      reference: randomUUID(),
      subject: "check" as const,
      keyId: spending.keyId,
    })),
  ].sort((one, other) => one.at.getTime() - other.at.getTime());

  let balance = 0;
  const rows = entries.map(({ kind, at, amount, subject, reference, keyId }, index) => {
    balance += amount;
    if (balance < 0) throw new Error(`at ${at.toISOString()} the balance is negative`);
    return {
      accountId,
      number: index + 1,
      kind,
      amount,
      reservedChange: 0,
      balanceAfter: balance,
      key: subject === "grant" ? randomUUID() : reference,
      subject,
      reference,
      keyId,
      createdAt: at,
    };
  });
  await tx.insert(balances).values({ accountId, balance, reserved: 0, entries: rows.length });
  for (const some of inBatches(rows)) await tx.insert(ledger).values(some);
  for (const some of inBatches(usageOf(accountId, past.spendings ?? []))) {
    await tx.insert(usageDays).values(some);
  }
}

function costOf({ counts }: Spending): number {
  return counts.valid + counts.invalid + counts.risky + counts.unknown;
}

function usageOf(accountId: string, spendings: readonly Spending[]): (typeof usageDays.$inferInsert)[] {
  const days = new Map<string, typeof usageDays.$inferInsert>();
  for (const spending of spendings) {
    const { keyId = null, counts } = spending;
    const day = spending.at.toISOString().slice(0, 10);
    const name = `${day} ${keyId}`;
    const use = days.get(name) ?? {
      accountId,
      day,
      keyId,
      valid: 0,
      invalid: 0,
      risky: 0,
      unknown: 0,
      creditsUsed: 0,
    };
    use.valid += counts.valid;
    use.invalid += counts.invalid;
    use.risky += counts.risky;
    use.unknown += counts.unknown;
    use.creditsUsed += costOf(spending);
    days.set(name, use);
  }
  return [...days.values()];
}

const MAX_ROWS_AT_ONCE = 500;

function inBatches<T>(rows: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(rows.length / MAX_ROWS_AT_ONCE) }, (_, batch) =>
    rows.slice(batch * MAX_ROWS_AT_ONCE, (batch + 1) * MAX_ROWS_AT_ONCE),
  );
}
