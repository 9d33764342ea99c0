/**
 * Fast path of ledger-writer.ts for its most frequent batch: only charges without an idempotency key, of accounts that can
 * all pay. Cached answers are paid like that.
 *
 * Sums are computed here, so PostgreSQL only decides whether every account can pay. If one cannot, nothing is written, and
 * ledger-writer.ts decides charge by charge, in order of arrival.
 *
 * Kept beside it because it is faster: docs/decisions/0029-fast-path-of-the-ledger.md.
 */
import type pg from "pg";
import { ADD_USAGE, type LedgerChange, type LedgerChangeResult } from "./ledger-writer.ts";
import { ANSWERED_WITHIN_SECONDS, type UnansweredBatch } from "./unanswered-charges.ts";

type Charge = Extract<LedgerChange, { kind: "charge" }>;

/**
 * Writes the charges; undefined when nothing was written and ledger-writer.ts has to. `onUnanswered` is called for each row
 * of unanswered_batches.
 */
export async function writeCharges(
  pool: pg.Pool,
  changes: readonly LedgerChange[],
  onUnanswered: (batch: UnansweredBatch) => void,
): Promise<LedgerChangeResult[] | undefined> {
  if (!changes.every(isPlainCharge)) return undefined;
  const { totals, entries, days } = addUp(changes);
  const { rows } = await pool.query<{ account: number; balance: number; entries: number }>({
    name: "write-charges",
    text: WRITE_CHARGES,
    values: [
      textsOf(totals, (total) => total.accountId),
      arrayOf(totals, (total) => total.spent),
      arrayOf(totals, (total) => total.charges.length),
      arrayOf(entries, (entry) => entry.total.position),
      arrayOf(entries, (entry) => entry.position),
      arrayOf(entries, (entry) => entry.charge.amount),
      arrayOf(entries, (entry) => entry.spent),
      textsOf(entries, (entry) => entry.charge.reference),
      textsOf(entries, (entry) => entry.charge.usage.keyId),
      textsOf(totals, (total) => arrayOf(total.charges.flatMap(countsOf), (count) => count)),
      arrayOf(days, (day) => day.total.position),
      textsOf(days, (day) => day.keyId),
      ...STATUSES.map((status) => arrayOf(days, (day) => day.counts[status])),
      arrayOf(days, (day) => day.spent),
    ],
  });
  if (rows.length === 0) return undefined;
  const balances: number[] = [];
  for (const { account, balance, entries: before } of rows) {
    balances[account] = balance;
    const { accountId, charges } = totals[account - 1]!;
    onUnanswered({
      accountId,
      firstNumber: before + 1,
      chargeKeys: charges.map(({ reference }) => reference),
    });
  }
  return entries.map(({ total, charge, spent }) => ({
    fits: true,
    entry: "settle",
    number: undefined, // needed for grants only
    amount: charge.amount,
    balance: balances[total.position]! - spent,
  }));
}

function isPlainCharge(change: LedgerChange): change is Charge {
  return change.kind === "charge" && change.idempotencyKey === undefined;
}

const STATUSES = ["valid", "invalid", "risky", "unknown"] as const;

const countsOf = ({ usage }: Charge) => STATUSES.map((status) => usage.counts[status]);

/** `position` counts the accounts, or the charges of one account; `spent` is the account's running total. */
type AccountTotal = { accountId: string; position: number; spent: number; charges: Charge[] };
type ChargeEntry = { charge: Charge; total: AccountTotal; position: number; spent: number };
type DayUsage = {
  total: AccountTotal;
  keyId: string | undefined;
  counts: Charge["usage"]["counts"];
  spent: number;
};

function addUp(charges: readonly Charge[]): {
  totals: AccountTotal[];
  entries: ChargeEntry[];
  days: DayUsage[];
} {
  const totals = new Map<string, AccountTotal>();
  const days = new Map<string, DayUsage>();
  const entries = charges.map((charge) => {
    const { accountId, amount } = charge;
    const { keyId, counts } = charge.usage;

    const total = totals.get(accountId) ?? { accountId, position: totals.size + 1, spent: 0, charges: [] };
    totals.set(accountId, total);
    total.spent += amount;
    total.charges.push(charge);

    const name = `${accountId} ${keyId}`;
    const day = days.get(name) ?? {
      total,
      keyId,
      counts: { valid: 0, invalid: 0, risky: 0, unknown: 0 },
      spent: 0,
    };
    days.set(name, day);
    day.spent += amount;
    for (const status of STATUSES) day.counts[status] += counts[status];

    return { charge, total, position: total.charges.length, spent: total.spent };
  });
  return { totals: [...totals.values()], entries, days: [...days.values()] };
}

/** An array literal. Given a list, pg would quote and escape every number. */
function arrayOf<T>(items: readonly T[], numberOf: (item: T) => number): string {
  return `{${items.map(numberOf).join(",")}}`;
}

/** The same for text. Ids, which is what almost all of it is, contain nothing to escape. */
function textsOf<T>(items: readonly T[], textOf: (item: T) => string | undefined): string {
  return `{${items.map((item) => elementOf(textOf(item))).join(",")}}`;
}

function elementOf(text: string | undefined): string {
  if (text === undefined) return "NULL";
  return `"${SPECIAL.test(text) ? text.replace(/[\\"]/g, "\\$&") : text}"`;
}

const SPECIAL = /[\\"]/;

/**
 * `paid` reads `account` first, so the balances are locked by then, in the same order as in ledger-writer.ts. It updates and
 * returns the newest row, not that of the statement's snapshot.
 */
const WRITE_CHARGES = `
with
due as materialized (
  select account_id, spent, entries, account::int
  from unnest($1::uuid[], $2::bigint[], $3::bigint[]) with ordinality as d (account_id, spent, entries, account)
),
account as materialized (
  select account_id, balance from balances
  where account_id = any($1::uuid[]) order by account_id for update
),
paid as (
  update balances b set balance = b.balance - due.spent, entries = b.entries + due.entries
  from due
  where b.account_id = due.account_id and b.account_id = any($1::uuid[]) and cardinality($1::uuid[]) = (
    select count(*) from account join due using (account_id) where balance >= spent
  )
  returning due.account, b.account_id, b.balance + due.spent as balance, b.entries - due.entries as entries
),
entry as (
  insert into ledger (account_id, number, kind, amount, reserved_change, balance_after, reference, key_id)
  select account_id, entries + place, 'settle', -amount, 0, balance - line.spent, reference, key_id
  from unnest($4::int[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::uuid[])
    as line (account, place, amount, spent, reference, key_id)
  join paid using (account)
),
unanswered as (
  insert into unanswered_batches (account_id, first_number, counts, expires_at)
  select account_id, entries + 1, counts::int[], now() + interval '${ANSWERED_WITHIN_SECONDS} seconds'
  from unnest($10::text[]) with ordinality as batch (counts, account)
  join paid using (account)
),
usage as (
  insert into usage_days as u (account_id, day, key_id, valid, invalid, risky, unknown, credits_used)
  select account_id, (now() at time zone 'utc')::date, key_id, valid, invalid, risky, unknown, spent
  from unnest($11::int[], $12::uuid[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[])
    as use (account, key_id, valid, invalid, risky, unknown, spent)
  join paid using (account)
  ${ADD_USAGE}
)
select account, balance, entries from paid`;
