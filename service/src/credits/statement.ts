/**
 * The ledger in lines that people can read: one per job, one per day and key for single checks, one per grant. Reservations
 * that were settled or released do not show; the entries of a line are read on demand (ledger.ts, `page`).
 */
import type { StatementKind, StatementLine } from "@mailvet/contract";
import type pg from "pg";
import type { UsageRange } from "./usage-range.ts";

export type StatementFilter = UsageRange & { kind: StatementKind | undefined; skip: number; limit: number };

export type LedgerLines = { lines: StatementLine[]; total: number };

type CountedLine = StatementLine & { last_at: Date; total: number };

/** Newest first, by the last entry of each line. */
export async function statementOf(
  { pool }: { pool: Pick<pg.Pool, "query"> },
  accountId: string,
  { from, to, kind, skip, limit }: StatementFilter,
): Promise<LedgerLines> {
  const page = async (limit: number, skip: number) =>
    (await pool.query<CountedLine>(LINES, [accountId, from, to, kind ?? null, limit, skip])).rows;
  const rows = await page(limit, skip);
  const counted = rows.length === 0 && skip > 0 ? await page(1, 0) : rows; // after the last line no row has the total
  return {
    lines: rows.map(({ total: _, last_at, ...line }) => ({ ...line, last_at: last_at.toISOString() })),
    total: counted[0]?.total ?? 0,
  };
}

/**
 * What is spent is the amount and what leaves the reserved credits; a reservation and its release add up to nothing. Those
 * that earlier releases made for checks are in no line.
 */
const LINES = `
with entry as (
  select number, kind, reference, key_id, created_at, amount, reserved_change,
    (created_at at time zone 'utc')::date as day,
    case subject when 'check' then 'checks' when 'run' then 'job' else subject end as line
  from ledger
  where account_id = $1 and created_at >= $2::date::timestamp at time zone 'utc'
    and created_at < ($3::date + 1)::timestamp at time zone 'utc'
)
select line as kind, max(day)::text as date,
  case when line = 'checks' then key_id end as key_id, case when line <> 'checks' then max(reference) end as reference,
  count(*)::int as entries,
  coalesce(sum(-amount - reserved_change) filter (where kind = 'settle'), 0)::int as charged,
  coalesce(sum(amount) filter (where kind = 'refund'), 0)::int as refunded,
  coalesce(sum(amount) filter (where line = 'grant'), 0)::int as granted,
  greatest(0, sum(reserved_change))::int as reserved,
  max(created_at) as last_at, (count(*) over ())::int as total
from entry
where ($4::text is null or line = $4) and (line <> 'checks' or kind in ('settle', 'refund'))
group by line,
  case line when 'job' then reference when 'grant' then number::text else day::text end,
  case when line = 'checks' then key_id end
order by max(created_at) desc, max(number) desc limit $5 offset $6`;
