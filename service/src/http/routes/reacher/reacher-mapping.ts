/** Our results in Reacher's shape. Pure; one table per decision. */
import type { Job, Status, SubStatusOf, ValidationResult } from "@mailvet/contract";
import { jobNumberOf } from "../../../jobs/job-list.ts";
import { hasEnded } from "../../../jobs/job-state.ts";
import type { BulkProgress, CheckEmailOutput } from "./reacher-shapes.ts";

const REACHABLE: Readonly<Record<Status, CheckEmailOutput["is_reachable"]>> = {
  valid: "safe",
  risky: "risky",
  invalid: "invalid",
  unknown: "unknown",
};

/** Reacher reports the stage that failed as an error instead of its details. */
type FailedStage = { stage: "mx" | "smtp"; type: string; description?: "IpBlacklisted" };

const FAILED_STAGES: Readonly<Record<SubStatusOf<"unknown">, FailedStage>> = {
  dns_error: { stage: "mx", type: "ResolveError" },
  greylisted: { stage: "smtp", type: "SmtpError" },
  rate_limited: { stage: "smtp", type: "SmtpError" },
  probe_blocked: { stage: "smtp", type: "SmtpError", description: "IpBlacklisted" },
  temporary_error: { stage: "smtp", type: "SmtpError" },
  smtp_unreachable: { stage: "smtp", type: "SmtpError" },
  smtp_timeout: { stage: "smtp", type: "TimeoutError" },
  smtp_protocol_error: { stage: "smtp", type: "SmtpError" },
  egress_blocked: { stage: "smtp", type: "SmtpError" },
  server_untrusted: { stage: "smtp", type: "SmtpError" },
  smtp_skipped: { stage: "smtp", type: "SmtpError" },
  internal_error: { stage: "smtp", type: "SmtpError" },
};

export function checkEmailOutput(result: ValidationResult, serverName: string): CheckEmailOutput {
  const { details, sub_status: subStatus, email } = result;
  const failed = (FAILED_STAGES as Partial<Record<string, FailedStage>>)[subStatus];
  const errorIn = (stage: FailedStage["stage"]) =>
    failed?.stage === stage ? errorOf(failed, result) : undefined;
  const isValid = details.syntax_valid;
  const at = email.lastIndexOf("@");
  return {
    input: email,
    is_reachable: REACHABLE[result.status],
    misc: {
      is_disposable: details.is_disposable,
      is_role_account: details.is_role_based,
      is_b2c: details.is_free,
      gravatar_url: null,
      haveibeenpwned: null,
    },
    mx: errorIn("mx") ?? {
      accepts_mail: details.dns_valid,
      records: details.dns_valid && details.mx_host !== "" ? [`${details.mx_host}.`] : [],
    },
    smtp: errorIn("smtp") ?? {
      can_connect_smtp: details.smtp_code !== 0,
      has_full_inbox: subStatus === "mailbox_full",
      is_catch_all: result.catchall.is_catchall,
      is_deliverable: details.smtp_valid,
      is_disabled: subStatus === "mailbox_disabled",
    },
    syntax: {
      address: isValid ? email : null,
      domain: isValid ? details.domain : "",
      is_valid_syntax: isValid,
      username: isValid ? email.slice(0, at).trim() : "",
      normalized_email: isValid ? details.normalized_email : null,
      suggestion: result.suggestion,
    },
    debug: debugOf(result, serverName),
  };
}

function errorOf({ type, description }: FailedStage, { reason, details }: ValidationResult) {
  const reply = [details.smtp_code || "", details.smtp_enhanced_code, details.smtp_message];
  const message = details.smtp_message === "" ? reason : reply.filter((part) => part !== "").join(" ");
  return { error: { type, message }, ...(description === undefined ? {} : { description }) };
}

function debugOf(
  { performance, metadata, details }: ValidationResult,
  name: string,
): CheckEmailOutput["debug"] {
  const { response_time_ms: durationMs } = performance;
  const endMs = metadata.checked_at * 1000;
  return {
    server_name: name,
    backend_name: name,
    start_time: new Date(endMs - durationMs).toISOString(),
    end_time: new Date(endMs).toISOString(),
    duration: { secs: Math.floor(durationMs / 1000), nanos: Math.round((durationMs % 1000) * 1e6) },
    smtp: { verif_method: { type: details.smtp_code === 0 ? "Skipped" : "Smtp" } },
  };
}

/** Reacher counts every record, duplicates included; a job counts unique addresses. */
export function bulkProgress(job: Job): BulkProgress {
  const isOver = hasEnded(job);
  return {
    job_id: jobNumberOf(job.id),
    created_at: job.created_at,
    finished_at: job.completed_at,
    total_records: job.unique_emails,
    total_processed: job.processed,
    summary: {
      total_safe: job.valid_count,
      total_risky: job.risky_count,
      total_invalid: job.invalid_count,
      total_unknown: job.unknown_count,
    },
    job_status: isOver ? "Completed" : "Running",
  };
}
