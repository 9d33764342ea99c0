/**
 * Errors of the API: public code, HTTP status, and the problem document (RFC 9457). A verdict is never a problem, and a
 * problem never costs a credit.
 */
import { type Static, Type } from "typebox";
import { OneOf } from "./shape.ts";

/** code → [HTTP status, title]. The only place to add a code. */
export const PROBLEMS = {
  malformed_request: [400, "Malformed request"],
  missing_api_key: [401, "API key required"],
  invalid_api_key: [401, "Invalid API key"],
  not_signed_in: [401, "Not signed in"],
  wrong_credentials: [401, "Incorrect email or password"],
  two_factor_required: [401, "Two-factor code required"],
  passkey_rejected: [401, "Passkey not accepted"],
  insufficient_credits: [402, "Not enough credits"],
  api_access_not_included: [403, "API access not included in plan"],
  account_suspended: [403, "Account suspended"],
  insufficient_scope: [403, "Insufficient scope"],
  operator_only: [403, "Operator only"],
  ip_not_allowed: [403, "Address not allowed"],
  session_required: [403, "Session required"],
  origin_rejected: [403, "Cross-origin request rejected"],
  sign_up_closed: [403, "Sign-up is closed"],
  not_found: [404, "Not found"],
  job_not_found: [404, "Job not found"],
  upload_not_found: [404, "Upload not found"],
  key_not_found: [404, "API key not found"],
  session_not_found: [404, "Session not found"],
  passkey_not_found: [404, "Passkey not found"],
  account_not_found: [404, "Account not found"],
  list_not_found: [404, "List not found"],
  webhook_not_found: [404, "Webhook endpoint not found"],
  delivery_not_found: [404, "Delivery not found"],
  dead_letter_not_found: [404, "Dead letter not found"],
  method_not_allowed: [405, "Method not allowed"],
  not_acceptable: [406, "Not acceptable"],
  job_state_conflict: [409, "Not possible in the current job status"],
  results_not_ready: [409, "Results not ready"],
  email_taken: [409, "Email already in use"],
  two_factor_enabled: [409, "Two-factor sign-in already enabled"],
  operator_protected: [409, "Operator account protected"],
  account_active: [409, "Account already active"],
  last_second_factor: [409, "Last second factor"],
  passkeys_unavailable: [409, "Passkeys not available at this address"],
  too_many_passkeys: [409, "Too many passkeys"],
  too_many_keys: [409, "Too many API keys"],
  too_many_webhooks: [409, "Too many webhook endpoints"],
  storage_full: [409, "Storage limit reached"],
  webhook_disabled: [409, "Webhook endpoint disabled"],
  dead_letter_obsolete: [409, "Dead letter obsolete"],
  idempotency_in_flight: [409, "Request already in progress"],
  link_expired: [410, "Link expired or already used"],
  upload_expired: [410, "Upload expired"],
  results_expired: [410, "Results expired"],
  payload_too_large: [413, "Request body too large"],
  too_many_emails: [413, "Too many emails"],
  too_many_rows: [413, "Too many rows"],
  compression_bomb: [413, "Decompressed file too large"],
  unsupported_media_type: [415, "Unsupported content type"],
  unsupported_file: [415, "Unsupported file type"],
  validation_failed: [422, "Validation failed"],
  email_column_not_found: [422, "Column not found"],
  empty_file: [422, "Empty file"],
  not_a_table: [422, "File cannot be read as a table"],
  no_emails_found: [422, "No emails found"],
  sheet_not_found: [422, "Sheet not found"],
  link_rejected: [422, "Link not allowed"],
  link_failed: [422, "Download failed"],
  undecodable_file: [422, "File cannot be read"],
  idempotency_key_reused: [422, "Idempotency key already used"],
  webhook_url_rejected: [422, "Webhook URL not allowed"],
  rate_limited: [429, "Too many requests"],
  too_many_active_jobs: [429, "Too many active jobs"],
  too_many_uploads: [429, "Too many unconfirmed uploads"],
  internal_error: [500, "Internal error"],
  overloaded: [503, "Temporarily overloaded"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;
export const PROBLEM_CODES = Object.keys(PROBLEMS) as ProblemCode[];

/** The `type` of a problem: the page that documents its code, at the service that returned it. */
export const problemTypeOf = (code: ProblemCode) => `/docs/problems/${code}`;

export const Problem = Type.Object(
  {
    type: Type.String({ description: "URL of the documentation of this code." }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: "What is wrong with this request." }),
    code: OneOf(PROBLEM_CODES),
    request_id: Type.String(),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({ description: "JSON Pointer to the invalid part." }),
          message: Type.String(),
        }),
      ),
    ),
    required: Type.Optional(Type.Integer({ description: "Credits needed (insufficient_credits)." })),
    available: Type.Optional(Type.Integer({ description: "Credits available (insufficient_credits)." })),
    found: Type.Optional(Type.Integer({ description: "Number found (too_many_emails, too_many_rows)." })),
    limit: Type.Optional(Type.Integer({ description: "Maximum allowed (too_many_emails, too_many_rows)." })),
  },
  { description: "RFC 9457 problem document." },
);
export type Problem = Static<typeof Problem>;
