/**
 * The credits of a job: reserved when it is confirmed, settled when it ends, both inside the transaction that does so.
 *
 * A job may take hours and ends once, so its reservation does not expire, and its entries are not batched with others. The
 * balance stays locked until the caller's transaction ends, so callers do everything else first.
 */
import type { LedgerEntry, Status } from "@mailvet/contract";
import { and, eq } from "drizzle-orm";
import type { Orm } from "../db/database.ts";
import { insufficientCredits, runsLow } from "./balance-checks.ts";
import { writeLedger } from "./ledger-writer.ts";
import { balances, reservations } from "./schema.ts";

export type JobReservation = { accountId: string; amount: number; reservationId: string; reference: string };

/**
 * Reserves credits until settleJob. Refuses with insufficient_credits. A job that costs nothing reserves nothing.
 *
 * Returns the balance if this made the credits run low. The caller publishes that after the commit, because publishing
 * takes locks that others take before the balance.
 */
export async function reserveForJob(tx: Orm, reservation: JobReservation): Promise<number | undefined> {
  const { amount, reservationId } = reservation;
  if (!Number.isSafeInteger(amount) || amount < 0)
    throw new RangeError(`invalid amount of credits: ${amount}`);
  if (amount === 0) return undefined;
  // Locked by a statement of its own, so that the next one starts with a snapshot taken after the wait. Without it, of
  // 150 rounds of concurrent jobs and charges 15 failed on the balance's check constraint instead of being refused.
  await tx.select().from(balances).where(eq(balances.accountId, reservation.accountId)).for("update");
  const idempotencyKey = jobKey("reserve", reservationId);
  const [result] = await writeLedger(tx, [{ kind: "reserve_job", ...reservation, idempotencyKey }]);
  const { fits, entry, balance } = result!;
  if (!fits) throw insufficientCredits(amount, balance);
  if (!entry) throw new Error(`reservation ${reservationId} exists already`);
  return runsLow(balance, amount) ? balance : undefined;
}

export type JobSettlement = {
  accountId: string;
  reservationId: string;
  /** At most the reserved amount; the rest is released. */
  used: number;
  /** Of these, returned by an entry of their own. */
  refunded: number;
  /** UsageCounts by verdict and key, as it is counted per day. */
  counts: Record<Status, number>;
  keyId: string | undefined;
};

/** Spends what was used and releases the rest. Happens once: without the reservation it has no effect. */
export async function settleJob(tx: Orm, settlement: JobSettlement): Promise<void> {
  const { accountId, reservationId, used, refunded, counts, keyId } = settlement;
  const [reserved] = await tx
    .select()
    .from(reservations)
    .where(and(eq(reservations.id, reservationId), eq(reservations.accountId, accountId)));
  if (!reserved) return;
  const { reference } = reserved;
  const unused = reserved.amount - used;
  if (unused < 0) throw new Error(`job ${reference} used ${used} credits of ${reserved.amount} reserved`);
  if (refunded > used)
    throw new Error(`job ${reference} used ${used} credits, of which ${refunded} are refunded`);
  const keyed = (kind: "settle" | "release" | "refund", amount: number) => ({
    accountId,
    reservationId,
    reference,
    amount,
    idempotencyKey: jobKey(kind, reservationId),
  });
  await writeLedger(tx, [
    ...(used > 0
      ? [{ kind: "settle_job" as const, ...keyed("settle", used), usage: { keyId, counts } }]
      : []),
    ...(unused > 0 ? [{ kind: "release_job" as const, ...keyed("release", unused) }] : []),
    ...(refunded > 0
      ? [{ kind: "refund_job" as const, ...keyed("refund", refunded), usage: { keyId, counts: NO_VERDICTS } }]
      : []),
  ]);
}

const NO_VERDICTS = { valid: 0, invalid: 0, risky: 0, unknown: 0 };

/** No request has a key like this: those are hexadecimal (http/middleware/idempotency.ts). */
const JOB_PREFIX = "job ";

function jobKey(kind: LedgerEntry["kind"], reservationId: string): string {
  return `${JOB_PREFIX}${kind} ${reservationId}`;
}

/** Whether an entry was written for a job. Its id looks like that of a request, and the job may be deleted by now. */
export function isJobKey(idempotencyKey: string | null): boolean {
  return idempotencyKey?.startsWith(JOB_PREFIX) ?? false;
}
