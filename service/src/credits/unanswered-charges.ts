/**
 * Whether a charge stands: it does once its answer was delivered, and is refunded otherwise.
 *
 * The statement that charges also inserts into unanswered_charges. The row is deleted when the answer is sent (`confirm`),
 * or turned into a refund when it could not be (`refund`). A process that dies in between, or does not know whether its
 * charge was committed, leaves the row behind, and any process refunds it on expiry. So the ledger shows for every charge
 * whether it was answered, and the only possible error is in the customer's favour.
 */
import { setTimeout as delay } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { createBatcher } from "../base/batcher.ts";
import type { Database, Orm } from "../db/database.ts";
import { unansweredCharges } from "./schema.ts";

export type UnansweredCharges = {
  /** The answer is being sent: the charge stands. */
  confirm(chargeKey: string): void;
  /** The answer could not be delivered, or is an error. */
  refund(charge: ChargeName): void;
  /** Refunds what processes that died left behind; returns how many charges. */
  refundExpired(): Promise<number>;
  /** Waits for confirmations and refunds in progress. */
  close(): Promise<void>;
};

export type ChargeName = { accountId: string; chargeKey: string };

export type UnansweredChargesDeps = Pick<Database, "pool"> & {
  /** Writes the refund; false when the charge is no longer unanswered. Implementation: ledger.ts. */
  writeRefund(charge: ChargeName): Promise<boolean>;
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

export function createUnansweredCharges({ pool, writeRefund }: UnansweredChargesDeps): UnansweredCharges {
  const closing = new AbortController();
  const inProgress = new Set<Promise<unknown>>();
  const confirmations = createBatcher<string, void>({
    async run(keys) {
      // What fails is left to refundExpired.
      await retryUntilExpired(() => pool.query(CONFIRM, [keys])).catch(() => {});
      return [];
    },
    maxItems: MAX_BATCH,
    delayMs: CONFIRM_DELAY_MS,
  });

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

  return {
    confirm: (chargeKey) => void confirmations.submit(chargeKey),
    refund: (charge) => inBackground(writeRefund(charge)),
    async refundExpired() {
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
      await confirmations.flush();
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}

/** In the transaction that stores the answer under an Idempotency-Key: the charge stands when that commits. */
export async function confirmCharge(tx: Orm, chargeKey: string): Promise<void> {
  await tx.delete(unansweredCharges).where(eq(unansweredCharges.chargeKey, chargeKey));
}

// Not prepared: the plan has to follow the size of the table, which has few rows and, under load, many dead ones. A plan
// made once, while it was small, read all of it every time.
const CONFIRM = "delete from unanswered_charges where charge_key = any($1::text[])";

const EXPIRED = `
select charge_key as "chargeKey", account_id as "accountId" from unanswered_charges
where expires_at < now() limit ${MAX_BATCH}`;
