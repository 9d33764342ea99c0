/** Results as they are stored: what the owner of a job gets to see of an answer, one row per email. */
import type { ValidationResult } from "@mailvet/contract";
import { reportOf } from "@mailvet/engine";
import { sql } from "drizzle-orm";
import type { Orm } from "../db/database.ts";
import type { ValidationAnswer } from "../validations/answer.ts";

/** As in any other answer; what it says about the asking is not for anyone. */
export function reportOn({ evidence, checkedAtMs, calibration }: ValidationAnswer): ValidationResult {
  const asking = { requestId: "", planTier: "", responseTimeMs: 0, checkedAtMs, cached: false };
  return reportOf(evidence, { ...asking, calibration });
}

export type ResultRow = ReturnType<typeof resultRow>;

export function resultRow(row: number, { details, catchall, metadata, ...report }: ValidationResult) {
  return {
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

/** Returns how many are new: where a result stands already, it stays. */
export async function insertResults(tx: Orm, jobId: string, rows: readonly ResultRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const { rowCount } = await tx.execute(sql`
    insert into results (
      job_id, "row", email, status, sub_status, confidence, score, is_valid, safe_to_send, suggestion, provider,
      is_catchall, is_disposable, is_role_based, is_free, smtp_code, checked_at
    )
    select ${jobId}::uuid, "row", email, status, sub_status, confidence, score, is_valid, safe_to_send, suggestion,
      provider, is_catchall, is_disposable, is_role_based, is_free, smtp_code, to_timestamp(checked_at)
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (
      "row" int, email text, status text, sub_status text, confidence real, score smallint, is_valid boolean,
      safe_to_send boolean, suggestion text, provider text, is_catchall boolean, is_disposable boolean,
      is_role_based boolean, is_free boolean, smtp_code smallint, checked_at float8
    )
    on conflict do nothing`);
  return rowCount ?? 0;
}

/** A cell may hold what PostgreSQL cannot: NUL, and half of a surrogate pair. */
function storable(text: string): string {
  return text.replaceAll(UNSTORABLE, "\u{fffd}");
}

const UNSTORABLE = /[\0\p{Cs}]/gu;
