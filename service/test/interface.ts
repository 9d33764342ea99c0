/** The published interface as hand-written tables, and the comparison of a response with them. */
import type { Status, SubStatus } from "@mailvet/contract";
import { expect } from "vitest";

type Type = Plain | `${Plain} or null` | "array of string" | Shape;
type Plain = "string" | "boolean" | "number" | "integer" | "object";
type Shape = { readonly [field: string]: Type };

export const RESULT: Shape = {
  email: "string",
  status: "string",
  sub_status: "string",
  confidence: "number",
  safe_to_send: "boolean",
  is_valid: "boolean",
  details: {
    syntax_valid: "boolean",
    dns_valid: "boolean",
    smtp_valid: "boolean",
    smtp_code: "integer",
    domain: "string",
    provider: "string",
    is_disposable: "boolean",
    is_role_based: "boolean",
    has_spf: "boolean",
    has_dmarc: "boolean",
  },
  catchall: { is_catchall: "boolean", confidence: "number or null" },
  ai_enhancement: { used: "boolean", method: "string or null" },
  performance: { response_time_ms: "integer" },
  metadata: {
    timestamp: "number",
    plan_tier: "string",
    features_used: { catchall_detection: "boolean", ai_enhancement: "boolean" },
  },
};

export const SUMMARY: Shape = {
  total: "integer",
  valid_count: "integer",
  invalid_count: "integer",
  risky_count: "integer",
  unknown_count: "integer",
  duplicate_count: "integer",
  credits_used: "integer",
};
export const ITEM: Shape = { email: "string", status: "string", is_valid: "boolean", confidence: "number" };

export const PREVIEW: Shape = {
  upload_id: "string",
  filename: "string",
  columns: "array of string",
  suggested_email_column: "string",
  total_rows: "integer",
  sample_rows: "object",
  email_count_by_column: "object",
  has_header: "boolean",
  expires_at: "string",
};

export const JOB: Shape = {
  id: "string",
  status: "string",
  phase: "string",
  filename: "string",
  email_column: "string",
  created_at: "string",
  started_at: "string or null",
  completed_at: "string or null",
  expires_at: "string or null",
  total_rows: "integer",
  total_emails: "integer",
  unique_emails: "integer",
  duplicate_count: "integer",
  processed: "integer",
  progress_percent: "number",
  rate_per_second: "number",
  eta_seconds: "integer or null",
  valid_count: "integer",
  invalid_count: "integer",
  risky_count: "integer",
  unknown_count: "integer",
  sub_status_counts: "object",
  credits_reserved: "integer",
  credits_used: "integer",
  error: "object or null",
  results_url: "string or null",
};

/** sub_status → status, is_valid, safe_to_send, confidence (undefined: not a fixed one). */
export const VERDICTS: Readonly<Record<SubStatus, readonly [Status, boolean, boolean, number | undefined]>> =
  {
    "": ["valid", true, true, 0.95],
    privacy_relay: ["valid", true, true, 0.88],
    agent_mailbox: ["valid", true, true, 0.88],
    syntax_error: ["invalid", false, false, 0.99],
    provider_syntax: ["invalid", false, false, 0.95],
    reserved_domain: ["invalid", false, false, 0.99],
    domain_not_found: ["invalid", false, false, 0.99],
    no_mail_server: ["invalid", false, false, 0.98],
    null_mx: ["invalid", false, false, 0.99],
    unroutable_mail_server: ["invalid", false, false, 0.95],
    mailbox_not_found: ["invalid", false, false, 0.97],
    mailbox_disabled: ["invalid", false, false, 0.95],
    domain_not_accepted: ["invalid", false, false, 0.9],
    smtputf8_unsupported: ["invalid", false, false, 0.9],
    disposable: ["risky", true, false, 0.98], // proven, in the sandbox
    catch_all: ["risky", false, false, undefined],
    role_based: ["risky", true, false, 0.95],
    mailbox_full: ["risky", true, false, 0.9],
    restricted: ["risky", true, false, 0.9],
    possible_typo: ["risky", true, false, 0.85],
    low_quality: ["risky", true, false, undefined],
    greylisted: ["unknown", false, false, 0.4],
    rate_limited: ["unknown", false, false, 0.35],
    probe_blocked: ["unknown", false, false, 0.35],
    temporary_error: ["unknown", false, false, 0.35],
    smtp_unreachable: ["unknown", false, false, 0.3],
    smtp_timeout: ["unknown", false, false, 0.3],
    smtp_protocol_error: ["unknown", false, false, 0.3],
    egress_blocked: ["unknown", false, false, 0.5],
    server_untrusted: ["unknown", false, false, 0.35],
    smtp_skipped: ["unknown", false, false, 0.5],
    dns_error: ["unknown", false, false, 0.25],
    internal_error: ["unknown", false, false, 0.1],
  };

/** Every field is present and of its type. Additional fields are allowed. */
export function expectShape(value: object, shape: Shape): void {
  expect(typesOf(value, shape)).toEqual(shape);
}

function typesOf(value: unknown, shape: Shape): unknown {
  if (typeof value !== "object" || value === null) return typeof value;
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(shape).map(([field, type]) => [field, typeOf(fields[field], type)]),
  );
}

/** The expected type if the value has it; otherwise its actual type. */
function typeOf(value: unknown, wanted: Type): unknown {
  if (typeof wanted === "object") return typesOf(value, wanted);
  if (value === null) return wanted.endsWith(" or null") ? wanted : "null";
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return "array of string";
  const type = Number.isInteger(value) && wanted.startsWith("integer") ? "integer" : typeof value;
  return wanted === `${type} or null` ? wanted : type;
}
