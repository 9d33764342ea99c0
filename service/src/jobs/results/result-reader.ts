/** Reads rows of a job with their verdicts: a page, one row, and what a download needs. */
import type pg from "pg";
import { wrongField } from "../../base/refusal.ts";
import type { JobRow } from "../job-record.ts";
import type { StoredJob } from "../result-rows.ts";
import type { SharedEvidence } from "./result-evidence.ts";
import type { StoredRow } from "./result-from-evidence.ts";
import {
  OF_RESULTS,
  orderBy,
  orderQuery,
  type PageBounds,
  pageQuery,
  parametersFor,
  type ResultSelection,
  rangeQuery,
} from "./result-query.ts";

type Pool = Pick<pg.Pool, "query">;

/** By the alias `page`. One JSON value: parsing it takes a fraction of the time that the driver needs for a thousand rows. */
const VERDICT = `lateral (
  select status, sub_status, confidence, is_valid, safe_to_send, score, suggestion, provider, is_catchall, is_disposable,
    is_role_based, is_free, smtp_code,
    to_char(checked_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as checked_at,
    evidence_row, evidence, own_evidence, previous_status, previous_sub_status
  from results where ${OF_RESULTS} and row = page.first_row offset 0
) verdict`;
const ROW =
  "page.row, page.email, page.is_duplicate, case when verdict.status is not null then to_json(verdict) end as verdict";

type PageAnswer = { total: number; has_place: boolean; rows: StoredRow[] | null };

/** Throws validation_failed where the page is to begin after a row that is not in the order. */
export async function readPage(
  pool: Pool,
  job: JobRow,
  selection: ResultSelection,
  bounds: PageBounds,
): Promise<{ rows: StoredRow[]; total: number }> {
  const statement = pageStatement(job, selection, bounds);
  const { rows: found } = await pool.query<PageAnswer>(statement);
  const { rows: page, total, has_place: hasPlace } = found[0]!;
  // An empty page would look like the end.
  if (!hasPlace)
    throw wrongField("/after_row", "is a row without a result, which has no place in this order");
  const rows = page ?? [];
  await completeEvidence(pool, job, rows);
  return { rows, total };
}

export function pageStatement(
  job: JobRow,
  selection: ResultSelection,
  bounds: PageBounds,
): { text: string; values: unknown[] } {
  const parameters = parametersFor(job);
  const query = pageQuery(job, selection, bounds, parameters);
  const text = `${query.with}
    select ${query.total}::int as total, ${query.hasPlace} as has_place, (
      select json_agg(one) from (
        select ${ROW} from ${query.page} page left join ${VERDICT} on true order by ${orderBy(selection.sort, "page.")}
      ) one
    ) as rows`;
  return { text, values: parameters.values };
}

/** Undefined: no email in this row, or it was not checked before the job's end. */
export async function readRow(pool: Pool, job: JobRow, row: number): Promise<StoredRow | undefined> {
  const verdicts = await readVerdicts(pool, job, {}, row, row + 1);
  const found = verdicts.get(row);
  if (found) return found;
  const pending = await readPage(pool, job, { status: "pending" }, { skip: 0, limit: 1, afterRow: row - 1 });
  return pending.rows.find((one) => one.row === row);
}

/**
 * Verdicts of the rows from `firstRow` up to, not including, `endRow`, by row number; duplicate rows included. `only`: of these
 * rows.
 */
export async function readVerdicts(
  pool: Pool,
  job: StoredJob,
  selection: ResultSelection,
  firstRow: number,
  endRow: number,
  shared?: SharedRows,
  only?: readonly number[],
): Promise<Map<number, StoredRow>> {
  const parameters = parametersFor(job);
  const range = rangeQuery(selection, { firstRow, endRow, rows: only }, parameters);
  const { rows } = await pool.query<{ rows: StoredRow[] | null }>({
    text: `select json_agg(one) as rows from (select ${ROW} from (${range}) page, ${VERDICT}) one`,
    values: parameters.values,
  });
  const found = rows[0]?.rows ?? [];
  await completeEvidence(pool, job, found, shared);
  return new Map(found.map((one) => [one.row, one]));
}

/** Row numbers in the order of the selection: of rows without a verdict, or of all. */
export async function readOrder(
  pool: Pool,
  job: JobRow,
  selection: ResultSelection,
  which: "pending" | "all",
): Promise<number[]> {
  const parameters = parametersFor(job);
  const text = orderQuery(job, selection, which, parameters);
  if (text === undefined) return [];
  const { rows } = await pool.query<{ rows: number[] }>({ text, values: parameters.values });
  return rows[0]!.rows;
}

/** The same of several selections, all at the same moment. */
export async function readOrders(
  pool: Pool,
  job: JobRow,
  selections: readonly ResultSelection[],
): Promise<number[][]> {
  const parameters = parametersFor(job);
  const orders = selections.map((selection) => `(${orderQuery(job, selection, "all", parameters)})`);
  const text = `select json_build_array(${orders.join(", ")}) as orders`;
  const { rows } = await pool.query<{ orders: number[][] }>({ text, values: parameters.values });
  return rows[0]!.orders;
}

/** Evidence that rows share, by the row that has it. */
export type SharedRows = Map<number, SharedEvidence | null>;

/** Adds to each verdict the evidence that is stored at another row. */
async function completeEvidence(
  pool: Pool,
  job: StoredJob,
  rows: readonly StoredRow[],
  shared: SharedRows = new Map(),
): Promise<void> {
  const wanted = new Set<number>();
  for (const { verdict } of rows) {
    const at = verdict?.evidence_row;
    if (at && !shared.has(at)) wanted.add(at);
  }
  if (wanted.size > 0) {
    const { values, add } = parametersFor(job);
    const { rows: found } = await pool.query<{ row: number; evidence: SharedEvidence | null }>({
      text: `select row, evidence from results where ${OF_RESULTS} and row = any(${add([...wanted])}::int[])`,
      values,
    });
    for (const at of wanted) shared.set(at, null);
    for (const { row, evidence } of found) shared.set(row, evidence);
  }
  for (const { verdict } of rows)
    if (verdict?.evidence_row) verdict.evidence = shared.get(verdict.evidence_row) ?? null;
}
