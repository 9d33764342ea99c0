/**
 * Moves of credits, many at a time: one statement, one commit, and each is either written whole or not at all.
 *
 * The statement locks the balances it touches (always in the same order, so that processes never wait for one another in
 * a circle), then walks through the moves of each account in their order of arrival. Only ledger.ts knows what callers
 * make of the outcome.
 */
import type { Status } from "@mailvet/contract";
import type pg from "pg";
import { ANSWERED_WITHIN_SECONDS } from "./unanswered-charges.ts";

/** What spending was for, as it is counted per day. */
export type Use = { keyId: string | undefined; counts: Record<Status, number> };

export type LedgerChange = { accountId: string; amount: number; reference: string } & (
  | { kind: "charge"; idempotencyKey: string | undefined; use: Use }
  | { kind: "reserve"; reservationId: string; holdMs: number; idempotencyKey: string | undefined }
  | { kind: "settle"; reservationId: string; idempotencyKey: string | undefined; use: Use }
  | { kind: "release"; reservationId: string }
);

export type LedgerChangeResult = {
  /** False when the balance did not allow it; then nothing was written. */
  fits: boolean;
  /** What was written to the ledger; undefined when there was nothing to write, or it did not fit. */
  entry: "reserve" | "settle" | "release" | undefined;
  /** The account's balance after this move. */
  balance: number;
};

/**
 * Writes the moves and says what became of each. No two of them may clash (see clashNamesOf).
 * Of two processes that spend under one idempotency key at the same moment, the later one fails with a unique violation.
 */
export async function commitLedgerChanges(
  pool: pg.Pool,
  moves: readonly LedgerChange[],
): Promise<LedgerChangeResult[]> {
  const rows = moves
    .map(rowOf)
    .sort((a, b) => (a.account_id < b.account_id ? -1 : Number(a.account_id > b.account_id)));
  const accountIds = new Set(rows.map((row) => row.account_id));
  const { rows: decided } = await pool.query<
    { place: number; entry: LedgerChangeResult["entry"] | null } & LedgerChangeResult
  >({
    name: "commit-moves",
    text: COMMIT_MOVES,
    values: [JSON.stringify(rows), [...accountIds]],
  });
  const outcomes: LedgerChangeResult[] = [];
  for (const { place, fits, entry, balance } of decided) {
    outcomes[place] = { fits, entry: entry ?? undefined, balance };
  }
  return outcomes;
}

/** Moves that share one of these names must not be in one batch: the later has to see what the earlier did. */
export function clashNamesOf(move: LedgerChange): string[] {
  const names: string[] = [];
  if (move.kind !== "charge") names.push(move.reservationId);
  if ("idempotencyKey" in move && move.idempotencyKey !== undefined)
    names.push(`${move.accountId} ${move.idempotencyKey}`);
  return names;
}

function rowOf(move: LedgerChange, place: number) {
  const use = "use" in move ? move.use : undefined;
  return {
    place, // among the moves as they came; sorting by account keeps this order within each
    kind: move.kind,
    account_id: move.accountId,
    amount: move.amount,
    reference: move.reference,
    reservation_id: move.kind === "charge" ? undefined : move.reservationId,
    hold_ms: move.kind === "reserve" ? move.holdMs : undefined,
    once_key: "idempotencyKey" in move ? move.idempotencyKey : undefined,
    key_id: use?.keyId,
    ...use?.counts,
  };
}

/**
 * `rule` is the policy: what a move means, by whether its reservation is still held and whether its idempotency key was spent
 * under before. No rule, nothing to do: what was paid for before is neither charged nor held again.
 *
 * Everything after `account` depends on it, so that it runs with the balances locked. What was committed while we waited
 * for the locks shows in the balances and in `gone` (both look at the newest row, not at the statement's snapshot).
 *
 * The plan is made once per connection, perhaps while the tables are empty. `limit 1` in `spent` keeps that a lookup by
 * index; otherwise a young service would read its whole ledger with every statement, until the next analyze.
 */
const COMMIT_MOVES = `
with recursive
rule (kind, is_held, is_repeated, entry, balance_sign, reserved_sign) as (values
  ('charge',  false, false, 'settle',  -1,  0),
  ('reserve', false, false, 'reserve', -1,  1),
  ('settle',  true,  false, 'settle',   0, -1),
  ('settle',  true,  true,  'release',  1, -1),
  ('settle',  false, false, 'settle',  -1,  0),
  ('release', true,  false, 'release',  1, -1)
),
move as materialized (
  select ordinality::int as n, m.*
  from rows from (json_to_recordset($1::json) as (
    place int, kind text, account_id uuid, amount bigint, reference text, reservation_id uuid, hold_ms float8,
    once_key text, key_id uuid, valid bigint, invalid bigint, risky bigint, unknown bigint
  )) with ordinality as m
),
account as materialized (
  select account_id, balance, entries from balances
  where account_id = any($2::uuid[]) order by account_id for update
),
gone as (
  delete from reservations r using move m join account a on a.account_id = m.account_id
  where r.id = m.reservation_id and r.account_id = m.account_id and m.kind in ('settle', 'release')
  returning r.id
),
turn as materialized (
  select m.*, rule.entry,
    coalesce(rule.balance_sign * m.amount, 0) as change, coalesce(rule.reserved_sign * m.amount, 0) as reserved_change
  from move m
  left join gone on gone.id = m.reservation_id
  left join lateral (
    select true as is_so from ledger l where l.account_id = m.account_id and l.once_key = m.once_key limit 1
  ) spent on true
  left join rule on rule.kind = m.kind
    and rule.is_held = (gone.id is not null) and rule.is_repeated = (spent.is_so is not null)
),
change as materialized (select array_agg(change order by n) as by_n from turn),
walk (account_id, n, last, fits, balance) as (
  select account_id, first - 1, last, true, coalesce(balance, 0)
  from (select account_id, min(n) as first, max(n) as last from move group by account_id) span
  left join account using (account_id)
  union all
  select account_id, n + 1, last, next >= 0, case when next >= 0 then next else balance end
  from walk, lateral (select balance + (select by_n from change)[n + 1] as next) step
  where n < last
),
decided as materialized (
  select turn.*, fits, balance, fits and entry is not null as is_written from walk join turn using (account_id, n)
),
written as materialized (
  select decided.*, entries + row_number() over (partition by account_id order by n) as number
  from decided join account using (account_id) where is_written
),
balance_change as (
  update balances b set
    balance = b.balance + total.change, reserved = b.reserved + total.reserved_change, entries = total.entries
  from (
    select account_id, sum(change) as change, sum(reserved_change) as reserved_change, max(number) as entries
    from written group by account_id
  ) total
  where b.account_id = total.account_id and b.account_id = any($2::uuid[])
),
entry as (
  insert into ledger (account_id, number, kind, amount, reserved_change, balance_after, reference, once_key)
  select account_id, number, entry, change, reserved_change, balance, reference,
    case when entry = 'settle' then once_key end
  from written
),
reservation as (
  insert into reservations (id, account_id, amount, reference, expires_at)
  select reservation_id, account_id, amount, reference, now() + hold_ms * interval '1 millisecond'
  from written where entry = 'reserve'
),
unanswered as (
  insert into unanswered_charges
    (charge_key, account_id, amount, reference, day, key_id, valid, invalid, risky, unknown, expires_at)
  select coalesce(once_key, reference), account_id, amount, reference, (now() at time zone 'utc')::date, key_id,
    valid, invalid, risky, unknown, now() + interval '${ANSWERED_WITHIN_SECONDS} seconds'
  from written where entry = 'settle'
  on conflict (charge_key) do nothing
),
usage as (
  insert into usage_days as u (account_id, day, key_id, valid, invalid, risky, unknown, credits_used)
  select account_id, (now() at time zone 'utc')::date, key_id,
    sum(valid), sum(invalid), sum(risky), sum(unknown), sum(amount)
  from written where entry = 'settle' group by account_id, key_id
  on conflict on constraint usage_day do update set
    valid = u.valid + excluded.valid, invalid = u.invalid + excluded.invalid, risky = u.risky + excluded.risky,
    unknown = u.unknown + excluded.unknown, credits_used = u.credits_used + excluded.credits_used
)
select place, fits, case when fits then entry end as entry, balance from decided`;
