/**
 * Whether a charge stands: it does once its answer was delivered, and is refunded otherwise.
 *
 * The statement that charges also inserts into unanswered_charges or unanswered_batches. The row is deleted when the
 * answer is sent (`confirm`), or turned into a refund when it could not be (`refund`). A process that dies in between, or
 * does not know whether its charge was committed, leaves the row behind, and any process refunds it on expiry. So the
 * ledger shows for every charge whether it was answered, and the only possible error is in the customer's favour.
 *
 * Charges of the fast path have one row together, in unanswered_batches, which is deleted when all of them are answered.
 * It is split into rows of unanswered_charges when one of them is refunded, even in part, or stays unanswered, at
 * shutdown, and on expiry. Until then this process alone knows which of them are answered.
 */
import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { createBatcher } from "../base/batcher.ts";
import type { Database, Orm } from "../db/database.ts";
import { unansweredCharges } from "./schema.ts";

export type UnansweredCharges = {
  /** This process has written a row of unanswered_batches. */
  addBatch(batch: UnansweredBatch): void;
  /** The answer is being sent: the charge stands. */
  confirm(chargeKey: string): void;
  /** The answer could not be delivered, or is an error. */
  refund(charge: ChargeName): void;
  /** If the charge is in a batch, splits it, so that the charge has a row of its own. */
  separate(chargeKey: string): Promise<void>;
  /** Refunds what processes that died left behind; returns how many charges. */
  refundExpired(): Promise<number>;
  /** Splits the batches that are left, and waits for confirmations and refunds in progress. */
  close(): Promise<void>;
};

export type ChargeName = { accountId: string; chargeKey: string };

export type UnansweredBatch = BatchName & { chargeKeys: readonly string[] };
type BatchName = { accountId: string; firstNumber: number };

export type UnansweredChargesDeps = Pick<Database, "pool"> & {
  /** Writes the refund; false when the charge is no longer unanswered. Implementation: ledger.ts. */
  writeRefund(charge: ChargeName): Promise<boolean>;
  splitAfterMs?: number | undefined;
};

/** Longer than any answer takes: the charge comes last, right before the answer is written. */
export const ANSWERED_WITHIN_SECONDS = 120;
const MAX_BATCH = 500;
/**
 * No request waits for a confirmation, so many go into one statement. A process that is killed within this time of an
 * answer, or before the rest of the batch is answered, leaves the charge to be refunded.
 */
const CONFIRM_DELAY_MS = 25;
const RETRY_MS = 1_000;
/** Answers are sent right after their charge. A charge that stays unanswered must not make its batch expire. */
const SPLIT_AFTER_MS = 1_000;

export function createUnansweredCharges(deps: UnansweredChargesDeps): UnansweredCharges {
  const { pool, writeRefund, splitAfterMs = SPLIT_AFTER_MS } = deps;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // one per batch that waits for the database
  const inProgress = new Set<Promise<unknown>>();
  function createConfirmations<Name>(write: (names: readonly Name[]) => Promise<unknown>) {
    return createBatcher<Name, void>({
      async run(names) {
        await retryUntilExpired(() => write(names)).catch(() => {}); // what fails is left to refundExpired
        return [];
      },
      maxItems: MAX_BATCH,
      delayMs: CONFIRM_DELAY_MS,
    });
  }
  const confirmations = createConfirmations((keys: readonly string[]) => pool.query(CONFIRM, [keys]));
  const batchConfirmations = createConfirmations((batches: readonly BatchName[]) =>
    pool.query(CONFIRM_BATCHES, [
      batches.map(({ accountId }) => accountId),
      batches.map(({ firstNumber }) => firstNumber),
    ]),
  );
  const batchOf = new Map<string, OpenBatch>();

  /** While the database is away or its disk is full: an unconfirmed charge would be refunded although it was answered. */
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

  function inBackground(work: Promise<unknown>): void {
    const done = work.catch(() => {}).finally(() => inProgress.delete(done)); // what fails is left to refundExpired
    inProgress.add(done);
  }

  function confirm(chargeKey: string): void {
    const batch = batchOf.get(chargeKey);
    if (batch?.split) {
      inBackground(batch.split.end.then(() => confirm(chargeKey)));
    } else if (batch) {
      batchOf.delete(chargeKey);
      batch.chargeKeys.delete(chargeKey);
      if (batch.chargeKeys.size === 0) {
        forget(batch);
        void batchConfirmations.submit(batch);
      }
    } else {
      void confirmations.submit(chargeKey);
    }
  }

  /**
   * Begins once. While the outcome is unknown, because the connection was lost, the statement is repeated: `confirm` has to
   * know which table the charge is in. Repeating it has no effect on a batch that was split.
   */
  function split(batch: OpenBatch): Split {
    if (batch.split) return batch.split;
    const values = [batch.accountId, batch.firstNumber, [...batch.chargeKeys]];
    const attempt = () => pool.query(SPLIT, values);
    const firstAttempt = attempt();
    const end = firstAttempt
      .catch(() => retryUntilExpired(attempt))
      .catch(() => {}) // left to refundExpired
      .then(() => forget(batch));
    inBackground(end);
    batch.split = { firstAttempt, end };
    return batch.split;
  }

  function forget(batch: OpenBatch): void {
    clearTimeout(batch.splitTimer);
    for (const chargeKey of batch.chargeKeys) batchOf.delete(chargeKey);
  }

  async function refund(charge: ChargeName): Promise<void> {
    const batch = batchOf.get(charge.chargeKey);
    if (batch) await split(batch).end;
    await writeRefund(charge);
  }

  return {
    addBatch({ accountId, firstNumber, chargeKeys }) {
      const batch: OpenBatch = {
        accountId,
        firstNumber,
        chargeKeys: new Set(chargeKeys),
        splitTimer: setTimeout(() => split(batch), splitAfterMs).unref(),
        split: undefined,
      };
      for (const chargeKey of chargeKeys) batchOf.set(chargeKey, batch);
    },
    confirm,
    refund: (charge) => inBackground(refund(charge)),
    async separate(chargeKey) {
      const batch = batchOf.get(chargeKey);
      if (batch) await split(batch).firstAttempt;
    },
    async refundExpired() {
      let splitCharges: number | null;
      do {
        splitCharges = (await pool.query(SPLIT_EXPIRED)).rowCount;
      } while (splitCharges);
      let total = 0;
      for (;;) {
        const { rows } = await pool.query<ChargeName>(EXPIRED);
        const refunds = await Promise.all(rows.map(writeRefund));
        const refunded = refunds.filter((isRefunded) => isRefunded).length;
        total += refunded;
        // Fewer than a full batch: none are left, or another process refunds them too.
        if (refunded < MAX_BATCH) return total;
      }
    },
    async close() {
      closing.abort();
      for (const batch of batchOf.values()) split(batch);
      while (inProgress.size > 0) await Promise.all(inProgress);
      await Promise.all([confirmations.flush(), batchConfirmations.flush()]);
    },
  };
}

type OpenBatch = BatchName & {
  /** Neither confirmed nor in a row of unanswered_charges yet. */
  chargeKeys: Set<string>;
  splitTimer: NodeJS.Timeout;
  split: Split | undefined;
};

/** `firstAttempt` may fail; `end` does not, and may be after several attempts. */
type Split = { firstAttempt: Promise<unknown>; end: Promise<void> };

/** In the transaction that stores the answer under an Idempotency-Key: the charge stands when that commits. */
export async function confirmCharge(tx: Orm, chargeKey: string): Promise<void> {
  await tx.delete(unansweredCharges).where(eq(unansweredCharges.chargeKey, chargeKey));
}

// Not prepared: the plan has to follow the size of the table, which has few rows and, under load, many dead ones. A plan
// made once, while it was small, read all of it every time.
const CONFIRM = "delete from unanswered_charges where charge_key = any($1::text[])";
const CONFIRM_BATCHES = `
delete from unanswered_batches
where (account_id, first_number) in (select * from unnest($1::uuid[], $2::bigint[]))`;

/** `order by` and `limit` keep the lookup on the ledger's index, whatever the planner knows about the tables. */
const splitting = (isSplit: string, isMoved: string) => `
with batch as (delete from unanswered_batches where ${isSplit} returning *)
insert into unanswered_charges
  (charge_key, account_id, amount, reference, day, key_id, valid, invalid, risky, unknown, expires_at)
select reference, account_id, -amount, reference, (created_at at time zone 'utc')::date, key_id,
  counts[skipped + 1], counts[skipped + 2], counts[skipped + 3], counts[skipped + 4], expires_at
from batch, lateral (
  select number, reference, amount, key_id, created_at, 4 * (number - first_number)::int as skipped from ledger l
  where l.account_id = batch.account_id and number >= first_number
  order by number limit cardinality(counts) / 4
) entry
where ${isMoved}
on conflict (charge_key) do nothing`;

/** The other charges of the batch were confirmed. */
const SPLIT = splitting("account_id = $1 and first_number = $2", "reference = any($3::text[])");
const SPLIT_EXPIRED = splitting(
  `(account_id, first_number) in (
    select account_id, first_number from unanswered_batches where expires_at < now() limit 10
  )`,
  "true",
);

const EXPIRED = `
select charge_key as "chargeKey", account_id as "accountId" from unanswered_charges
where expires_at < now() limit ${MAX_BATCH}`;
