/**
 * Credits of every account: granted, charged, refunded.
 *
 * The entries of an account add up to its balance, which is never negative. A promise resolves when its entry is on disk.
 * Entries from all over the process are batched (batcher.ts) and written by one statement at a time (post.ts). Credits of
 * runs, which are reserved first, are in run-credits.ts.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { CreditsQuery, LedgerEntry, ReferenceKind } from "@mailvet/contract";
import { and, count, desc, eq, inArray, isNull, lte, type SQL, sql } from "drizzle-orm";
import type pg from "pg";
import { createBatcher } from "../base/batcher.ts";
import {
  type BeforeCommit,
  type Database,
  DEADLOCK,
  isDatabaseUnavailable,
  type Orm,
  sqlStateOf,
} from "../db/database.ts";
import { insufficientCredits, type OnLow, runsLow } from "./balance-checks.ts";
import { type Posted, type Posting, post } from "./post.ts";
import type { RequestCharge } from "./request-charge.ts";
import { balances, ledger } from "./schema.ts";

export type EntryFilter = Pick<CreditsQuery, "reference" | "date" | "checks_of">;

export type Ledger = {
  /**
   * Spends credits at once. Refuses with insufficient_credits. Under a key that was charged before it spends nothing. While
   * the connection to the database is lost, it is repeated; when the time is up it fails, and the charge is uncertain.
   */
  charge(charge: RequestCharge, amount: number): Promise<void>;
  /** Happens once for a charge. */
  refund(charge: RequestCharge, what: "all" | "returned"): Promise<void>;
  refundWithin(tx: Orm, charge: RequestCharge, what: "all" | "returned"): Promise<void>;
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
  /** Waits until everything submitted so far is written. */
  close(): Promise<void>;
};

export type Balance = { balance: number; reserved: number };
type LedgerPage = { entries: LedgerEntry[]; total: number };

export type LedgerDeps = {
  database: Pick<Database, "pool" | "orm">;
  /** A charge took an account's balance below LOW_CREDITS. */
  onLow?: OnLow;
  /** For the metrics; without those of runs (run-credits.ts). */
  countCredits?: (kind: "charged" | "refunded", credits: number) => void;
};

/** All callers of a batch resume in one turn of the event loop; larger batches would make that turn long. */
const MAX_BATCH = 128;

export function createLedger(deps: LedgerDeps): Ledger {
  const { database, onLow = () => {}, countCredits = () => {} } = deps;
  const { pool, orm } = database;
  const entries = createBatcher<Posting, Posted>({
    run: (items) => writeRepeatedly(pool, items),
    maxItems: MAX_BATCH,
  });
  function noteRefund(charge: RequestCharge, posted: Posted | undefined, what: "all" | "returned"): void {
    if (!posted) return;
    charge.balance = posted.balance;
    if (posted.outcome === "written") countCredits("refunded", charge.amountOf(what));
  }

  return {
    async charge(charge, amount) {
      if (!Number.isSafeInteger(amount) || amount < 1)
        throw new RangeError(`invalid amount of credits: ${amount}`);
      if (charge.amount > 0) throw new Error(`request ${charge.reference} has charged already`);
      charge.amount = amount; // from now on it may be written
      try {
        const { outcome, balance } = await entries.submit(charge.charge());
        if (outcome === "refused") throw insufficientCredits(amount, balance);
        charge.balance = balance;
        if (outcome !== "written") return;
        countCredits("charged", amount);
        if (runsLow(balance, amount)) onLow(charge.accountId, balance);
      } catch (error) {
        if (error instanceof UncertainOutcome) charge.isUncertain = true;
        else charge.amount = 0;
        throw error;
      }
    },

    async refund(charge, what) {
      const posted = await Promise.all(charge.refund(what).map((item) => entries.submit(item)));
      noteRefund(charge, posted.at(-1), what);
    },
    async refundWithin(tx, charge, what) {
      const items = charge.refund(what);
      if (items.length > 0) noteRefund(charge, (await post(tx, items)).at(-1), what);
    },

    grant: ({ accountId, amount, reference, idempotencyKey: key = randomUUID(), beforeCommit }) =>
      orm.transaction(async (tx) => {
        await openBalance(tx, accountId);
        const kind = amount > 0 ? "grant" : "adjust";
        const item = { kind, accountId, key, amount: Math.abs(amount), subject: "grant", reference } as const;
        const { outcome, balance } = (await post(tx, [item]))[0]!;
        if (outcome === "refused") throw insufficientCredits(-amount, balance);
        const [row] = await tx
          .select()
          .from(ledger)
          .where(and(eq(ledger.accountId, accountId), eq(ledger.key, key), eq(ledger.kind, kind)));
        const entry = presentEntry(row!);
        if (outcome === "written") await beforeCommit?.(tx, entry);
        return entry;
      }),

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

    async page(accountId, { skip, limit, reference, date, checks_of }) {
      const [account] = await orm.select().from(balances).where(eq(balances.accountId, accountId));
      const { balance, reserved, entries } = account ?? { balance: 0, reserved: 0, entries: 0 };
      const filters = [
        reference === undefined ? undefined : eq(ledger.reference, reference),
        date === undefined ? undefined : sql`(${ledger.createdAt} at time zone 'utc')::date = ${date}::date`,
        checks_of === undefined ? undefined : isCheckOf(checks_of),
      ].filter((filter) => filter !== undefined);
      const isWanted = and(eq(ledger.accountId, accountId), ...filters);
      const [counted] =
        filters.length === 0
          ? [{ total: entries }]
          : await orm.select({ total: count() }).from(ledger).where(isWanted);
      const [last, offset] = filters.length === 0 ? [entries - skip, 0] : [entries, skip];
      const rows = await orm
        .select()
        .from(ledger)
        .where(and(isWanted, lte(ledger.number, last)))
        .orderBy(desc(ledger.number))
        .limit(limit)
        .offset(offset);
      return { balance, reserved, entries: rows.map(presentEntry), total: counted?.total ?? 0 };
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
      const grant = { kind: "grant", amount: credits, subject: "grant", reference } as const;
      await post(tx, [{ ...grant, accountId, key: randomUUID() }]);
    },

    async erase(tx, accountIds) {
      await tx.delete(ledger).where(inArray(ledger.accountId, accountIds));
    },

    close: entries.flush,
  };
}

/** The connection was lost and the time is up: the items may be written, now or in a moment. */
class UncertainOutcome extends Error {
  constructor(cause: unknown) {
    super("the connection was lost while entries were written", { cause });
  }
}

const REPEAT_FOR_MS = 5_000;
const REPEAT_PAUSE_MS = 50;

/** Repeats the same items when the connection was lost under them: what was committed is known then. */
async function writeRepeatedly(pool: pg.Pool, items: readonly Posting[]): Promise<Posted[]> {
  const giveUpAt = performance.now() + REPEAT_FOR_MS;
  for (let isUncertain = false; ; await delay(REPEAT_PAUSE_MS)) {
    let client: pg.PoolClient | undefined;
    try {
      client = await pool.connect(); // a failure here sends nothing
      return await post(client, items);
    } catch (error) {
      isUncertain ||= client !== undefined && isDatabaseUnavailable(error);
      const isRepeated = isUncertain || sqlStateOf(error) === DEADLOCK; // with the deletion of an account
      if (isRepeated && performance.now() < giveUpAt) continue;
      throw isUncertain ? new UncertainOutcome(error) : error;
    } finally {
      client?.release(); // the pool discards a connection that is broken
    }
  }
}

async function openBalance(by: Pick<Orm, "insert">, accountId: string): Promise<void> {
  await by.insert(balances).values({ accountId, balance: 0, reserved: 0, entries: 0 }).onConflictDoNothing();
}

/** As in the lines of statement.ts. */
function isCheckOf(checksOf: string): SQL | undefined {
  return and(
    eq(ledger.subject, "check"),
    inArray(ledger.kind, ["settle", "refund"]), // earlier releases reserved credits for checks
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
    reference_kind: REFERENCE_KINDS[row.subject],
    created_at: row.createdAt.toISOString(),
  };
}

const REFERENCE_KINDS = {
  check: "request",
  run: "job",
  grant: "note",
} as const satisfies Record<string, ReferenceKind>;
