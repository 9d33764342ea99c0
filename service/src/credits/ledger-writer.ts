/**
 * The ledger writer: applies a batch of changes in one statement, each either written whole or not at all.
 *
 * The statement locks the balances it touches, always in the same order so that processes cannot deadlock, then applies the
 * changes of each account in their order of arrival. It runs on the pool (ledger.ts, batched) or inside a caller's
 * transaction (job-credits.ts). Only charge-fast-path.ts writes ledger entries besides it.
 */
import type { Status } from "@mailvet/contract";
import { type Queryable, runStatement } from "../db/database.ts";
import { ANSWERED_WITHIN_SECONDS } from "./unanswered-charges.ts";

/** What spending was for, as it is counted per day. */
export type UsageCounts = { keyId: string | undefined; counts: Record<Status, number> };

type Keyed = { idempotencyKey: string | undefined };
type Reserved = { reservationId: string };

export type LedgerChange =
  | ({ accountId: string; amount: number; reference: string } & (
      | ({ kind: "charge"; usage: UsageCounts } & Keyed)
      | ({ kind: "reserve"; holdMs: number } & Reserved & Keyed)
      | ({ kind: "settle"; usage: UsageCounts } & Reserved & Keyed)
      | ({ kind: "release" } & Reserved)
      | ({ kind: "reserve_job" | "release_job" } & Reserved & Keyed)
      | ({ kind: "settle_job"; usage: UsageCounts } & Reserved & Keyed)
      /** Returns part of what settle_job spends in the same batch. The usage has no counts: the verdicts were given. */
      | ({ kind: "refund_job"; usage: UsageCounts } & Reserved & Keyed)
      | ({ kind: "grant" | "adjust" } & Keyed)
    ))
  /** Returns part of an unanswered charge, which is then an unanswered charge of the rest. */
  | ({ kind: "refund_part"; accountId: string; amount: number; chargeKey: string } & Keyed)
  /** The key is that of the unanswered charge. */
  | ({ kind: "refund"; accountId: string } & Keyed);

export type LedgerChangeResult = {
  /** False when the balance is too low; then nothing is written. */
  fits: boolean;
  /** The entry that was written; undefined when there was nothing to write, or the balance is too low. */
  entry: "grant" | "adjust" | "reserve" | "settle" | "release" | "refund" | undefined;
  /** The account's number of that entry. */
  number: number | undefined;
  /** Credits of the change, without sign; 0 for a refund without an unanswered charge. */
  amount: number;
  /** The account's balance after this change. */
  balance: number;
};

/**
 * Writes the changes; the results are in their order. No two of them may conflict (see conflictKeysOf).
 * Of two processes that spend under one idempotency key at the same moment, the later one fails with a unique violation.
 */
export async function writeLedger(
  by: Queryable,
  changes: readonly LedgerChange[],
): Promise<LedgerChangeResult[]> {
  const rows = changes
    .map(rowOf)
    .sort((a, b) => (a.account_id < b.account_id ? -1 : Number(a.account_id > b.account_id)));
  const accountIds = new Set(rows.map((row) => row.account_id));
  const written = await runStatement<Row>(by, WRITE_LEDGER, [JSON.stringify(rows), [...accountIds]]);
  const results: LedgerChangeResult[] = [];
  for (const { place, fits, entry, number, amount, balance } of written) {
    results[place] = {
      fits,
      entry: entry ?? undefined,
      number: number ?? undefined,
      amount: amount ?? 0,
      balance,
    };
  }
  return results;
}

type Row = {
  place: number;
  fits: boolean;
  entry: LedgerChangeResult["entry"] | null;
  number: number | null;
  amount: number | null;
  balance: number;
};

/** Changes that share one of these keys must not be in one batch: the later one has to see the effect of the earlier. */
export function conflictKeysOf(change: LedgerChange): string[] {
  const keys: string[] = [];
  if ("reservationId" in change) keys.push(change.reservationId);
  if ("idempotencyKey" in change && change.idempotencyKey !== undefined)
    keys.push(`${change.accountId} ${change.idempotencyKey}`);
  if ("chargeKey" in change) keys.push(`${change.accountId} ${change.chargeKey}`);
  return keys;
}

function rowOf(change: LedgerChange, place: number) {
  const usage = "usage" in change ? change.usage : undefined;
  return {
    place, // in the order of arrival; sorting by account keeps this order within each
    kind: change.kind,
    account_id: change.accountId,
    amount: "amount" in change ? change.amount : undefined,
    reference: "reference" in change ? change.reference.toWellFormed() : undefined, // JSON with a lone surrogate is an error in PostgreSQL
    reservation_id: "reservationId" in change ? change.reservationId : undefined,
    hold_ms: "holdMs" in change ? change.holdMs : undefined,
    idempotency_key: "idempotencyKey" in change ? change.idempotencyKey : undefined,
    charge_key: "chargeKey" in change ? change.chargeKey : undefined,
    key_id: usage?.keyId,
    ...usage?.counts,
  };
}

/** Of the idempotency key of a partial refund; the rest is the key of the charge. */
const PART_PREFIX = "part ";

/** A charge is refunded in part at most once. */
export function refundPartOf(accountId: string, chargeKey: string, amount: number): LedgerChange {
  const idempotencyKey = `${PART_PREFIX}${chargeKey}`;
  return { kind: "refund_part", accountId, amount, chargeKey, idempotencyKey };
}

/** Adds to the usage of the day, for statements that insert into `usage_days as u`. */
export const ADD_USAGE = `
  on conflict on constraint usage_day do update set
    valid = u.valid + excluded.valid, invalid = u.invalid + excluded.invalid, risky = u.risky + excluded.risky,
    unknown = u.unknown + excluded.unknown, credits_used = u.credits_used + excluded.credits_used`;

/**
 * `rule` is the policy: the entry that a change becomes, by whether its reservation (or unanswered charge) is still open
 * and whether its idempotency key was spent under before. No rule, no entry: what was paid before is not charged again.
 *
 * Everything after `account` depends on it, so it runs with the balances locked. What was committed while waiting for the
 * locks shows in the balances, in `closed`, `refunded` and `lowered`, which read the newest row and not the statement's snapshot.
 *
 * The plan is made once per connection, perhaps while the tables are empty. `limit 1` keeps lookups by key on the index;
 * otherwise a young service would read its whole ledger with every statement until the next analyze.
 */
const WRITE_LEDGER = {
  name: "write-ledger",
  text: `
with recursive
rule (kind, is_open, is_repeated, entry, balance_sign, reserved_sign, keeps_key) as (values
  ('charge',      false, false, 'settle',  -1,  0, true),
  ('reserve',     false, false, 'reserve', -1,  1, false),
  ('settle',      true,  false, 'settle',   0, -1, true),
  ('settle',      true,  true,  'release',  1, -1, false),
  ('settle',      false, false, 'settle',  -1,  0, true),
  ('release',     true,  false, 'release',  1, -1, false),
  ('reserve_job', false, false, 'reserve', -1,  1, true),
  ('settle_job',  true,  false, 'settle',   0, -1, true),
  ('release_job', true,  false, 'release',  1, -1, true),
  ('refund_job',  true,  false, 'refund',   1,  0, true),
  ('refund',      true,  false, 'refund',   1,  0, false),
  ('refund_part', true,  false, 'refund',   1,  0, true),
  ('grant',       false, false, 'grant',    1,  0, true),
  ('adjust',      false, false, 'adjust',  -1,  0, true)
),
change as materialized (
  select ordinality::int as n, c.*
  from rows from (json_to_recordset($1::json) as (
    place int, kind text, account_id uuid, amount bigint, reference text, reservation_id uuid, hold_ms float8,
    idempotency_key text, charge_key text, key_id uuid, valid bigint, invalid bigint, risky bigint, unknown bigint
  )) with ordinality as c
),
account as materialized (
  select account_id, balance, entries from balances
  where account_id = any($2::uuid[]) order by account_id for update
),
closed as (
  delete from reservations r using change c join account a on a.account_id = c.account_id
  where r.id = c.reservation_id and r.account_id = c.account_id and c.kind not like 'reserve%'
  returning r.id
),
refunded as (
  delete from unanswered_charges where ctid = any(array(
    select (
      select u.ctid from unanswered_charges u
      where u.charge_key = c.idempotency_key and u.account_id = c.account_id limit 1
    )
    from change c join account a on a.account_id = c.account_id where c.kind = 'refund'
  ))
  returning *
),
lowered as (
  update unanswered_charges u set amount = u.amount - part.amount
  from (
    select c.n, c.amount, (
      select u.ctid from unanswered_charges u
      where u.charge_key = c.charge_key and u.account_id = c.account_id and u.amount >= c.amount
        and not exists (
          select from ledger l where l.account_id = c.account_id and l.idempotency_key = c.idempotency_key
        ) limit 1
    ) as row_id
    from change c join account a on a.account_id = c.account_id where c.kind = 'refund_part'
  ) part
  where u.ctid = part.row_id
  returning part.n, u.reference, u.day, u.key_id
),
freed as (
  -- The same request, sent again after a refund, is charged again, and may be refunded in part again.
  update ledger set idempotency_key = null where ctid = any(array(
    select (
      select l.ctid from ledger l where l.account_id = r.account_id and l.idempotency_key = keyed.key limit 1
    ) from refunded r, lateral (values (r.charge_key), ('${PART_PREFIX}' || r.charge_key)) keyed (key)
  ))
),
step as materialized (
  select c.n, c.place, c.kind, c.account_id, c.reservation_id, c.hold_ms, c.idempotency_key, rule.entry, rule.keeps_key,
    coalesce(c.reference, r.reference, p.reference) as reference, coalesce(c.amount, r.amount) as amount,
    coalesce(rule.balance_sign * coalesce(c.amount, r.amount), 0) as change,
    coalesce(rule.reserved_sign * c.amount, 0) as reserved_change,
    -- A refund is subtracted from the day of its charge.
    coalesce(r.day, p.day, (now() at time zone 'utc')::date) as day,
    coalesce(c.amount, r.amount) * case rule.entry when 'refund' then -1 else 1 end as credits,
    coalesce(c.key_id, r.key_id, p.key_id) as key_id, coalesce(c.valid, -r.valid, 0) as valid,
    coalesce(c.invalid, -r.invalid, 0) as invalid, coalesce(c.risky, -r.risky, 0) as risky,
    coalesce(c.unknown, -r.unknown, 0) as unknown
  from change c
  left join closed on closed.id = c.reservation_id
  left join refunded r on c.kind = 'refund' and r.charge_key = c.idempotency_key and r.account_id = c.account_id
  left join lowered p on p.n = c.n
  left join lateral (
    select true as is_so from ledger l
    where c.kind <> 'refund' and l.account_id = c.account_id and l.idempotency_key = c.idempotency_key limit 1
  ) spent on true
  left join rule on rule.kind = c.kind and rule.is_repeated = (spent.is_so is not null)
    and rule.is_open = (closed.id is not null or r.charge_key is not null or p.n is not null)
),
by_step as materialized (select array_agg(change order by n) as changes from step),
walk (account_id, n, last, fits, balance) as (
  select account_id, first - 1, last, true, coalesce(balance, 0)
  from (select account_id, min(n) as first, max(n) as last from change group by account_id) span
  left join account using (account_id)
  union all
  select account_id, n + 1, last, next >= 0, case when next >= 0 then next else balance end
  from walk, lateral (select balance + (select changes from by_step)[n + 1] as next) following
  where n < last
),
decided as materialized (
  select step.*, fits, balance, fits and entry is not null as is_written from walk join step using (account_id, n)
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
  insert into ledger
    (account_id, number, kind, amount, reserved_change, balance_after, reference, idempotency_key, key_id)
  select account_id, number, entry, change, reserved_change, balance, reference,
    case when keeps_key then idempotency_key end, key_id
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
  select coalesce(idempotency_key, reference), account_id, amount, reference, day, key_id,
    valid, invalid, risky, unknown, now() + interval '${ANSWERED_WITHIN_SECONDS} seconds'
  from written where entry = 'settle' and kind in ('charge', 'settle')
  on conflict (charge_key) do nothing
),
usage as (
  insert into usage_days as u (account_id, day, key_id, valid, invalid, risky, unknown, credits_used)
  select account_id, day, key_id, sum(valid), sum(invalid), sum(risky), sum(unknown), sum(credits)
  from written where entry in ('settle', 'refund') group by account_id, day, key_id
  ${ADD_USAGE}
)
select d.place, d.fits, case when d.fits then d.entry end as entry, w.number, d.amount, d.balance
from decided d left join written w on w.n = d.n`,
};
