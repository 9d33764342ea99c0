/** Example requests and responses of the OpenAPI document. A test checks them against the schemas. */
import type {
  BulkRequest,
  BulkSummary,
  ConfirmRequest,
  CreateJobRequest,
  DomainReport,
  FeedbackReport,
  FeedbackRequest,
  FeedbackSummary,
  Job,
  JobResult,
  LinkRequest,
  UploadEstimate,
  UploadPreview,
  ValidationRequest,
  ValidationResult,
} from "@mailvet/contract";

const request: ValidationRequest = { email: "valid@mailvet.test" };

export const result: ValidationResult = {
  email: "valid@mailvet.test",
  status: "valid",
  sub_status: "",
  confidence: 0.95,
  safe_to_send: true,
  recommendation: "send",
  is_valid: true,
  reason: "The mail server accepts this mailbox and rejects made-up ones.",
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
  credits_refunded: 0,
  results: [
    {
      email: "valid@mailvet.test",
      status: "valid",
      is_valid: true,
      safe_to_send: true,
      recommendation: "send",
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
      recommendation: "do_not_send",
      confidence: 0.97,
      sub_status: "mailbox_not_found",
      score: 1,
      suggestion: null,
      retry_after: null,
    },
  ],
};

const domainReport: DomainReport = {
  domain: "example.com",
  unicode_domain: "example.com",
  mail_route: {
    kind: "mx",
    hosts: [{ host: "mx.example.com", priority: 10, addresses: ["192.0.2.25"] }],
    is_partial: false,
    reason: null,
  },
  provider: "other",
  disposable: { is_disposable: false, matched_by: null },
  is_free: false,
  is_privacy_relay: false,
  is_agent_mailbox: false,
  catchall: {
    is_catchall: false,
    confidence: 0.95,
    asked_for: "decoy",
    outcome: "not_found",
    mx_host: "mx.example.com",
    smtp_code: 550,
    smtp_enhanced_code: "5.1.1",
    smtp_message: "5.1.1 No such user here",
  },
  spf: { found: true, name: "example.com", records: ["v=spf1 mx -all"] },
  dmarc: { found: true, name: "_dmarc.example.com", records: ["v=DMARC1; p=reject"] },
  mta_sts: { found: false, name: "_mta-sts.example.com", records: [] },
  suggestion: null,
  request_id: "0b9ff3a5-4b43-4a1e-9a3e-2f4c36f0c1d7",
  performance: { response_time_ms: 512 },
  metadata: { timestamp: 1793779200.123, plan_tier: "payg" },
};

const uploadPreview: UploadPreview = {
  upload_id: "5a4c1c2e-6f0d-4b7e-8d5f-8a6f0f6d2b11",
  filename: "newsletter.csv",
  columns: ["name", "email"],
  suggested_email_column: "email",
  total_rows: 3,
  sample_rows: [
    ["Ann", "valid@mailvet.test"],
    ["Bob", "mailbox-not-found@mailvet.test"],
    ["Ann again", "VALID@mailvet.test"],
  ],
  email_count_by_column: { name: 0, email: 3 },
  unique_count_by_column: { email: 2 },
  has_header: true,
  expires_at: "2026-11-05T12:00:00.000Z",
};

const uploadEstimate: UploadEstimate = {
  upload_id: uploadPreview.upload_id,
  email_column: "email",
  sampled: 3,
  valid: 0,
  invalid: 1,
  risky: 0,
  undecided: 2,
  expected: { valid: 0, invalid: 1, risky: 0, undecided: 2 },
  credits: 3,
};

const linkRequest: LinkRequest = { url: "https://files.example.com/customers.xlsx" };
const createJobRequest: CreateJobRequest = {
  emails: ["valid@mailvet.test", "catch-all@mailvet.test"],
  name: "Sign-ups of March",
  metadata: { campaign: "spring" },
};
const confirmRequest: ConfirmRequest = { upload_id: uploadPreview.upload_id, email_column: "email" };

const queued: Job = {
  id: "c1b0a3f4-0d3a-4a50-9d55-2f6e5d1b7c90",
  status: "queued",
  phase: "waiting",
  filename: "newsletter.csv",
  email_column: "email",
  attempt: 1,
  created_at: "2026-11-04T12:00:05.000Z",
  started_at: null,
  completed_at: null,
  expires_at: null,
  total_rows: 3,
  total_emails: 3,
  unique_emails: 2,
  duplicate_count: 1,
  processed: 0,
  progress_percent: 0,
  rate_per_second: 0,
  eta_seconds: null,
  eta_reason: "not_started",
  next_attempt_at: null,
  retrying: {},
  valid_count: 0,
  invalid_count: 0,
  risky_count: 0,
  unknown_count: 0,
  sub_status_counts: {},
  credits_reserved: 2,
  credits_used: 0,
  credits_refunded: 0,
  error: null,
  results_url: null,
};

export const completed: Job = {
  ...queued,
  status: "completed",
  phase: "done",
  started_at: "2026-11-04T12:00:05.100Z",
  completed_at: "2026-11-04T12:00:06.100Z",
  expires_at: "2026-12-04T12:00:06.100Z",
  processed: 2,
  progress_percent: 100,
  rate_per_second: 2,
  eta_reason: null,
  valid_count: 1,
  invalid_count: 1,
  sub_status_counts: { "": 1, mailbox_not_found: 1 },
  credits_reserved: 0,
  credits_used: 2,
  credits_refunded: 0,
  results_url: "/api/v1/bulk/jobs/c1b0a3f4-0d3a-4a50-9d55-2f6e5d1b7c90/results",
};

export const firstResult: JobResult = {
  row: 1,
  email: "valid@mailvet.test",
  status: "valid",
  sub_status: "",
  confidence: 0.95,
  is_valid: true,
  safe_to_send: true,
  recommendation: "send",
  score: 97,
  suggestion: null,
  reason: "The mail server accepts this mailbox and rejects others.",
  flags: [],
  provider: "other",
  mx_host: "mx.mailvet.test",
  smtp_code: 250,
  ai_reasons: [],
  checked_at: "2026-11-04T12:00:06.000Z",
  is_duplicate: false,
  previous_status: null,
  previous_sub_status: null,
};

const jobResults: JobResult[] = [
  firstResult,
  { ...firstResult, row: 3, email: "VALID@mailvet.test", is_duplicate: true },
];

const feedbackRequest: FeedbackRequest = {
  outcomes: [
    { email: "ann@example.com", outcome: "delivered" },
    { email: "bob@example.com", outcome: "bounced", occurred_at: "2026-11-04T12:00:00Z" },
  ],
};

const feedbackSummary: FeedbackSummary = {
  received: 2,
  stored: 2,
  superseded: 0,
  ignored: 0,
  unreadable: 0,
  matched: 2,
  unreadable_rows: [],
};

const compared = {
  outcomes: 2,
  predicted_bounce_rate: 0.38,
  calibrated_bounce_rate: 0.39,
  real_bounce_rate: 0.5,
};

const feedbackReport: FeedbackReport = {
  from: "2026-05-08",
  totals: { delivered: 1, bounced: 1, complained: 0, matched: 2 },
  overall: compared,
  by_score: [{ from: 60, to: 69, ...compared }],
  by_provider: [{ provider: "other", ...compared }],
  by_week: [{ week: "2026-11-02", ...compared }],
};

export type Example = { request?: unknown; response: unknown };

/** By operationId. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  validateSingle: { request, response: result },
  validateSingleByQuery: { response: result },
  inspectDomain: { response: domainReport },
  validateBulk: { request: bulkRequest, response: bulkSummary },
  previewUpload: { response: uploadPreview },
  estimateUpload: { request: confirmRequest, response: uploadEstimate },
  uploadLink: { request: linkRequest, response: uploadPreview },
  createJob: { request: createJobRequest, response: queued },
  confirmUpload: { request: confirmRequest, response: queued },
  listJobs: { response: [completed] },
  getJobResults: { response: jobResults },
  getJobResult: { response: result },
  pauseJob: { response: { ...queued, status: "paused" } },
  resumeJob: { response: queued },
  recheckJob: { response: { ...queued, attempt: 2 } },
  cancelJob: { response: { ...completed, status: "cancelled" } },
  reportOutcomes: { request: feedbackRequest, response: feedbackSummary },
  getFeedbackReport: { response: feedbackReport },
};
