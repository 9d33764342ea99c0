/**
 * The books of every account: credits are granted, then charged at once, or reserved and later settled or released.
 *
 * The entries of an account add up to its balance, which never goes below zero. What is promised here is on disk: spending
 * from all over the process is gathered (group-commit.ts) and written by one statement at a time: that of
 * charge-fast-path.ts where it will do, that of ledger-entries.ts otherwise.
 */
import { randomUUID } from "node:crypto";
import type { LedgerEntry } from "@mailvet/contract";
import { and, desc, eq, gte, inArray, lte, sql } from "drizzle-orm";
import { type Database, type Orm, sqlStateOf, UNIQUE_VIOLATION } from "../db/database.ts";
import { commitCharges } from "./charge-fast-path.ts";
import { createGroupCommit } from "./group-commit.ts";
import { insufficientCredits } from "./insufficient-credits.ts";
import {
  clashNamesOf,
  commitLedgerChanges,
  type LedgerChange,
  type LedgerChangeResult,
  type Use,
} from "./ledger-entries.ts";
import { type OnLow, runsLow } from "./low-credits.ts";
import { referenceKindOf } from "./reference-kind.ts";
import { balances, ledger, unansweredCharges } from "./schema.ts";
import { type ChargeName, createUnansweredCharges } from "./unanswered-charges.ts";

export type { Use } from "./ledger-entries.ts";

export type Ledger = {
  /**
   * Spends at once, for what is known already, and returns the balance after it. Refuses with insufficient_credits.
   * Under an idempotency key that was spent under before it spends nothing.
   *
   * What is spent, here or by settling, is refunded after a while unless it is confirmed (unanswered-charges.ts).
   */
  charge(charge: {
    accountId: string;
    amount: number;
    reference: string;
    idempotencyKey: string | undefined;
    use: Use;
  }): Promise<number>;
  /**
   * Holds credits for work ahead, for as long as holdMs. Refuses with insufficient_credits.
   * Under an idempotency key that was spent under before it holds nothing, and needs no credits.
   */
  reserve(hold: {
    accountId: string;
    amount: number;
    reference: string;
    holdMs: number;
    idempotencyKey: string | undefined;
  }): Promise<Reservation>;
  /**
   * Gives credits; a negative amount takes them back, and is refused when there are fewer.
   * Under an idempotency key that has an entry it changes nothing, and returns that entry.
   */
  grant(grant: {
    accountId: string;
    amount: number;
    reference: string;
    idempotencyKey: string | undefined;
  }): Promise<LedgerEntry>;
  /** The answer that was paid for is on its way. A charge's key is its idempotency key, or else its reference. */
  confirm(chargeKey: string): void;
  /** The answer that was paid for cannot be delivered. Nothing happens if the charge was confirmed before. */
  refund(charge: ChargeName): void;
  balanceOf(accountId: string): Promise<Balance>;
  /** By account; those without a balance are missing. */
  balancesOf(accountIds: readonly string[]): Promise<ReadonlyMap<string, Balance>>;
  /** Newest first. */
  page(
    accountId: string,
    paging: { skip: number; limit: number },
  ): Promise<{ entries: LedgerEntry[]; total: number }>;
  /** Opens the books of a new account inside the caller's transaction. */
  open(tx: Orm, accountId: string, credits: number, reference: string): Promise<void>;
  /** Erases the entries of accounts that are erased in the same transaction. */
  erase(tx: Orm, accountIds: string[]): Promise<void>;
  /** Gives back what was held by processes that died, and returns how many reservations that were. */
  releaseExpired(): Promise<number>;
  /** Refunds charges that were not confirmed in time, and returns how many. */
  refundExpired(): Promise<number>;
  /** Waits until everything asked for so far is written. */
  close(): Promise<void>;
};

export type Balance = { balance: number; reserved: number };

/** Credits held for work under way: given back when it is disposed of, unless settled before. */
export type Reservation = AsyncDisposable & {
  /** The balance after the reservation. */
  balance: number;
  /** Spends what is held and returns the balance. If its idempotency key was spent under meanwhile, it gives it back instead. */
  settle(use: Use): Promise<number>;
};

export type LedgerDeps = {
  database: Database;
  say?: (text: string) => void;
  /** A charge or a reservation has just taken an account's balance below LOW_CREDITS. */
  onLow?: OnLow;
};

/** Each is answered in the turn of the event loop that follows the commit: with more of them that would be a long one. */
const MAX_MOVES_AT_ONCE = 128;

export function createLedger({ database, say = () => {}, onLow = () => {} }: LedgerDeps): Ledger {
  const { pool, orm } = database;
  const unanswered = createUnansweredCharges(database);
  const moves = createGroupCommit<LedgerChange, LedgerChangeResult>({
    commit: (batch) =>
      insistently(async () => (await commitCharges(pool, batch)) ?? commitLedgerChanges(pool, batch)),
    maxItems: MAX_MOVES_AT_ONCE,
    namesOf: clashNamesOf,
    isFaultOfOne: isAboutData,
  });

  /** The balance after a move that spends. */
  const spend = async (move: Extract<LedgerChange, { kind: "charge" | "reserve" }>): Promise<number> => {
    requireAmount(move.amount);
    const { fits, entry, balance } = await moves.submit(move);
    if (!fits) throw insufficientCredits(move.amount, balance);
    if (entry && runsLow(balance, move.amount)) onLow(move.accountId, balance);
    return balance;
  };

  return {
    charge: (charge) => spend({ kind: "charge", ...charge }),

    async reserve({ holdMs, idempotencyKey, ...rest }) {
      const held = { ...rest, reservationId: randomUUID() };
      const balance = await spend({ kind: "reserve", ...held, holdMs, idempotencyKey });
      let isSettled = false;
      return {
        balance,
        async settle(use) {
          const outcome = await moves.submit({ kind: "settle", ...held, idempotencyKey, use });
          isSettled = true;
          // The work took longer than it was held for, and by then the credits were spent on something else.
          if (!outcome.fits)
            say(`${held.reference}: ${held.amount} credits were not charged, the reservation had expired`);
          return outcome.balance;
        },
        async [Symbol.asyncDispose]() {
          if (isSettled) return;
          await moves.submit({ kind: "release", ...held }).catch(() => {
            // Not lost: it expires, and is released then.
          });
        },
      };
    },

    grant: ({ accountId, amount, ...label }) =>
      orm.transaction(async (tx) => {
        const before = label.idempotencyKey && (await entryUnder(tx, accountId, label.idempotencyKey));
        if (before) return before;
        return amount > 0 ? add(tx, accountId, amount, label) : takeBack(tx, accountId, -amount, label);
      }),

    confirm: unanswered.confirm,
    refund: unanswered.refund,
    refundExpired: unanswered.refundExpired,

    async balanceOf(accountId) {
      const text = "select balance, reserved from balances where account_id = $1";
      const { rows } = await pool.query<Balance>({ name: "balance-of", text, values: [accountId] });
      return rows[0] ?? { balance: 0, reserved: 0 };
    },

    async balancesOf(accountIds) {
      const rows = await orm
        .select()
        .from(balances)
        .where(inArray(balances.accountId, [...accountIds]));
      return new Map(rows.map(({ accountId, balance, reserved }) => [accountId, { balance, reserved }]));
    },

    async page(accountId, { skip, limit }) {
      const [books] = await orm.select().from(balances).where(eq(balances.accountId, accountId));
      const total = books?.entries ?? 0;
      const rows = await orm
        .select()
        .from(ledger)
        .where(and(eq(ledger.accountId, accountId), lte(ledger.number, total - skip)))
        .orderBy(desc(ledger.number))
        .limit(limit);
      return { entries: rows.map(presentEntry), total };
    },

    async open(tx, accountId, credits, reference) {
      if (credits > 0) await add(tx, accountId, credits, { reference, idempotencyKey: undefined });
      else await tx.insert(balances).values({ accountId, balance: 0, reserved: 0, entries: 0 });
    },

    async erase(tx, accountIds) {
      await tx.delete(ledger).where(inArray(ledger.accountId, accountIds));
      await tx.delete(unansweredCharges).where(inArray(unansweredCharges.accountId, accountIds));
    },

    async releaseExpired() {
      let total = 0;
      for (;;) {
        const { rows } = await pool.query<Omit<Extract<LedgerChange, { kind: "release" }>, "kind">>({
          name: "expired-reservations",
          text: EXPIRED_RESERVATIONS,
          values: [MAX_MOVES_AT_ONCE],
        });
        const outcomes = await Promise.all(rows.map((held) => moves.submit({ kind: "release", ...held })));
        const released = outcomes.filter(({ entry }) => entry === "release").length;
        total += released;
        // Fewer than asked for: no more are left, or another process is at it too.
        if (released < MAX_MOVES_AT_ONCE) return total;
      }
    },

    async close() {
      await moves.drain();
      await unanswered.close();
    },
  };
}

const EXPIRED_RESERVATIONS = `
select id as "reservationId", account_id as "accountId", amount, reference
from reservations where expires_at < now() order by expires_at limit $1`;

const MAX_TRIES = 3;
const DEADLOCK = "40P01";

/** Another process may spend under the same idempotency key at the same moment. The next try sees that it did. */
async function insistently<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const state = sqlStateOf(error);
      if (tries === MAX_TRIES || (state !== UNIQUE_VIOLATION && state !== DEADLOCK)) throw error;
    }
  }
}

/** SQLSTATE classes 22 and 23: a value that cannot be stored, or that breaks a constraint. */
function isAboutData(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && (state.startsWith("22") || state.startsWith("23"));
}

function requireAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 1)
    throw new RangeError(`${amount} is no amount of credits to spend`);
}

/** Locks the balance first: whoever is writing under this idempotency key at the moment is waited for, and then seen. */
async function entryUnder(
  tx: Orm,
  accountId: string,
  idempotencyKey: string,
): Promise<LedgerEntry | undefined> {
  await tx.select().from(balances).where(eq(balances.accountId, accountId)).for("update");
  const isIt = and(eq(ledger.accountId, accountId), eq(ledger.idempotencyKey, idempotencyKey));
  const [row] = await tx.select().from(ledger).where(isIt);
  return row && presentEntry(row);
}

const ONE_MORE = sql`${balances.entries} + 1`;

type Label = { reference: string; idempotencyKey: string | undefined };

async function add(tx: Orm, accountId: string, amount: number, label: Label): Promise<LedgerEntry> {
  const [row] = await tx
    .insert(balances)
    .values({ accountId, balance: amount, reserved: 0, entries: 1 })
    .onConflictDoUpdate({
      target: balances.accountId,
      set: { balance: sql`${balances.balance} + excluded.balance`, entries: ONE_MORE },
    })
    .returning();
  return writeEntry(tx, row!, { kind: "grant", amount, ...label });
}

async function takeBack(tx: Orm, accountId: string, amount: number, label: Label): Promise<LedgerEntry> {
  const ofAccount = eq(balances.accountId, accountId);
  const [row] = await tx
    .update(balances)
    .set({ balance: sql`${balances.balance} - ${amount}`, entries: ONE_MORE })
    .where(and(ofAccount, gte(balances.balance, amount)))
    .returning();
  if (!row) {
    const [short] = await tx.select().from(balances).where(ofAccount);
    throw insufficientCredits(amount, short?.balance ?? 0);
  }
  return writeEntry(tx, row, { kind: "adjust", amount: -amount, ...label });
}

async function writeEntry(
  tx: Orm,
  { accountId, balance, entries }: typeof balances.$inferSelect,
  entry: Label & Pick<typeof ledger.$inferInsert, "kind" | "amount">,
): Promise<LedgerEntry> {
  const [row] = await tx
    .insert(ledger)
    .values({ ...entry, accountId, number: entries, balanceAfter: balance, reservedChange: 0 })
    .returning();
  return presentEntry(row!);
}

function presentEntry(row: typeof ledger.$inferSelect): LedgerEntry {
  return {
    id: String(row.number),
    kind: row.kind,
    amount: row.amount,
    reserved_change: row.reservedChange,
    balance_after: row.balanceAfter,
    reference: row.reference,
    reference_kind: referenceKindOf(row.kind, row.idempotencyKey),
    created_at: row.createdAt.toISOString(),
  };
}
