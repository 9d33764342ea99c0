/**
 * The ordinary case of ledger-entries.ts, for less than half of what it costs the database there: a batch of nothing but
 * charges without an idempotency key, by accounts that can all pay. Answers from memory are paid like that.
 *
 * What can be added up beforehand is, so PostgreSQL has nothing left to decide but whether everybody can pay. If
 * somebody cannot, nothing is written: ledger-entries.ts then finds out who gets how far, in their order of arrival.
 */
import type pg from "pg";
import type { LedgerChange, LedgerChangeResult } from "./ledger-entries.ts";
import { ANSWERED_WITHIN_SECONDS } from "./unanswered-charges.ts";

type Charge = Extract<LedgerChange, { kind: "charge" }>;

/** Writes the charges and says what became of each; undefined when it is a case for ledger-entries.ts and nothing was written. */
export async function commitCharges(
  pool: pg.Pool,
  moves: readonly LedgerChange[],
): Promise<LedgerChangeResult[] | undefined> {
  if (!moves.every(isPlainCharge)) return undefined;
  const { dues, lines, uses } = addUp(moves);
  const { rows } = await pool.query<{ account: number; balance: number }>({
    name: "commit-plain-charges",
    text: COMMIT_PLAIN_CHARGES,
    values: [
      dues.map((due) => due.accountId),
      arrayOf(dues, (due) => due.spent),
      arrayOf(dues, (due) => due.entries),
      arrayOf(lines, (line) => line.due.place),
      arrayOf(lines, (line) => line.place),
      arrayOf(lines, (line) => line.charge.amount),
      arrayOf(lines, (line) => line.spent),
      lines.map((line) => line.charge.reference),
      lines.map((line) => line.charge.use.keyId),
      ...STATUSES.map((status) => arrayOf(lines, (line) => line.charge.use.counts[status])),
      arrayOf(uses, (use) => use.due.place),
      uses.map((use) => use.keyId),
      ...STATUSES.map((status) => arrayOf(uses, (use) => use.counts[status])),
      arrayOf(uses, (use) => use.spent),
    ],
  });
  if (rows.length === 0) return undefined;
  const balances: number[] = [];
  for (const { account, balance } of rows) balances[account] = balance;
  return lines.map(({ due, spent }) => ({
    fits: true,
    entry: "settle",
    balance: balances[due.place]! - spent,
  }));
}

function isPlainCharge(move: LedgerChange): move is Charge {
  return move.kind === "charge" && move.idempotencyKey === undefined;
}

const STATUSES = ["valid", "invalid", "risky", "unknown"] as const;

/** `place` counts the accounts, or the charges of one account; `spent` is the account's running total. */
type Due = { accountId: string; place: number; spent: number; entries: number };
type Line = { charge: Charge; due: Due; place: number; spent: number };
type DayUse = { due: Due; keyId: string | undefined; counts: Charge["use"]["counts"]; spent: number };

function addUp(charges: readonly Charge[]): { dues: Due[]; lines: Line[]; uses: DayUse[] } {
  const dues = new Map<string, Due>();
  const uses = new Map<string, DayUse>();
  const lines = charges.map((charge) => {
    const { accountId, amount } = charge;
    const { keyId, counts } = charge.use;

    const due = dues.get(accountId) ?? { accountId, place: dues.size + 1, spent: 0, entries: 0 };
    dues.set(accountId, due);
    due.spent += amount;
    due.entries += 1;

    const name = `${accountId} ${keyId}`;
    const use = uses.get(name) ?? {
      due,
      keyId,
      counts: { valid: 0, invalid: 0, risky: 0, unknown: 0 },
      spent: 0,
    };
    uses.set(name, use);
    use.spent += amount;
    for (const status of STATUSES) use.counts[status] += counts[status];

    return { charge, due, place: due.entries, spent: due.spent };
  });
  return { dues: [...dues.values()], lines, uses: [...uses.values()] };
}

/** As PostgreSQL reads it. Given a list, pg would quote and escape every number. */
function arrayOf<T>(items: readonly T[], numberOf: (item: T) => number): string {
  return `{${items.map(numberOf).join(",")}}`;
}

/**
 * `paid` looks at `account` before it touches anything, so that the balances are locked by then, in the order that
 * ledger-entries.ts locks them in. What it changes and returns is the newest row, not that of the statement's snapshot.
 */
const COMMIT_PLAIN_CHARGES = `
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
line as materialized (
  select *
  from unnest(
    $4::int[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[],
    $9::uuid[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[]
  ) as line (account, place, amount, spent, reference, key_id, valid, invalid, risky, unknown)
  join paid using (account)
),
entry as (
  insert into ledger (account_id, number, kind, amount, reserved_change, balance_after, reference)
  select account_id, entries + place, 'settle', -amount, 0, balance - spent, reference from line
),
unanswered as (
  insert into unanswered_charges
    (charge_key, account_id, amount, reference, day, key_id, valid, invalid, risky, unknown, expires_at)
  select reference, account_id, amount, reference, (now() at time zone 'utc')::date, key_id,
    valid, invalid, risky, unknown, now() + interval '${ANSWERED_WITHIN_SECONDS} seconds'
  from line
  on conflict (charge_key) do nothing
),
usage as (
  insert into usage_days as u (account_id, day, key_id, valid, invalid, risky, unknown, credits_used)
  select account_id, (now() at time zone 'utc')::date, key_id, valid, invalid, risky, unknown, spent
  from unnest($14::int[], $15::uuid[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[])
    as use (account, key_id, valid, invalid, risky, unknown, spent)
  join paid using (account)
  on conflict on constraint usage_day do update set
    valid = u.valid + excluded.valid, invalid = u.invalid + excluded.invalid, risky = u.risky + excluded.risky,
    unknown = u.unknown + excluded.unknown, credits_used = u.credits_used + excluded.credits_used
)
select account, balance from paid`;
