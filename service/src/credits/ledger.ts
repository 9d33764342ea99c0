/**
 * Credits of every account: granted, then charged at once, or reserved and later settled or released.
 *
 * The entries of an account add up to its balance, which is never negative. A promise resolves when its entry is on disk.
 * Changes from all over the process are batched (batcher.ts) and written by one statement at a time: that of
 * charge-fast-path.ts where it applies, that of ledger-writer.ts otherwise.
 */
import { randomUUID } from "node:crypto";
import type { CreditsQuery, LedgerEntry, ReferenceKind } from "@mailvet/contract";
import { and, count, desc, eq, inArray, isNull, lte, type SQL, sql } from "drizzle-orm";
import { createBatcher } from "../base/batcher.ts";
import type { LogEvent } from "../base/log-events.ts";
import {
  type BeforeCommit,
  type Database,
  DEADLOCK,
  type Orm,
  sqlStateOf,
  UNIQUE_VIOLATION,
} from "../db/database.ts";
import { insufficientCredits, type OnLow, runsLow } from "./balance-checks.ts";
import { writeCharges } from "./charge-fast-path.ts";
import { isJobKey } from "./job-credits.ts";
import {
  conflictKeysOf,
  type LedgerChange,
  type LedgerChangeResult,
  refundPartOf,
  type UsageCounts,
  writeLedger,
} from "./ledger-writer.ts";
import { balances, ledger, unansweredBatches, unansweredCharges } from "./schema.ts";
import { type ChargeName, createUnansweredCharges } from "./unanswered-charges.ts";

export type { UsageCounts } from "./ledger-writer.ts";

export type EntryFilter = Pick<CreditsQuery, "reference" | "date" | "checks_of">;

export type Ledger = {
  /**
   * Spends at once, for what is known already, and returns the balance after it. Refuses with insufficient_credits.
   * Under an idempotency key that was spent under before it spends nothing.
   *
   * What is spent, here or by settling, is refunded unless it is confirmed in time (unanswered-charges.ts).
   */
  charge(charge: {
    accountId: string;
    amount: number;
    reference: string;
    idempotencyKey: string | undefined;
    usage: UsageCounts;
  }): Promise<number>;
  /**
   * Reserves credits for work ahead, for at most holdMs. Refuses with insufficient_credits.
   * Under an idempotency key that was spent under before it reserves nothing, and needs no credits.
   */
  reserve(reservation: {
    accountId: string;
    amount: number;
    reference: string;
    holdMs: number;
    idempotencyKey: string | undefined;
  }): Promise<Reservation>;
  /**
   * Adds credits; a negative amount removes them, and is refused when there are fewer.
   * Under an idempotency key that has an entry it changes nothing, and returns that entry.
   */
  grant(grant: {
    accountId: string;
    amount: number;
    reference: string;
    idempotencyKey: string | undefined;
    /** Called unless nothing changes. */
    beforeCommit?: BeforeCommit<LedgerEntry>;
  }): Promise<LedgerEntry>;
  /** The answer that was paid for is being sent. A charge's key is its idempotency key, or else its reference. */
  confirm(chargeKey: string): void;
  /** The answer that was paid for cannot be delivered. No effect if the charge was confirmed before. */
  refund(charge: ChargeName): void;
  /**
   * Returns part of a charge that is not confirmed yet, and its balance. Happens once for a charge, and never returns more
   * than it: what is refunded later, because the answer was not delivered, is the rest.
   */
  refundPart(charge: ChargeName & { amount: number }): Promise<number>;
  balanceOf(accountId: string): Promise<Balance>;
  /** By account; those without a balance are missing. */
  balancesOf(accountIds: readonly string[]): Promise<ReadonlyMap<string, Balance>>;
  /**
   * Newest first; all entries, or those of a reference, of a day in UTC, of the checks with a key. All entries add up to
   * the balance returned with them.
   */
  page(
    accountId: string,
    paging: { skip: number; limit: number } & EntryFilter,
  ): Promise<Balance & LedgerPage>;
  /** Opens the balance of a new account inside the caller's transaction. */
  open(tx: Orm, accountId: string, credits: number, reference: string): Promise<void>;
  /** Deletes the entries of accounts that are deleted in the same transaction. */
  erase(tx: Orm, accountIds: string[]): Promise<void>;
  /** Releases expired reservations, which belong to processes that died; returns how many. */
  releaseExpired(): Promise<number>;
  /** Refunds charges that were not confirmed in time; returns how many. */
  refundExpired(): Promise<number>;
  /** Waits until everything submitted so far is written. */
  close(): Promise<void>;
};

export type Balance = { balance: number; reserved: number };
type LedgerPage = { entries: LedgerEntry[]; total: number };

/** Credits reserved for work in progress: released on disposal unless settled before. */
export type Reservation = AsyncDisposable & {
  /** The balance after the reservation. */
  balance: number;
  /** Spends the reserved credits and returns the balance. If its idempotency key was spent under meanwhile, releases them. */
  settle(usage: UsageCounts): Promise<number>;
};

export type LedgerDeps = {
  database: Database;
  log?: LogEvent;
  /** A charge or a reservation took an account's balance below LOW_CREDITS. */
  onLow?: OnLow;
  /** For the metrics; without those of jobs (job-credits.ts). */
  countCredits?: (kind: "charged" | "refunded", credits: number) => void;
  /** By default SPLIT_AFTER_MS of unanswered-charges.ts. */
  splitAfterMs?: number;
};

/** All callers of a batch resume in one turn of the event loop; larger batches would make that turn long. */
const MAX_BATCH = 128;

export function createLedger(deps: LedgerDeps): Ledger {
  const { database, log = () => {}, onLow = () => {}, countCredits = () => {}, splitAfterMs } = deps;
  const { pool, orm } = database;

  const counted = async (written: Promise<LedgerChangeResult[]>): Promise<LedgerChangeResult[]> => {
    const results = await written;
    for (const { entry, amount } of results) {
      if (entry === "settle") countCredits("charged", amount);
      else if (entry === "refund") countCredits("refunded", amount);
    }
    return results;
  };
  const changes = createBatcher<LedgerChange, LedgerChangeResult>({
    run: (batch) =>
      counted(
        withRetries(
          async () => (await writeCharges(pool, batch, unanswered.addBatch)) ?? writeLedger(pool, batch),
        ),
      ),
    maxItems: MAX_BATCH,
    keysOf: conflictKeysOf,
    isItemError: isDataError,
  });
  /** Apart from the charges: a refund may wait for the lock on its charge, and charges must not wait for that. */
  const refunds = createBatcher<LedgerChange, LedgerChangeResult>({
    run: (batch) => counted(withRetries(() => writeLedger(pool, batch))),
    maxItems: MAX_BATCH,
    keysOf: conflictKeysOf,
    isItemError: isDataError,
  });
  const unanswered = createUnansweredCharges({
    pool,
    splitAfterMs,
    async writeRefund({ accountId, chargeKey }) {
      const { entry } = await refunds.submit({ kind: "refund", accountId, idempotencyKey: chargeKey });
      return entry === "refund";
    },
  });

  /** Returns the balance after the change. */
  const spend = async (change: Extract<LedgerChange, { kind: "charge" | "reserve" }>): Promise<number> => {
    requireAmount(change.amount);
    const { fits, entry, balance } = await changes.submit(change);
    if (!fits) throw insufficientCredits(change.amount, balance);
    if (entry && runsLow(balance, change.amount)) onLow(change.accountId, balance);
    return balance;
  };

  const filteredPage = async (
    accountId: string,
    { skip, limit, reference, date, checks_of }: Parameters<Ledger["page"]>[1],
  ): Promise<LedgerPage> => {
    const isWanted = and(
      eq(ledger.accountId, accountId),
      reference === undefined ? undefined : eq(ledger.reference, reference),
      date === undefined ? undefined : sql`(${ledger.createdAt} at time zone 'utc')::date = ${date}::date`,
      checks_of === undefined ? undefined : isCheckOf(checks_of),
    );
    const [counted] = await orm.select({ total: count() }).from(ledger).where(isWanted);
    const rows = await orm
      .select()
      .from(ledger)
      .where(isWanted)
      .orderBy(desc(ledger.number))
      .limit(limit)
      .offset(skip);
    return { entries: rows.map(presentEntry), total: counted?.total ?? 0 };
  };

  return {
    charge: (charge) => spend({ kind: "charge", ...charge }),

    async reserve({ holdMs, idempotencyKey, ...rest }) {
      const reserved = { ...rest, reservationId: randomUUID() };
      const balance = await spend({ kind: "reserve", ...reserved, holdMs, idempotencyKey });
      let isSettled = false;
      return {
        balance,
        async settle(usage) {
          const result = await changes.submit({ kind: "settle", ...reserved, idempotencyKey, usage });
          isSettled = true;
          // The work took longer than holdMs, and by then the credits were spent on something else.
          const { reference, amount } = reserved;
          if (!result.fits) log("charge_missed", { reference, amount });
          return result.balance;
        },
        async [Symbol.asyncDispose]() {
          if (isSettled) return;
          await changes.submit({ kind: "release", ...reserved }).catch(() => {
            // The reservation expires, and is released then.
          });
        },
      };
    },

    grant: ({ accountId, amount, reference, idempotencyKey, beforeCommit }) =>
      orm.transaction(async (tx) => {
        await openBalance(tx, accountId);
        // Locked before the writer's snapshot is taken: an entry that another process writes under this key is then seen.
        await tx.select().from(balances).where(eq(balances.accountId, accountId)).for("update");
        const kind = amount > 0 ? "grant" : "adjust";
        const change = { kind, accountId, amount: Math.abs(amount), reference, idempotencyKey } as const;
        const { fits, number, balance } = (await writeLedger(tx, [change]))[0]!;
        if (!fits) throw insufficientCredits(-amount, balance);
        const isEntry =
          number === undefined ? eq(ledger.idempotencyKey, idempotencyKey!) : eq(ledger.number, number);
        const [row] = await tx
          .select()
          .from(ledger)
          .where(and(eq(ledger.accountId, accountId), isEntry));
        const entry = presentEntry(row!);
        if (number !== undefined) await beforeCommit?.(tx, entry);
        return entry;
      }),

    confirm: unanswered.confirm,
    refund: unanswered.refund,
    refundExpired: unanswered.refundExpired,
    async refundPart({ accountId, chargeKey, amount }) {
      requireAmount(amount);
      await unanswered.separate(chargeKey);
      return (await refunds.submit(refundPartOf(accountId, chargeKey, amount))).balance;
    },

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

    async page(accountId, { skip, limit, ...filter }) {
      const [account] = await orm.select().from(balances).where(eq(balances.accountId, accountId));
      const { balance, reserved, entries: total } = account ?? { balance: 0, reserved: 0, entries: 0 };
      if (Object.values(filter).some((value) => value !== undefined))
        return { balance, reserved, ...(await filteredPage(accountId, { skip, limit, ...filter })) };
      const rows = await orm
        .select()
        .from(ledger)
        .where(and(eq(ledger.accountId, accountId), lte(ledger.number, total - skip)))
        .orderBy(desc(ledger.number))
        .limit(limit);
      return { balance, reserved, entries: rows.map(presentEntry), total };
    },

    async open(tx, accountId, credits, reference) {
      await openBalance(tx, accountId);
      if (credits <= 0) return;
      const [opened] = await tx
        .select()
        .from(balances)
        .where(eq(balances.accountId, accountId))
        .for("update");
      if (opened!.entries > 0) return;
      await writeLedger(tx, [
        { kind: "grant", accountId, amount: credits, reference, idempotencyKey: undefined },
      ]);
    },

    async erase(tx, accountIds) {
      await tx.delete(ledger).where(inArray(ledger.accountId, accountIds));
      // Batches first: one that is being split has been moved to the other table by then, or can no longer be.
      for (const table of [unansweredBatches, unansweredCharges])
        await tx.delete(table).where(inArray(table.accountId, accountIds));
    },

    async releaseExpired() {
      let total = 0;
      for (;;) {
        const { rows } = await pool.query<Omit<Extract<LedgerChange, { kind: "release" }>, "kind">>({
          name: "expired-reservations",
          text: EXPIRED_RESERVATIONS,
          values: [MAX_BATCH],
        });
        const results = await Promise.all(
          rows.map((reserved) => changes.submit({ kind: "release", ...reserved })),
        );
        const released = results.filter(({ entry }) => entry === "release").length;
        total += released;
        // Fewer than a full batch: none are left, or another process releases them too.
        if (released < MAX_BATCH) return total;
      }
    },

    async close() {
      await Promise.all([changes.flush(), refunds.flush()]);
      await unanswered.close();
    },
  };
}

const EXPIRED_RESERVATIONS = `
select id as "reservationId", account_id as "accountId", amount, reference
from reservations where expires_at < now() order by expires_at limit $1`;

const MAX_TRIES = 3;
/** The balance was lowered by another process while the statement waited for its lock. */
const CHECK_VIOLATION = "23514";
const RETRIED: ReadonlySet<string | undefined> = new Set([UNIQUE_VIOLATION, DEADLOCK, CHECK_VIOLATION]);

/** Another process may spend under the same key, or from the same balance, at the same moment. The next attempt sees it. */
async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === MAX_TRIES || !RETRIED.has(sqlStateOf(error))) throw error;
    }
  }
}

/** SQLSTATE classes 22 and 23: a value that cannot be stored, or that breaks a constraint. */
function isDataError(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && (state.startsWith("22") || state.startsWith("23"));
}

function requireAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 1)
    throw new RangeError(`invalid amount of credits: ${amount}`);
}

async function openBalance(by: Pick<Orm, "insert">, accountId: string): Promise<void> {
  await by.insert(balances).values({ accountId, balance: 0, reserved: 0, entries: 0 }).onConflictDoNothing();
}

/** As in the lines of statement.ts: reservations of checks have no key, and are in no line. */
function isCheckOf(checksOf: string): SQL | undefined {
  return and(
    inArray(ledger.kind, ["settle", "refund"]),
    sql`(${ledger.idempotencyKey} is null or ${ledger.idempotencyKey} not like 'job %')`,
    checksOf === "web_app" ? isNull(ledger.keyId) : eq(ledger.keyId, checksOf),
  );
}

function presentEntry(row: typeof ledger.$inferSelect): LedgerEntry {
  return {
    id: String(row.number),
    kind: row.kind,
    amount: row.amount,
    reserved_change: row.reservedChange,
    balance_after: row.balanceAfter,
    reference: row.reference,
    reference_kind: referenceKindOf(row),
    created_at: row.createdAt.toISOString(),
  };
}

function referenceKindOf({ kind, idempotencyKey }: typeof ledger.$inferSelect): ReferenceKind {
  if (kind === "grant" || kind === "adjust") return "note";
  return isJobKey(idempotencyKey) ? "job" : "request";
}
