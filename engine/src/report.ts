/** Converts evidence and verdict to the contract's `ValidationResult`, as returned by API and CLI. */
import type { BulkItem, ValidationResult } from "@mailvet/contract";
import { type Language, recommendationOf } from "@mailvet/contract/words";
import type { AddressSyntaxError } from "./address/syntax-error.ts";
import { type Calibration, scoreWithCalibration } from "./calibration.ts";
import type { Evidence } from "./evidence.ts";
import { flagsOf } from "./flags.ts";
import { suggestLocal } from "./plausibility/local-part-typo.ts";
import { hasScorableName, type Plausibility, plausibilityOf } from "./plausibility/plausibility.ts";
import { reasonOf } from "./reason/reason.ts";
import { syntaxErrorText } from "./reason/reason-texts.de.ts";
import { verdictScore } from "./score.ts";
import { decide, isUnproven, type Verdict } from "./verdict.ts";

/** Properties of the request rather than of the address. */
export type ReportRequest = {
  requestId: string;
  planTier: string;
  responseTimeMs: number;
  /** Unix time in milliseconds when the evidence was gathered. */
  checkedAtMs: number;
  cached: boolean;
  /** Of the texts for people; English by default. */
  language?: Language | undefined;
  /** Calibration of the account's scores, from the outcomes it reported. */
  calibration?: Calibration | undefined;
};

const MAX_SMTP_MESSAGE = 300;
/** Set when calibration changed the score. */
const SCORE_CALIBRATED = "score_calibrated";

/** `verdict` is that of the evidence, for callers that have it already. */
export function reportOf(
  evidence: Evidence,
  request: ReportRequest,
  verdict: Verdict = decide(evidence),
): ValidationResult {
  const { address, mailbox, decoy } = evidence;
  const { language = "en" } = request;
  const plausibility = verdict.subStatus === "" ? plausibilityOf(evidence) : verdict.plausibility; // a plausible name changes nothing
  const uncalibrated = verdictScore(evidence, verdict);
  const score = request.calibration
    ? scoreWithCalibration(evidence, verdict, request.calibration)
    : uncalibrated;
  const flags: string[] = flagsOf(evidence);
  if (score !== uncalibrated) flags.push(SCORE_CALIBRATED);
  const isCatchall = mailbox?.answer === "accepted" && decoy?.answer === "accepted";
  return {
    email: evidence.email,
    status: verdict.status,
    sub_status: verdict.subStatus,
    confidence: verdict.confidence,
    safe_to_send: verdict.safeToSend,
    is_valid: verdict.isValid,
    recommendation: recommendationOf({ sub_status: verdict.subStatus, safe_to_send: verdict.safeToSend }),
    reason: reasonOf(evidence, verdict, language),
    suggestion: evidence.suggestion?.email ?? suggestedLocalPart(evidence, verdict) ?? null,
    score,
    flags,
    request_id: request.requestId,
    details: {
      syntax_valid: address !== undefined,
      dns_valid: evidence.route?.kind === "mail_hosts",
      smtp_valid: mailbox?.answer === "accepted" && !mailbox.isInferred,
      smtp_code: mailbox?.reply?.code ?? 0,
      domain: address?.domain ?? "",
      provider: evidence.provider ?? "",
      is_disposable: evidence.disposable !== undefined,
      is_role_based: evidence.role !== undefined,
      has_spf: evidence.policies?.spf === true,
      has_dmarc: evidence.policies?.dmarc === true,
      normalized_email: address?.normalized ?? "",
      canonical_email: evidence.canonical ?? "",
      is_free: evidence.isFree === true,
      is_subaddressed: evidence.isSubaddressed === true,
      mx_host: mailbox?.mxHost ?? firstMailHost(evidence),
      smtp_enhanced_code: mailbox?.reply?.enhanced ?? "",
      smtp_message: sanitizeText(mailbox?.reply?.text ?? ""),
      has_mta_sts: evidence.policies?.mtaSts === true,
      syntax_error: syntaxErrorIn(language, evidence),
    },
    catchall: { is_catchall: isCatchall, confidence: decoy?.confidence ?? null },
    ai_enhancement: {
      used: plausibility !== undefined,
      method: plausibility?.method ?? null,
      score: plausibility?.score ?? null,
      reasons: plausibility ? reasonsIn(language, evidence, plausibility) : [],
    },
    performance: { response_time_ms: Math.round(request.responseTimeMs) },
    metadata: {
      timestamp: Date.now() / 1000,
      plan_tier: request.planTier,
      features_used: { catchall_detection: decoy !== undefined, ai_enhancement: plausibility !== undefined },
      cached: request.cached,
      checked_at: request.checkedAtMs / 1000,
      retry_after: verdict.status === "unknown" ? retryAfter(evidence) : null,
    },
  };
}

function reasonsIn(language: Language, evidence: Evidence, { reasons }: Plausibility): string[] {
  return language === "en" ? reasons : (plausibilityOf(evidence, language)?.reasons ?? []);
}

function syntaxErrorIn(language: Language, { syntaxError }: Evidence): AddressSyntaxError | null {
  if (!syntaxError || language === "en") return syntaxError ?? null;
  return { ...syntaxError, message: syntaxErrorText(syntaxError) };
}

/** The address with a typo in the local part corrected. Not offered for a mailbox that exists. */
function suggestedLocalPart(evidence: Evidence, verdict: Verdict): string | undefined {
  if (!isUnproven(verdict) && verdict.subStatus !== "mailbox_not_found") return undefined;
  if (!hasScorableName(evidence)) return undefined;
  const { local, unicodeDomain } = evidence.address!;
  const suggested = suggestLocal(local);
  return suggested === undefined ? undefined : `${suggested}@${unicodeDomain}`;
}

const RETRY_DNS_AFTER_SECONDS = 300;

function retryAfter({ route, mailbox, decoy }: Evidence): number | null {
  if (route?.kind === "dns_error") return RETRY_DNS_AFTER_SECONDS;
  return (mailbox?.answer === "accepted" ? decoy?.retryAfterSeconds : mailbox?.retryAfterSeconds) ?? null;
}

function firstMailHost({ route }: Evidence): string {
  return route?.kind === "mail_hosts" ? (route.hosts[0]?.name ?? "") : "";
}

/** Remote text made safe to display: one line, no control characters, limited length. */
export function sanitizeText(text: string): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length > MAX_SMTP_MESSAGE ? `${line.slice(0, MAX_SMTP_MESSAGE)}…` : line;
}

/** The fields of a result that lists have. */
export function listItemOf(result: ValidationResult): BulkItem {
  const { email, status, is_valid, safe_to_send, recommendation, confidence, sub_status, score, suggestion } =
    result;
  const { retry_after } = result.metadata;
  return {
    email,
    status,
    is_valid,
    safe_to_send,
    recommendation,
    confidence,
    sub_status,
    score,
    suggestion,
    retry_after,
  };
}
