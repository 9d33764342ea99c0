/** Accounts with credits for tests, and the audit that must find nothing after each. */
import { randomUUID } from "node:crypto";
import type { Status } from "@mailvet/contract";
import { expect } from "vitest";
import { accounts } from "../src/accounts/schema.ts";
import type { Ledger, UsageCounts } from "../src/credits/ledger.ts";
import type { Database } from "../src/db/database.ts";

export async function openAccount(database: Database, ledger: Ledger, credits: number): Promise<string> {
  const id = randomUUID();
  await database.orm.transaction(async (tx) => {
    await tx.insert(accounts).values({ id, email: `${id}@example.com`, plan: "payg" });
    await ledger.open(tx, id, credits, "welcome");
  });
  return id;
}

/** Usage of one check. */
export function oneCheck(status: Status = "valid", keyId?: string): UsageCounts {
  return { keyId, counts: { valid: 0, invalid: 0, risky: 0, unknown: 0, [status]: 1 } };
}

/** A charge of one credit, by default. */
export function chargeOf(accountId: string, rest: Partial<Parameters<Ledger["charge"]>[0]> = {}) {
  return {
    accountId,
    amount: 1,
    reference: randomUUID(),
    idempotencyKey: undefined,
    usage: oneCheck(),
    ...rest,
  };
}

const UNANSWERED = ["unanswered_charges", "unanswered_batches"];

/** Rows of charges that are not all confirmed or refunded. */
export async function countUnanswered({ pool }: Pick<Database, "pool">): Promise<number> {
  const parts = UNANSWERED.map((table) => `(select count(*) from ${table})`);
  const { rows } = await pool.query<{ count: number }>(`select (${parts.join(" + ")})::int as count`);
  return rows[0]!.count;
}

/** As after ANSWERED_WITHIN_SECONDS. */
export async function expireUnanswered({ pool }: Pick<Database, "pool">): Promise<void> {
  for (const table of UNANSWERED)
    await pool.query(`update ${table} set expires_at = now() - interval '1 second'`);
}

/** Every account whose entries, balance, reservations and usage do not agree, with what the audit found. */
const AUDIT = `
with running as (
  select account_id, number, amount, reserved_change, kind, balance_after,
    sum(amount) over (partition by account_id order by number) as expected
  from ledger
), entries as (
  select account_id, sum(amount) as amount, sum(reserved_change) as reserved,
    coalesce(sum(-amount - reserved_change) filter (where kind in ('settle', 'refund')), 0) as spent,
    count(*) filter (where balance_after <> expected or balance_after < 0) as wrong_steps,
    count(*) as count, max(number) as last
  from running group by account_id
), held as (select account_id, sum(amount) as amount from reservations group by account_id),
used as (
  select account_id, sum(credits_used) as credits, min(least(valid, invalid, risky, unknown)) as smallest
  from usage_days group by account_id
)
select * from balances b
left join entries e using (account_id) left join held h using (account_id) left join used u using (account_id)
where b.entries <> coalesce(e.count, 0) or b.entries <> coalesce(e.last, 0) or b.balance <> coalesce(e.amount, 0) or b.reserved <> coalesce(e.reserved, 0)
  or b.reserved <> coalesce(h.amount, 0) or coalesce(e.spent, 0) <> coalesce(u.credits, 0) or e.wrong_steps > 0 or u.smallest < 0`;

export async function expectBooksToAddUp({ pool }: Pick<Database, "pool">): Promise<void> {
  expect((await pool.query(AUDIT)).rows).toEqual([]);
}
