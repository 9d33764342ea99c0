/** Accounts with credits for tests, and the audit that must find nothing after each. */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { accounts } from "../src/accounts/schema.ts";
import type { Caller } from "../src/base/caller.ts";
import type { Ledger } from "../src/credits/ledger.ts";
import { RequestCharge } from "../src/credits/request-charge.ts";
import { reserveForRun, settleRun } from "../src/credits/run-credits.ts";
import { createVerdictCounts } from "../src/credits/verdict-counts.ts";
import type { Database } from "../src/db/database.ts";
import { createRepeatedWrites } from "../src/db/repeated-writes.ts";

export async function openAccount(database: Database, ledger: Ledger, credits: number): Promise<string> {
  const id = randomUUID();
  await database.orm.transaction(async (tx) => {
    await tx.insert(accounts).values({ id, email: `${id}@example.com`, plan: "payg" });
    await ledger.open(tx, id, credits, "welcome");
  });
  return id;
}

type Charging = { amount?: number; reference?: string; idempotencyKey?: string; keyId?: string };

/** What a request charges: one credit, by default. */
export function requestOf(
  accountId: string,
  { reference, idempotencyKey, keyId }: Charging = {},
): RequestCharge {
  const by: Caller["by"] =
    keyId === undefined ? { kind: "session", sessionId: "" } : { kind: "key", keyId, scopes: [] };
  return new RequestCharge({ accountId, by }, reference ?? randomUUID(), idempotencyKey);
}

/** Returns the balance. */
export async function charge(ledger: Ledger, accountId: string, charging: Charging = {}): Promise<number> {
  const request = requestOf(accountId, charging);
  await ledger.charge(request, charging.amount ?? 1);
  return request.balance!;
}

/** What the HTTP server settles charges with. */
export function chargingOn({ pool }: Pick<Database, "pool">, ledger: Ledger) {
  return { ledger, verdictCounts: createVerdictCounts(pool), repeatedWrites: createRepeatedWrites(() => {}) };
}

/** Every account whose entries, balance and usage do not agree, and every key whose entries do not, with what the audit found. */
const AUDIT = `
with running as (
  select *, sum(amount) over (partition by account_id order by number) as expected from ledger
), entries as (
  select account_id, sum(amount) as amount, sum(reserved_change) as reserved,
    coalesce(sum(-amount - reserved_change) filter (where kind in ('settle', 'refund')), 0) as spent,
    count(*) filter (where balance_after <> expected or balance_after < 0) as wrong_steps,
    count(*) as count, max(number) as last
  from running group by account_id
), keys as (
  select account_id, count(*) as wrong_keys from (
    select account_id from ledger group by account_id, key
    having sum(-amount - reserved_change) filter (where kind in ('settle', 'refund')) < 0 -- more refunded than spent
      or sum(reserved_change) filter (where subject = 'run') < 0 -- more settled and released than reserved
      or bool_or(kind = 'release') and sum(reserved_change) <> 0
  ) wrong group by account_id
), used as (
  select account_id, sum(credits_used) as credits, min(least(valid, invalid, risky, unknown)) as smallest
  from usage_days group by account_id
)
select * from balances b
left join entries e using (account_id) left join keys k using (account_id) left join used u using (account_id)
where b.entries <> coalesce(e.count, 0) or b.entries <> coalesce(e.last, 0) or b.balance <> coalesce(e.amount, 0)
  or b.reserved <> coalesce(e.reserved, 0) or k.wrong_keys > 0 or coalesce(e.spent, 0) <> coalesce(u.credits, 0)
  or e.wrong_steps > 0 or u.smallest < 0`;

export async function expectBooksToAddUp({ pool }: Pick<Database, "pool">): Promise<void> {
  expect((await pool.query(AUDIT)).rows).toEqual([]);
}

/** A run's reservation, in a transaction of its own. */
export function reserve(
  { orm }: Database,
  accountId: string,
  amount: number,
  runId: string,
  keyId: string | null = null,
) {
  return orm.transaction((tx) =>
    reserveForRun(tx, { accountId, runId, amount, jobId: `job of ${runId}`, keyId }),
  );
}

export function settle({ orm }: Database, accountId: string, used: number, runId: string, refunded = 0) {
  return orm.transaction((tx) => settleRun(tx, { accountId, runId, used, refunded }));
}
