/**
 * The credits of a job: held when it is confirmed, settled when it ends, both inside the transaction that does so.
 *
 * The entries are those of ledger-entries.ts. A job may take hours and ends once, so its credits have no time to expire at, and
 * need not be gathered with those of others. The balance stays locked until the caller's transaction is over: whoever
 * calls this has done everything else by then.
 */
import type { Status } from "@mailvet/contract";
import { and, eq, sql } from "drizzle-orm";
import type { Orm } from "../db/database.ts";
import { insufficientCredits } from "./insufficient-credits.ts";
import { runsLow } from "./low-credits.ts";
import { jobIdempotencyKey } from "./reference-kind.ts";
import { balances, ledger, reservations } from "./schema.ts";

export type JobReservation = { accountId: string; amount: number; reservationId: string; reference: string };

/**
 * Holds them until settleJob. Refuses with insufficient_credits. Nothing is held for a job that costs nothing.
 *
 * Returns the balance if this has made the credits run low: the caller tells of it once the transaction has committed,
 * as telling takes locks that others take before the balance.
 */
export async function reserveForJob(tx: Orm, hold: JobReservation): Promise<number | undefined> {
  const { accountId, amount, reservationId: id, reference } = hold;
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError(`${amount} is no amount of credits`);
  if (amount === 0) return undefined;
  await tx.insert(reservations).values({ id, accountId, amount, reference });
  const books = await change(tx, accountId, { balance: -amount, reserved: amount, entries: 1 });
  if (!books) throw insufficientCredits(amount, await balanceOf(tx, accountId));
  const entry = {
    kind: "reserve",
    amount: -amount,
    reservedChange: amount,
    balanceAfter: books.balance,
    idempotencyKey: jobIdempotencyKey("reserve", id),
  } as const;
  await tx.insert(ledger).values({ ...entry, accountId, number: books.entries, reference });
  return runsLow(books.balance, amount) ? books.balance : undefined;
}

export type JobSettlement = {
  accountId: string;
  reservationId: string;
  /** No more than what is held; the rest is given back. */
  used: number;
  /** What was used, by verdict and key, as it is counted per day. */
  counts: Record<Status, number>;
  keyId: string | undefined;
};

/** Spends what was used and gives back the rest. Once: when nothing is held any more, nothing happens. */
export async function settleJob(tx: Orm, settlement: JobSettlement): Promise<void> {
  const { accountId, reservationId, used } = settlement;
  const isIt = and(eq(reservations.id, reservationId), eq(reservations.accountId, accountId));
  const [held] = await tx.delete(reservations).where(isIt).returning();
  if (!held) return;
  const { reference } = held;
  const unused = held.amount - used;
  if (unused < 0) throw new Error(`${reference}: ${used} credits were used, and ${held.amount} were held`);

  const settled = { kind: "settle" as const, amount: 0, reservedChange: -used };
  const released = { kind: "release" as const, amount: unused, reservedChange: -unused };
  const entries = [...(used > 0 ? [settled] : []), ...(unused > 0 ? [released] : [])];
  const books = await change(tx, accountId, {
    balance: unused,
    reserved: -held.amount,
    entries: entries.length,
  });
  if (!books) throw new Error(`${reference}: the books of the account are gone`);
  const before = { balance: books.balance - unused, entries: books.entries - entries.length };
  await tx.insert(ledger).values(
    entries.map((entry, index) => ({
      ...entry,
      accountId,
      number: before.entries + index + 1,
      balanceAfter: before.balance + entry.amount, // settling what was held changes no balance
      reference,
      idempotencyKey: jobIdempotencyKey(entry.kind, reservationId),
    })),
  );
  if (used > 0) await countUse(tx, settlement);
}

type Books = { balance: number; reserved: number; entries: number };

/** The books after it; undefined when there are too few credits. */
async function change(tx: Orm, accountId: string, by: Books): Promise<Books | undefined> {
  const [books] = await tx
    .update(balances)
    .set({
      balance: sql`${balances.balance} + ${by.balance}`,
      reserved: sql`${balances.reserved} + ${by.reserved}`,
      entries: sql`${balances.entries} + ${by.entries}`,
    })
    .where(and(eq(balances.accountId, accountId), sql`${balances.balance} + ${by.balance} >= 0`))
    .returning();
  return books;
}

async function balanceOf(tx: Orm, accountId: string): Promise<number> {
  const [books] = await tx.select().from(balances).where(eq(balances.accountId, accountId));
  return books?.balance ?? 0;
}

/** After the balance is locked, as in ledger-entries.ts: so nobody ever waits for one another in a circle. */
async function countUse(tx: Orm, { accountId, keyId, counts, used }: JobSettlement): Promise<void> {
  const { valid, invalid, risky, unknown } = counts;
  await tx.execute(sql`
    insert into usage_days as u (account_id, day, key_id, valid, invalid, risky, unknown, credits_used)
    values (
      ${accountId}, (now() at time zone 'utc')::date, ${keyId ?? null},
      ${valid}, ${invalid}, ${risky}, ${unknown}, ${used}
    )
    on conflict on constraint usage_day do update set
      valid = u.valid + excluded.valid, invalid = u.invalid + excluded.invalid, risky = u.risky + excluded.risky,
      unknown = u.unknown + excluded.unknown, credits_used = u.credits_used + excluded.credits_used`);
}
