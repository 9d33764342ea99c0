/**
 * The credits of a run, which is one attempt of a job: reserved when it is confirmed, settled when it ends, both inside the
 * transaction that does so. The balance stays locked until that transaction ends, so callers do everything else first.
 */
import type { Orm } from "../db/database.ts";
import { insufficientCredits, runsLow } from "./balance-checks.ts";
import { type Posting, post } from "./post.ts";

export type RunReservation = {
  accountId: string;
  runId: string;
  amount: number;
  jobId: string;
  /** Null: the web app. */
  keyId: string | null;
};

/**
 * Reserves credits until settleRun. Refuses with insufficient_credits. A run that costs nothing reserves nothing.
 *
 * Returns the balance if this made the credits run low. The caller publishes that after the commit, because publishing
 * takes locks that others take before the balance.
 */
export async function reserveForRun(tx: Orm, reservation: RunReservation): Promise<number | undefined> {
  const { accountId, runId, amount, jobId, keyId } = reservation;
  if (!Number.isSafeInteger(amount) || amount < 0)
    throw new RangeError(`invalid amount of credits: ${amount}`);
  if (amount === 0) return undefined;
  const [posted] = await post(tx, [
    { kind: "reserve", accountId, key: runId, amount, subject: "run", reference: jobId, keyId },
  ]);
  const { outcome, balance } = posted!;
  if (outcome === "refused") throw insufficientCredits(amount, balance);
  if (outcome === "known") throw new Error(`credits are reserved already for run ${runId}`);
  return runsLow(balance, amount) ? balance : undefined;
}

export type RunSettlement = {
  accountId: string;
  runId: string;
  /** At most what is reserved; the rest is released. */
  used: number;
  /** Of these, returned by an entry of their own. */
  refunded: number;
};

/** Happens once: a repetition has no effect. */
export async function settleRun(tx: Orm, { accountId, runId, used, refunded }: RunSettlement): Promise<void> {
  const items: Posting[] = [
    ...(used > 0 ? [{ kind: "settle" as const, accountId, key: runId, amount: used }] : []),
    { kind: "release", accountId, key: runId },
    ...(refunded > 0 ? [{ kind: "refund" as const, accountId, key: runId, amount: refunded }] : []),
  ];
  const refused = (await post(tx, items)).findIndex(({ outcome }) => outcome === "refused");
  if (refused >= 0)
    throw new Error(
      `run ${runId} used ${used} credits, ${refunded} of them refunded: cannot ${items[refused]!.kind} as many`,
    );
}
