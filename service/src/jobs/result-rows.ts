/**
 * Stored results: one row per unique email, in the partition of the job (retention.ts). While a deployment is updated,
 * workers of an earlier release store rows in the default partition; so that one is read as well.
 */
import type { ListChange, ValidationResult } from "@mailvet/contract";
import { type Evidence, reportOf } from "@mailvet/engine";
import { type SQL, sql } from "drizzle-orm";
import type pg from "pg";
import type { Orm } from "../db/database.ts";
import { DEFAULT_DATE } from "../db/partitions.ts";
import type { ValidationAnswer } from "../validations/answer.ts";
import { recheckedEvidence, shareEvidence, storedEvidence } from "./results/result-evidence.ts";

/** The report of an answer. Request metadata is not stored, so it is left empty. */
export function reportOn({
  evidence,
  verdict,
  checkedAtMs,
  calibration,
}: Pick<ValidationAnswer, "evidence" | "checkedAtMs" | "calibration"> &
  Partial<Pick<ValidationAnswer, "verdict">>): ValidationResult {
  const request = { requestId: "", planTier: "", responseTimeMs: 0, checkedAtMs, cached: false, calibration };
  return reportOf(evidence, request, verdict);
}

export type ResultRow = ReturnType<typeof resultRow>;

/** `evidence` is what the report was made of. */
export function resultRow(row: number, report: ValidationResult, evidence?: Evidence) {
  const { details, catchall, metadata } = report;
  return {
    stored: evidence && storedEvidence(evidence),
    row,
    email: storable(report.email),
    status: report.status,
    sub_status: report.sub_status,
    confidence: report.confidence,
    score: report.score,
    is_valid: report.is_valid,
    safe_to_send: report.safe_to_send,
    suggestion: report.suggestion,
    provider: details.provider,
    is_catchall: catchall.is_catchall,
    is_disposable: details.is_disposable,
    is_role_based: details.is_role_based,
    is_free: details.is_free,
    smtp_code: details.smtp_code,
    checked_at: metadata.checked_at,
  };
}

/** A job, and the partition with its results and duplicates. */
export type StoredJob = { id: string; rowsExpireOn: string | null };

/** The date of the job's partition. */
export function partitionOf({ rowsExpireOn }: StoredJob): string {
  return rowsExpireOn ?? DEFAULT_DATE;
}

/**
 * Returns the rows that were inserted. Unless existing results are kept, they are an error: `on conflict` writes a second WAL
 * record for each row.
 */
export async function insertResults(
  tx: Orm,
  job: StoredJob,
  rows: readonly ResultRow[],
  { keepExisting = false } = {},
): Promise<number[]> {
  if (rows.length === 0) return [];
  // Rows must not refer to one that turns out to exist: its evidence is another.
  const evidence = keepExisting ? rows.flatMap((row) => shareEvidence([row])) : shareEvidence(rows);
  const json = JSON.stringify(rows.map(({ stored: _, ...row }, n) => Object.assign(row, evidence[n])));
  const { rows: inserted } = await tx.execute<{ row: number }>(sql`
    insert into results (
      job_id, "row", email, status, sub_status, confidence, score, is_valid, safe_to_send, suggestion, provider,
      is_catchall, is_disposable, is_role_based, is_free, smtp_code, checked_at, expires_on, evidence_row, evidence,
      own_evidence
    )
    select ${job.id}::uuid, "row", email, status, sub_status, confidence, score, is_valid, safe_to_send, suggestion,
      provider, is_catchall, is_disposable, is_role_based, is_free, smtp_code, to_timestamp(checked_at),
      ${partitionOf(job)}::date, evidence_row, evidence, own_evidence
    from json_to_recordset(${json}::json) as r (
      "row" int, email text, status text, sub_status text, confidence real, score smallint, is_valid boolean,
      safe_to_send boolean, suggestion text, provider text, is_catchall boolean, is_disposable boolean,
      is_role_based boolean, is_free boolean, smtp_code smallint, checked_at float8, evidence_row int, evidence json,
      own_evidence json
    )
    order by "row"
    ${keepExisting ? sql`on conflict do nothing returning "row"` : sql``}`);
  return keepExisting ? inserted.map(({ row }) => row) : rows.map(({ row }) => row);
}

/** What became of a rechecked row: replaced, or kept because the new result decides less. */
export type RecheckedRow = { row: number; sub_status: string; isReplaced: boolean };

/** Instead of the results of slices that were given up. Returns the rows that were replaced. */
export async function replaceResults(tx: Orm, job: StoredJob, rows: readonly ResultRow[]): Promise<number[]> {
  const found = await replace(tx, job, rows, { where: sql`r.sub_status = 'internal_error'` });
  return found.filter(({ isReplaced }) => isReplaced).map(({ row }) => row);
}

/** A verdict is replaced unless the new one is `unknown` and the old one is not. Fewer than given: erased meanwhile. */
export function replaceByRecheck(
  tx: Orm,
  job: StoredJob,
  attempt: number,
  rows: readonly ResultRow[],
): Promise<RecheckedRow[]> {
  return replace(tx, job, rows, {
    where: sql`(new.status <> 'unknown' or r.status = 'unknown')`,
    set: sql`, previous_status = r.status, previous_sub_status = r.sub_status, attempt = ${attempt}`,
  });
}

/** Returns the rows that exist. The columns of shared evidence are left, because other rows may refer to them. */
async function replace(
  tx: Orm,
  job: StoredJob,
  rows: readonly ResultRow[],
  { where, set = sql`` }: { where: SQL; set?: SQL },
): Promise<RecheckedRow[]> {
  if (rows.length === 0) return [];
  const isOfJob = sql`r.expires_on in (${partitionOf(job)}::date, ${DEFAULT_DATE}::date) and r.job_id = ${job.id}`;
  const json = JSON.stringify(
    rows.map(({ stored, ...row }) => ({ ...row, own_evidence: recheckedEvidence(stored) })),
  );
  const { rows: found } = await tx.execute<RecheckedRow>(sql`
    with new as materialized (
      select * from json_to_recordset(${json}::json) as r (
        "row" int, status text, sub_status text, confidence real, score smallint, is_valid boolean,
        safe_to_send boolean, suggestion text, provider text, is_catchall boolean, is_disposable boolean,
        is_role_based boolean, is_free boolean, smtp_code smallint, checked_at float8, own_evidence json
      )
    ),
    replaced as (
      update results r set status = new.status, sub_status = new.sub_status, confidence = new.confidence,
        score = new.score, is_valid = new.is_valid, safe_to_send = new.safe_to_send, suggestion = new.suggestion,
        provider = new.provider, is_catchall = new.is_catchall, is_disposable = new.is_disposable,
        is_role_based = new.is_role_based, is_free = new.is_free, smtp_code = new.smtp_code,
        checked_at = to_timestamp(new.checked_at), own_evidence = new.own_evidence ${set}
      from new
      where ${isOfJob} and r."row" = new."row" and ${where}
      returning r."row"
    )
    select "row", case when replaced."row" is null then r.sub_status else new.sub_status end as sub_status,
      replaced."row" is not null as "isReplaced"
    from results r join new using ("row") left join replaced using ("row") where ${isOfJob}`);
  return found;
}

/** Rows whose status changed in the job's last attempt, to or from valid or invalid. */
export async function changedRows(
  by: Pick<Orm, "execute">,
  jobId: string,
  limit: number,
): Promise<ListChange[]> {
  const { rows } = await by.execute<ListChange>(sql`
    select (r."row" - 1) / (1 + json_array_length(j.more_columns)) + 1 as "row", r.email, r.status, r.sub_status, r.previous_status, r.previous_sub_status
    ${changedIn(jobId)} order by r."row" limit ${limit}`);
  return rows;
}

/** How many of them are invalid now, and how many valid. */
export async function countChanged(
  by: Pick<Orm, "execute">,
  jobId: string,
): Promise<{ invalid: number; valid: number }> {
  const { rows } = await by.execute<{ invalid: number; valid: number }>(sql`
    select (count(*) filter (where r.status = 'invalid'))::int as invalid,
      (count(*) filter (where r.status = 'valid'))::int as valid
    ${changedIn(jobId)}`);
  return rows[0]!;
}

const changedIn = (jobId: string) => sql`
    from jobs j join results r on r.job_id = j.id
      and r.expires_on in (coalesce(j.rows_expire_on, ${DEFAULT_DATE}::date), ${DEFAULT_DATE}::date)
    where j.id = ${jobId} and j.attempt > 1 and r.attempt = j.attempt and r.status <> r.previous_status
      and r.status in ('valid', 'invalid')`;

/** Rows that a recheck has given up. */
export async function keptByRecheck(
  tx: Orm,
  job: StoredJob,
  rows: readonly number[],
): Promise<RecheckedRow[]> {
  const { rows: found } = await tx.execute<RecheckedRow>(sql`
    select "row", sub_status, false as "isReplaced" from results
    where expires_on in (${partitionOf(job)}::date, ${DEFAULT_DATE}::date) and job_id = ${job.id}
      and "row" = any(${sql.param([...rows])}::int[])`);
  return found;
}

/** Replaces what PostgreSQL text cannot hold: NUL and lone surrogates. */
function storable(text: string): string {
  return text.replaceAll(UNSTORABLE, "\u{fffd}");
}

const UNSTORABLE = /[\0\p{Cs}]/gu;

/**
 * Condition on results or duplicates; the parameter is the date of the job's partition. For statements without a name: of a
 * named one PostgreSQL tries a plan for any date, which locks all partitions and with hundreds of them exhausts its locks.
 */
export const inPartition = (parameter: string, table = "") =>
  `${table}expires_on in (${parameter}::date, '${DEFAULT_DATE}')`;

/** Whether rows and results are still within the retention, by the database's clock. */
export async function hasResults(pool: Pick<pg.Pool, "query">, jobId: string): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "job-has-results",
    text: "select from jobs where id = $1 and erased_at is null and (expires_at is null or expires_at > now())",
    values: [jobId],
  });
  return rowCount === 1;
}
