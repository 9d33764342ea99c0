/** Presents evidence and its verdict in the words of the contract: the result that API and CLI return. */
import type { ValidationResult } from "@mailvet/contract";
import { type Calibration, scoreAfter } from "./calibration.ts";
import type { Evidence } from "./evidence.ts";
import { flagsOf } from "./flags.ts";
import { suggestLocal } from "./plausibility/local-part-typo.ts";
import { hasReadableName, plausibilityOf } from "./plausibility/plausibility.ts";
import { reasonOf } from "./reason.ts";
import { verdictScore } from "./score.ts";
import { decide, isUnproven, type Verdict } from "./verdict.ts";

/** What the result says about the asking rather than about the address. */
export type ReportRequest = {
  requestId: string;
  planTier: string;
  responseTimeMs: number;
  /** Unix time in milliseconds when the evidence was gathered. */
  checkedAtMs: number;
  cached: boolean;
  /** What the outcomes that this account reported taught about its scores. */
  calibration?: Calibration | undefined;
};

const MAX_SMTP_MESSAGE = 300;
/** What the account's own outcomes taught has moved the score. */
const SCORE_CALIBRATED = "score_calibrated";

export function reportOf(evidence: Evidence, asking: ReportRequest): ValidationResult {
  const verdict = decide(evidence);
  const { address, mailbox, decoy } = evidence;
  const opinion = verdict.subStatus === "" ? plausibilityOf(evidence) : verdict.plausibility; // a fine name moves nothing
  const uncalibrated = verdictScore(evidence, verdict);
  const score = asking.calibration ? scoreAfter(evidence, verdict, asking.calibration) : uncalibrated;
  const isCatchall = mailbox?.answer === "accepted" && decoy?.answer === "accepted";
  return {
    email: evidence.email,
    status: verdict.status,
    sub_status: verdict.subStatus,
    confidence: verdict.confidence,
    safe_to_send: verdict.safeToSend,
    is_valid: verdict.isValid,
    reason: reasonOf(evidence, verdict),
    suggestion: evidence.suggestion?.email ?? meantByName(evidence, verdict) ?? null,
    score,
    flags: [...flagsOf(evidence), ...(score === uncalibrated ? [] : [SCORE_CALIBRATED])],
    request_id: asking.requestId,
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
      smtp_message: cleaned(mailbox?.reply?.text ?? ""),
      has_mta_sts: evidence.policies?.mtaSts === true,
      syntax_error: evidence.complaint ?? null,
    },
    catchall: { is_catchall: isCatchall, confidence: decoy?.confidence ?? null },
    ai_enhancement: {
      used: opinion !== undefined,
      method: opinion?.method ?? null,
      score: opinion?.score ?? null,
      reasons: opinion?.reasons ?? [],
    },
    performance: { response_time_ms: Math.round(asking.responseTimeMs) },
    metadata: {
      timestamp: Date.now() / 1000,
      plan_tier: asking.planTier,
      features_used: { catchall_detection: decoy !== undefined, ai_enhancement: opinion !== undefined },
      cached: asking.cached,
      checked_at: asking.checkedAtMs / 1000,
      retry_after: verdict.status === "unknown" ? retryAfter(evidence) : null,
    },
  };
}

/** The address with a slip in its name mended. A mailbox that exists has no slip in its name. */
function meantByName(evidence: Evidence, verdict: Verdict): string | undefined {
  if (!isUnproven(verdict) && verdict.subStatus !== "mailbox_not_found") return undefined;
  if (!hasReadableName(evidence)) return undefined;
  const { local, unicodeDomain } = evidence.address!;
  const meant = suggestLocal(local);
  return meant === undefined ? undefined : `${meant}@${unicodeDomain}`;
}

const RETRY_DNS_AFTER_SECONDS = 300;

function retryAfter({ route, mailbox, decoy }: Evidence): number | null {
  if (route?.kind === "dns_error") return RETRY_DNS_AFTER_SECONDS;
  return (mailbox?.answer === "accepted" ? decoy?.retryAfterSeconds : mailbox?.retryAfterSeconds) ?? null;
}

function firstMailHost({ route }: Evidence): string {
  if (route?.kind === "mail_hosts") return route.hosts[0]?.name ?? "";
  if (route?.kind === "unroutable") return route.hosts[0] ?? "";
  return "";
}

/** A stranger's words, made safe to show: no control characters, one line, not long. */
export function cleaned(text: string): string {
  const line = text.replace(/\p{C}+/gu, " ").trim();
  return line.length > MAX_SMTP_MESSAGE ? `${line.slice(0, MAX_SMTP_MESSAGE)}…` : line;
}
