/** The report on a stored result: reason, flags and stages of its check are derived from the stored evidence. */
import {
  type JobResult,
  type Language,
  recommendationOf,
  type SubStatus,
  type ValidationResult,
} from "@mailvet/contract";
import { decide, type Evidence, reportOf, type Verdict } from "@mailvet/engine";
import type { VerdictCells } from "@mailvet/engine/list-file";
import { type EvidenceColumns, restoredEvidence } from "./result-evidence.ts";

/** Evidence from the text and the reference lists alone (validations/answer.ts). */
export type InspectEmail = (email: string) => Evidence;

/** Columns of a result. */
export type StoredVerdict = EvidenceColumns &
  Omit<
    VerdictCells,
    | "status"
    | "sub_status"
    | "is_duplicate"
    | "reason"
    | "flags"
    | "mx_host"
    | "ai_reasons"
    | "recommendation"
  > & {
    status: Verdict["status"];
    sub_status: SubStatus;
    /** Before the recheck that replaced it. */
    previous_status: Verdict["status"] | null;
    previous_sub_status: SubStatus | null;
  };

/** Null: it has no verdict yet. */
export type StoredRow = { row: number; email: string; is_duplicate: boolean; verdict: StoredVerdict | null };

/** With the verdict and the score as they were stored, whatever the rules are now. */
export function reportOfRow(
  inspect: InspectEmail,
  email: string,
  stored: StoredVerdict,
  language?: Language,
): ValidationResult {
  const evidence = restoredEvidence(inspect(email), { shared: stored.evidence, own: stored.own_evidence });
  const verdict = {
    ...decide(evidence),
    status: stored.status,
    subStatus: stored.sub_status,
    confidence: stored.confidence,
    isValid: stored.is_valid,
    safeToSend: stored.safe_to_send,
  };
  const checkedAtMs = Date.parse(stored.checked_at);
  const request = { requestId: "", planTier: "", responseTimeMs: 0, checkedAtMs, cached: true, language };
  const report = reportOf(evidence, request, verdict);
  const { score, suggestion, provider, smtp_code, is_disposable, is_role_based, is_free } = stored;
  const details = { ...report.details, provider, smtp_code, is_disposable, is_role_based, is_free };
  const catchall = { ...report.catchall, is_catchall: stored.is_catchall };
  const flags = stored.evidence || stored.own_evidence?.shared ? report.flags : []; // not known of a result of an earlier release
  return { ...report, score, suggestion, flags, details, catchall };
}

export function jobResultOf(
  inspect: InspectEmail,
  { row, email, is_duplicate, verdict }: StoredRow,
  language: Language,
): JobResult {
  if (!verdict) return { row, email, ...PENDING, flags: [], ai_reasons: [], is_duplicate };
  const report = reportOfRow(inspect, email, verdict, language);
  return {
    row,
    email,
    status: verdict.status,
    sub_status: verdict.sub_status,
    confidence: verdict.confidence,
    is_valid: verdict.is_valid,
    safe_to_send: verdict.safe_to_send,
    recommendation: recommendationOf(verdict),
    score: verdict.score,
    suggestion: verdict.suggestion,
    reason: report.reason,
    flags: report.flags,
    provider: verdict.provider,
    mx_host: report.details.mx_host,
    smtp_code: verdict.smtp_code,
    ai_reasons: report.ai_enhancement.reasons,
    checked_at: verdict.checked_at,
    is_duplicate,
    previous_status: verdict.previous_status,
    previous_sub_status: verdict.previous_sub_status,
  };
}

const PENDING = {
  status: "pending",
  sub_status: null,
  confidence: null,
  is_valid: null,
  safe_to_send: null,
  recommendation: null,
  score: null,
  suggestion: null,
  reason: null,
  provider: null,
  mx_host: null,
  smtp_code: null,
  checked_at: null,
  previous_status: null,
  previous_sub_status: null,
} as const;
