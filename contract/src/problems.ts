/**
 * Errors of the API: public code, HTTP status, and the problem document (RFC 9457). A verdict is never a problem, and a
 * problem never costs a credit.
 */
import { type Static, Type } from "typebox";
import { OneOf } from "./shape.ts";

/** code → [HTTP status, title]. The only place to add a code. */
export const PROBLEMS = {
  malformed_request: [400, "The request is malformed"],
  missing_api_key: [401, "An API key is required"],
  invalid_api_key: [401, "The API key is not valid"],
  not_signed_in: [401, "Not signed in"],
  wrong_credentials: [401, "Incorrect email or password"],
  insufficient_credits: [402, "Not enough credits"],
  api_access_not_included: [403, "The plan does not include API access"],
  insufficient_scope: [403, "The API key lacks the scope for this"],
  operator_only: [403, "Operator access required"],
  session_required: [403, "A signed-in session is required, not an API key"],
  origin_rejected: [403, "The request comes from another site"],
  sign_up_closed: [403, "Sign-up is closed"],
  not_found: [404, "Not found"],
  job_not_found: [404, "No such job"],
  upload_not_found: [404, "No such upload"],
  key_not_found: [404, "No such API key"],
  session_not_found: [404, "No such session"],
  account_not_found: [404, "No such account"],
  webhook_not_found: [404, "No such webhook endpoint"],
  delivery_not_found: [404, "No such delivery"],
  method_not_allowed: [405, "This method is not supported here"],
  not_acceptable: [406, "No acceptable representation"],
  job_state_conflict: [409, "The job's state does not allow this"],
  results_not_ready: [409, "The results are not ready yet"],
  email_taken: [409, "An account with this email exists"],
  too_many_keys: [409, "Too many API keys"],
  too_many_webhooks: [409, "Too many webhook endpoints"],
  webhook_disabled: [409, "The webhook endpoint is disabled"],
  idempotency_in_flight: [409, "The same request is still in progress"],
  link_expired: [410, "The link has expired or was used"],
  upload_expired: [410, "The upload has expired"],
  results_expired: [410, "The results have expired"],
  payload_too_large: [413, "The request body is too large"],
  too_many_emails: [413, "Too many emails"],
  too_many_rows: [413, "Too many rows"],
  compression_bomb: [413, "The decompressed file is too large"],
  unsupported_media_type: [415, "The content type is not supported"],
  unsupported_file: [415, "The file type is not supported"],
  validation_failed: [422, "The request does not have the expected shape"],
  email_column_not_found: [422, "No such column"],
  empty_file: [422, "The file is empty"],
  not_a_table: [422, "The file is not a table"],
  no_emails_found: [422, "No emails were found"],
  undecodable_file: [422, "The file's text cannot be decoded"],
  idempotency_key_reused: [422, "The idempotency key was used for another request"],
  webhook_url_rejected: [422, "The webhook URL is not allowed"],
  rate_limited: [429, "Too many requests"],
  too_many_active_jobs: [429, "Too many active jobs"],
  too_many_uploads: [429, "Too many unconfirmed uploads"],
  internal_error: [500, "Internal error"],
  overloaded: [503, "The service is overloaded"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;
export const PROBLEM_CODES = Object.keys(PROBLEMS) as ProblemCode[];

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
