/** What the validation endpoints are asked and answer, for the documentation. A test holds them to the schemas. */
import type { BulkRequest, BulkSummary, ValidationRequest, ValidationResult } from "@mailvet/contract";

const request: ValidationRequest = { email: "valid@mailvet.test" };

const result: ValidationResult = {
  email: "valid@mailvet.test",
  status: "valid",
  sub_status: "",
  confidence: 0.95,
  safe_to_send: true,
  is_valid: true,
  reason: "The mail server accepts this mailbox and refuses made-up ones.",
  suggestion: null,
  score: 97,
  flags: [],
  request_id: "0b9ff3a5-4b43-4a1e-9a3e-2f4c36f0c1d7",
  details: {
    syntax_valid: true,
    dns_valid: true,
    smtp_valid: true,
    smtp_code: 250,
    domain: "mailvet.test",
    provider: "other",
    is_disposable: false,
    is_role_based: false,
    has_spf: true,
    has_dmarc: true,
    normalized_email: "valid@mailvet.test",
    canonical_email: "valid@mailvet.test",
    is_free: false,
    is_subaddressed: false,
    mx_host: "mx.mailvet.test",
    smtp_enhanced_code: "2.1.5",
    smtp_message: "2.1.5 Recipient OK",
    has_mta_sts: false,
    syntax_error: null,
  },
  catchall: { is_catchall: false, confidence: null },
  ai_enhancement: { used: false, method: null, score: null, reasons: [] },
  performance: { response_time_ms: 412 },
  metadata: {
    timestamp: 1793779200.123,
    plan_tier: "payg",
    features_used: { catchall_detection: true, ai_enhancement: false },
    cached: false,
    checked_at: 1793779200.12,
    retry_after: null,
  },
};

const bulkRequest: BulkRequest = {
  emails: ["valid@mailvet.test", "mailbox-not-found@mailvet.test", "VALID@mailvet.test"],
};

const bulkSummary: BulkSummary = {
  total: 3,
  valid_count: 1,
  invalid_count: 1,
  risky_count: 0,
  unknown_count: 0,
  duplicate_count: 1,
  credits_used: 2,
  results: [
    {
      email: "valid@mailvet.test",
      status: "valid",
      is_valid: true,
      safe_to_send: true,
      confidence: 0.95,
      sub_status: "",
      score: 97,
      suggestion: null,
      retry_after: null,
    },
    {
      email: "mailbox-not-found@mailvet.test",
      status: "invalid",
      is_valid: false,
      safe_to_send: false,
      confidence: 0.97,
      sub_status: "mailbox_not_found",
      score: 1,
      suggestion: null,
      retry_after: null,
    },
  ],
};

type Example = { request?: unknown; response: unknown };

/** operationId → what goes in and what comes out. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  validateSingle: { request, response: result },
  validateSingleByQuery: { response: result },
  validateBulk: { request: bulkRequest, response: bulkSummary },
};
