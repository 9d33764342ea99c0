/**
 * Whether a charge stands: it does once its answer was delivered, and is refunded otherwise.
 *
 * The statement that charges also inserts into unanswered_charges. The row is deleted when the answer is sent (`confirm`),
 * or turned into a refund when it could not be (`refund`). A process that dies in between, or does not know whether its
 * charge was committed, leaves the row behind, and any process refunds it on expiry. So the ledger shows for every charge
 * whether it was answered, and the only possible error is in the customer's favour.
 *
 * Charges of the fast path have one row together, in unanswered_batches, which is deleted when all of them are answered.
 * It is split into rows of unanswered_charges when one of them is refunded, or not answered for long.
 */
import { setTimeout as delay } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { createBatcher } from "../base/batcher.ts";
import type { Database, Orm } from "../db/database.ts";
import { unansweredCharges } from "./schema.ts";

export type UnansweredCharges = {
  /** A row of unanswered_batches was written by this process. */
  add(batch: UnansweredBatch): void;
  /** The answer is being sent: the charge stands. */
  confirm(chargeKey: string): void;
  /** The answer could not be delivered, or is an error. */
  refund(charge: ChargeName): void;
  /** Gives a charge a row of its own in unanswered_charges, if it is in a batch. */
  separate(chargeKey: string): Promise<void>;
  /** Refunds what processes that died left behind; returns how many charges. */
  refundExpired(): Promise<number>;
  /** Waits for confirmations and refunds in progress. */
  close(): Promise<void>;
};

export type ChargeName = { accountId: string; chargeKey: string };

export type UnansweredBatch = BatchName & { chargeKeys: readonly string[] };
type BatchName = { accountId: string; firstNumber: number };

export type UnansweredChargesDeps = Pick<Database, "pool"> & {
  /** Writes the refund; false when the charge is no longer unanswered. Implementation: ledger.ts. */
  writeRefund(charge: ChargeName): Promise<boolean>;
  splitAfterMs?: number;
};

/** Longer than any answer takes: the charge comes last, right before the answer is written. */
export const ANSWERED_WITHIN_SECONDS = 120;
const MAX_BATCH = 500;
/**
 * No request waits for a confirmation, so many go into one statement. A process that is killed within this time of an
 * answer leaves the charge to be refunded.
 */
const CONFIRM_DELAY_MS = 25;
const RETRY_MS = 1_000;
/** A charge that is neither confirmed nor refunded must not make the other charges of its batch expire. */
const SPLIT_AFTER_MS = 10_000;

export function createUnansweredCharges(deps: UnansweredChargesDeps): UnansweredCharges {
  const { pool, writeRefund, splitAfterMs = SPLIT_AFTER_MS } = deps;
  const closing = new AbortController();
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
      inBackground(batch.split.catch(() => {}).then(() => confirm(chargeKey)));
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

  function split(batch: OpenBatch): Promise<void> {
    batch.split ??= pool
      .query(SPLIT, [batch.accountId, batch.firstNumber, [...batch.chargeKeys]])
      .then(() => forget(batch))
      .finally(() => {
        batch.split = undefined;
      });
    return batch.split;
  }

  function forget(batch: OpenBatch): void {
    clearTimeout(batch.splitTimer);
    for (const chargeKey of batch.chargeKeys) batchOf.delete(chargeKey);
  }

  async function separate(chargeKey: string): Promise<void> {
    const batch = batchOf.get(chargeKey);
    if (batch) await split(batch);
  }

  return {
    add({ accountId, firstNumber, chargeKeys }) {
      const splitLate = () =>
        inBackground(retryUntilExpired(() => split(batch)).finally(() => forget(batch)));
      const splitTimer = setTimeout(splitLate, splitAfterMs).unref();
      const batch: OpenBatch = {
        accountId,
        firstNumber,
        chargeKeys: new Set(chargeKeys),
        splitTimer,
        split: undefined,
      };
      for (const chargeKey of chargeKeys) batchOf.set(chargeKey, batch);
    },
    confirm,
    refund: (charge) =>
      inBackground(retryUntilExpired(() => separate(charge.chargeKey)).then(() => writeRefund(charge))),
    separate,
    async refundExpired() {
      let splitCharges: number | null;
      do {
        splitCharges = (await pool.query(SPLIT_EXPIRED)).rowCount;
      } while (splitCharges);
      let total = 0;
      for (;;) {
        const { rows } = await pool.query<ChargeName>(EXPIRED);
        const refunds = await Promise.all(rows.map(writeRefund));
        total += refunds.filter((isRefunded) => isRefunded).length;
        if (rows.length < MAX_BATCH) return total;
      }
    },
    async close() {
      closing.abort();
      for (const batch of new Set(batchOf.values())) inBackground(split(batch));
      while (inProgress.size > 0) await Promise.all(inProgress);
      await Promise.all([confirmations.flush(), batchConfirmations.flush()]);
    },
  };
}

type OpenBatch = BatchName & {
  /** Neither confirmed nor in a row of unanswered_charges yet. */
  chargeKeys: Set<string>;
  splitTimer: NodeJS.Timeout;
  split: Promise<void> | undefined;
};

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
  counts[place + 1], counts[place + 2], counts[place + 3], counts[place + 4], expires_at
from batch, lateral (
  select number, reference, amount, key_id, created_at, 4 * (number - first_number)::int as place from ledger l
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
