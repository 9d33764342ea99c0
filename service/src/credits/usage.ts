/** Verdicts and credits of an account per day and key. */
import type { UsageDay } from "@mailvet/contract";
import { and, asc, between, desc, eq } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { usageDays } from "./schema.ts";
import type { UsageRange } from "./usage-range.ts";

export type UsageFilter = UsageRange & {
  /** Only of this key. The key of another account has no usage here. */
  keyId: string | undefined;
};

/** One item per day and key with usage, newest first. */
export async function usageOf(
  database: Pick<Database, "orm">,
  accountId: string,
  { from, to, keyId }: UsageFilter,
): Promise<UsageDay[]> {
  const rows = await database.orm
    .select()
    .from(usageDays)
    .where(
      and(
        eq(usageDays.accountId, accountId),
        between(usageDays.day, from, to),
        keyId === undefined ? undefined : eq(usageDays.keyId, keyId),
      ),
    )
    .orderBy(desc(usageDays.day), asc(usageDays.keyId));
  return rows.map((row) => ({
    date: row.day,
    key_id: row.keyId,
    valid: row.valid,
    invalid: row.invalid,
    risky: row.risky,
    unknown: row.unknown,
    credits_used: row.creditsUsed,
  }));
}

/** SQL for the list of accounts: what the account in this column has, and has used in 30 days. */
export const accountFiguresSql = {
  balance: (accountIdColumn: string) => balanceColumn("balance", accountIdColumn),
  reserved: (accountIdColumn: string) => balanceColumn("reserved", accountIdColumn),
  usedRecently: (accountIdColumn: string) => `coalesce((select sum(credits_used)::bigint from usage_days
    where account_id = ${accountIdColumn} and day > (now() at time zone 'utc')::date - 30), 0)`,
};

function balanceColumn(column: "balance" | "reserved", accountIdColumn: string): string {
  return `coalesce((select ${column} from balances where account_id = ${accountIdColumn}), 0)`;
}
