/**
 * Whether a charge stands: it does once its answer was handed to the client, and is refunded otherwise.
 *
 * The statement that charges also notes the charge in unanswered_charges. The note is deleted when the answer is sent
 * (`confirm`), or turned into a refund when it could not be (`refund`). A process that dies in between, or does not know
 * whether its charge was committed, leaves the note behind: at its time any process refunds it. So the ledger tells of
 * every charge whether it was answered, and the only possible error is in the customer's favour.
 */
import { setTimeout as delay } from "node:timers/promises";
import { eq } from "drizzle-orm";
import type { Database, Orm } from "../db/database.ts";
import { createGroupCommit } from "./group-commit.ts";
import { unansweredCharges } from "./schema.ts";

export type UnansweredCharges = {
  /** The answer is on its way: the charge stands. */
  confirm(chargeKey: string): void;
  /** The answer could not be delivered, or is an error. */
  refund(charge: ChargeName): void;
  /** Refunds what processes that died left behind; returns how many charges that were. */
  refundExpired(): Promise<number>;
  /** Waits for what is under way. */
  close(): Promise<void>;
};

export type ChargeName = { accountId: string; chargeKey: string };

/** Long enough for any answer: the charge comes last, right before the answer is written. */
export const ANSWERED_WITHIN_SECONDS = 120;
const MAX_AT_ONCE = 500;
const RETRY_MS = 1_000;

export function createUnansweredCharges({ pool }: Pick<Database, "pool">): UnansweredCharges {
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const confirmations = createGroupCommit<string, undefined>({
    async commit(keys) {
      await retryUntilExpired(() => pool.query(CONFIRM, [keys]));
      return keys.map(() => undefined);
    },
    maxItems: MAX_AT_ONCE,
    namesOf: () => [],
    isFaultOfOne: () => false,
  });

  /** While the database is away, or its disk is full: an unconfirmed charge would be refunded although it was answered. */
  async function retryUntilExpired(statement: () => Promise<unknown>): Promise<void> {
    const giveUpAt = performance.now() + ANSWERED_WITHIN_SECONDS * 1000;
    for (;;) {
      try {
        await statement();
        return;
      } catch (error) {
        if (performance.now() > giveUpAt || closing.signal.aborted) throw error;
        await delay(RETRY_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {});
      }
    }
  }

  async function refundAll(charges: readonly ChargeName[]): Promise<number> {
    const keys = charges.map(({ chargeKey }) => chargeKey);
    const accountIds = [...new Set(charges.map(({ accountId }) => accountId))];
    const { rowCount } = await pool.query(REFUND, [keys, accountIds]);
    return rowCount ?? 0;
  }

  function inBackground(work: Promise<unknown>): void {
    const done = work.catch(() => {}).finally(() => underWay.delete(done)); // what fails is left until its time
    underWay.add(done);
  }

  return {
    confirm: (chargeKey) => inBackground(confirmations.submit(chargeKey)),
    refund: (charge) => inBackground(refundAll([charge])),
    async refundExpired() {
      let total = 0;
      for (;;) {
        const { rows } = await pool.query<ChargeName>(EXPIRED);
        total += await refundAll(rows);
        if (rows.length < MAX_AT_ONCE) return total;
      }
    },
    async close() {
      closing.abort();
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** In the transaction that stores the answer under an Idempotency-Key: the charge stands when that commits. */
export async function confirmCharge(tx: Orm, chargeKey: string): Promise<void> {
  await tx.delete(unansweredCharges).where(eq(unansweredCharges.chargeKey, chargeKey));
}

// These statements are not prepared: their plan has to follow the size of the table, which has few rows and, under load,
// many dead ones. A plan made once, while it was small, read all of it every time.
const CONFIRM = "delete from unanswered_charges where charge_key = any($1::text[])";

const EXPIRED = `
select charge_key as "chargeKey", account_id as "accountId" from unanswered_charges
where expires_at < now() limit ${MAX_AT_ONCE}`;

/**
 * Balances are locked first and in order of account, as in ledger-entries.ts. The charge gives up its idempotency key: the
 * same request, sent again, is charged again and answered.
 */
const REFUND = `
with
account as materialized (
  select account_id, balance, entries from balances
  where account_id = any($2::uuid[]) order by account_id for update
),
refunded as (
  delete from unanswered_charges u using account
  where u.charge_key = any($1::text[]) and u.account_id = account.account_id
  returning u.*
),
numbered as materialized (
  select refunded.*, entries + row_number() over in_order as number, balance + sum(amount) over in_order as balance_after
  from refunded join account using (account_id)
  window in_order as (partition by account_id order by charge_key)
),
balance_change as (
  update balances b set balance = b.balance + total.amount, entries = total.entries
  from (select account_id, sum(amount) as amount, max(number) as entries from numbered group by account_id) total
  where b.account_id = total.account_id
),
entry as (
  insert into ledger (account_id, number, kind, amount, reserved_change, balance_after, reference)
  select account_id, number, 'refund', amount, 0, balance_after, reference from numbered
),
freed as (
  update ledger l set once_key = null from numbered where l.account_id = numbered.account_id and l.once_key = charge_key
),
usage as (
  update usage_days u set
    valid = u.valid - r.valid, invalid = u.invalid - r.invalid, risky = u.risky - r.risky,
    unknown = u.unknown - r.unknown, credits_used = u.credits_used - r.amount
  from (
    select account_id, day, key_id, sum(amount) as amount,
      sum(valid) as valid, sum(invalid) as invalid, sum(risky) as risky, sum(unknown) as unknown
    from numbered group by account_id, day, key_id
  ) r
  where u.account_id = r.account_id and u.day = r.day and u.key_id is not distinct from r.key_id
)
select charge_key from refunded`;
