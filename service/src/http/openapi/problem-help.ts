/** Cause and fix of every problem code, for its page (problem-page.ts), the guide and the examples of the OpenAPI document. */
import type { ProblemCode } from "@mailvet/contract";

export type ProblemHelp = {
  /** What is wrong. The first sentence is the detail of the example. */
  cause: string;
  /** What the client, or the person in front of it, can do. */
  fix: string;
};

export const PROBLEM_HELP: Readonly<Record<ProblemCode, ProblemHelp>> = {
  malformed_request: {
    cause:
      "The request could not be read: invalid JSON, an empty or incomplete body, an invalid URL, headers that are too large, two different keys, or a request that did not arrive in time.",
    fix: "Correct the request; the detail names the part. The same bytes are refused again.",
  },
  missing_api_key: {
    cause: "The request has no API key.",
    fix: "Send your API key in the X-API-Key header, or as Authorization: Bearer. Create keys on the API keys page of the web app.",
  },
  invalid_api_key: {
    cause: "The key is unknown, expired or revoked.",
    fix: "Check that it was copied completely, or create a new one.",
  },
  not_signed_in: {
    cause: "This endpoint requires a session of the web app, and the request has none. It may have expired.",
    fix: "Sign in again.",
  },
  wrong_credentials: {
    cause: "The email or the password is incorrect. The response does not reveal whether the account exists.",
    fix: "Check both, or reset the password.",
  },
  two_factor_required: {
    cause:
      "The account has two-factor sign-in, and the code is missing, wrong or used already. For a change of second factors: the installation requires two-factor sign-in and the session was opened with the password alone.",
    fix: "Send the code of the authenticator app, or a recovery code, with the email and password. Each code works once. For a change of second factors use a passkey.",
  },
  passkey_rejected: {
    cause:
      "The passkey is unknown, was created for another address, did not verify the user, or its challenge has expired or was used already.",
    fix: "Request a new challenge and try again, or sign in with the password.",
  },
  insufficient_credits: {
    cause: "The account does not have enough credits: see required and available. Nothing was charged.",
    fix: "Send fewer emails, or ask your administrator for more credits.",
  },
  api_access_not_included: {
    cause: "The free plan allows test keys only.",
    fix: "Use a key that begins with mv_test_, or change to a plan with live keys.",
  },
  account_suspended: {
    cause:
      "The operator has suspended this account; the detail has the reason. Nothing is deleted, and running jobs are paused.",
    fix: "Ask your administrator to have it resumed.",
  },
  insufficient_scope: {
    cause: "The API key does not have the scope of this endpoint.",
    fix: "Create a key that has it.",
  },
  operator_only: {
    cause:
      "Only the operator of this installation can use this endpoint, and only with two-factor sign-in where the installation requires it.",
    fix: "Sign in as the operator, with a second factor where it is required, or use an operator key.",
  },
  ip_not_allowed: {
    cause: "The operator key does not work from the address of this client.",
    fix: "Send the request from an address in its list, or create another key.",
  },
  session_required: {
    cause: "API keys can't be used for this endpoint.",
    fix: "Sign in to the web app, and send no key.",
  },
  origin_rejected: {
    cause: "The request was sent by a page of another origin and was not executed.",
    fix: "Send it from your server, with an API key. Behind a proxy, keep the Host header or set PUBLIC_URL.",
  },
  sign_up_closed: {
    cause: "Sign-up is closed on this installation.",
    fix: "Ask your administrator for an account.",
  },
  not_found: { cause: "The path does not exist.", fix: "Check the path and its version." },
  job_not_found: {
    cause: "Your account has no job with this ID.",
    fix: "Check the ID, and that the key has the mode of the job: test keys see test jobs only.",
  },
  upload_not_found: {
    cause: "Your account has no upload with this ID.",
    fix: "Check the ID, and that the key has the mode of the upload. Otherwise upload the file again.",
  },
  key_not_found: {
    cause: "Your account has no API key with this ID.",
    fix: "Take the ID from the list of keys. It is not the key itself.",
  },
  session_not_found: {
    cause: "Your account has no session with this ID.",
    fix: "List the sessions again; this one may have ended.",
  },
  passkey_not_found: {
    cause: "Your account has no passkey with this ID.",
    fix: "List the passkeys again; this one may have been removed.",
  },
  account_not_found: {
    cause: "No account has this ID.",
    fix: "Check the ID; the account may have been erased.",
  },
  list_not_found: {
    cause: "Your account has no saved list with this ID.",
    fix: "Check the ID, and that the key has the mode of the list.",
  },
  webhook_not_found: {
    cause: "Your account has no webhook endpoint with this ID.",
    fix: "Check the ID, and that the key has the mode of the endpoint.",
  },
  delivery_not_found: {
    cause: "The webhook endpoint has no delivery with this ID.",
    fix: "List the deliveries again. They are kept for 30 days.",
  },
  dead_letter_not_found: {
    cause: "No dead letter has this ID.",
    fix: "List them again. Dead letters are kept for 30 days, and removed by a redrive.",
  },
  method_not_allowed: {
    cause: "The path does not support this method.",
    fix: "Use one of the methods in the Allow header.",
  },
  not_acceptable: {
    cause: "The Accept header excludes the media type of the response, which usually is JSON.",
    fix: "Send Accept: application/json, or leave the header out.",
  },
  job_state_conflict: {
    cause: "The job is in a status that does not allow this action, such as cancelling a finished job.",
    fix: "Get the job, and act on its present status.",
  },
  results_not_ready: {
    cause: "The job has not finished yet.",
    fix: "Retry when it has: GET /bulk/jobs/{job_id}?wait=30 waits for it.",
  },
  email_taken: {
    cause: "An account with this email already exists.",
    fix: "Sign in, or reset the password.",
  },
  two_factor_enabled: {
    cause: "Two-factor sign-in is enabled already.",
    fix: "Disable it before setting it up again.",
  },
  operator_protected: {
    cause:
      "The last operator account can't be suspended or erased, operators can't suspend or erase their own account, and operator keys can't change or export operators' accounts.",
    fix: "Do it as another operator, with a session.",
  },
  account_active: {
    cause: "The owner has chosen a password already, so there is nothing to be invited to.",
    fix: "The owner signs in, or resets the password.",
  },
  last_second_factor: {
    cause:
      "The installation requires two-factor sign-in of this account, and this is its only second factor.",
    fix: "Add another one first.",
  },
  passkeys_unavailable: {
    cause: "Browsers bind passkeys to a domain name, and this page was opened by another address.",
    fix: "Open the web app by its public https address (PUBLIC_URL), or at http://localhost on the same machine, not by an IP address.",
  },
  storage_full: {
    cause: "The uploaded lists of the account take as much space as its plan allows.",
    fix: "Delete jobs and saved lists you no longer need, or ask your administrator for a larger plan.",
  },
  too_many_passkeys: {
    cause: "The account has reached its maximum of passkeys.",
    fix: "Remove one you no longer use.",
  },
  too_many_keys: {
    cause: "The account has reached its maximum of API keys.",
    fix: "Revoke one you no longer use.",
  },
  too_many_webhooks: {
    cause: "The account has reached its maximum of webhook endpoints.",
    fix: "Delete one you no longer use.",
  },
  webhook_disabled: {
    cause: "The webhook endpoint is disabled and receives no events.",
    fix: "Enable it first.",
  },
  dead_letter_obsolete: {
    cause:
      "There is nothing left to do: the job has failed or its results are deleted, or the webhook endpoint is disabled or deleted.",
    fix: "Nothing. The dead letter expires.",
  },
  idempotency_in_flight: {
    cause: "A request with the same Idempotency-Key is still in progress.",
    fix: "Retry after Retry-After seconds to get its response.",
  },
  link_expired: { cause: "The link has expired or was already used.", fix: "Request a new one." },
  upload_expired: { cause: "Uploads expire after 24 hours.", fix: "Upload the file again." },
  results_expired: {
    cause: "The results of this job have been deleted, because their retention has ended.",
    fix: "Upload the list again. To keep results, save the job as a list.",
  },
  payload_too_large: {
    cause: "The request body exceeds the limit of this endpoint.",
    fix: "Split it, or upload a file.",
  },
  too_many_emails: {
    cause: "The request or file has more emails than allowed: see found and limit.",
    fix: "Split the list.",
  },
  too_many_rows: {
    cause: "The file has more rows than allowed: see found and limit.",
    fix: "Split the file.",
  },
  compression_bomb: {
    cause: "The file decompresses to far more than its size suggests.",
    fix: "Send it uncompressed, or in parts.",
  },
  unsupported_media_type: {
    cause: "The content type of the body is not supported by this endpoint.",
    fix: "Send JSON with Content-Type: application/json. Send files as multipart/form-data.",
  },
  unsupported_file: { cause: "This file type is not supported.", fix: "Send CSV, XLSX or ODS." },
  validation_failed: {
    cause: "The request does not match the schema.",
    fix: "Correct the parts in errors: each has a JSON Pointer and a message.",
  },
  email_column_not_found: {
    cause: "The file has no such column.",
    fix: "Send one of the columns that the preview lists.",
  },
  empty_file: {
    cause: "The file is empty or contains only whitespace.",
    fix: "Check the export that made it.",
  },
  not_a_table: {
    cause: "The file is not a table of rows and columns, or has a row or cell that is too long.",
    fix: "Send CSV with one row per line and at most 65,536 characters per cell. The detail says what is wrong.",
  },
  no_emails_found: {
    cause: "The file, or the selected column, contains nothing that looks like an email.",
    fix: "Select another column, or check the file.",
  },
  sheet_not_found: {
    cause: "The spreadsheet has no such sheet.",
    fix: "Send one of the sheets that the preview lists.",
  },
  link_rejected: {
    cause: "The link does not lead to a public https address, or was sent in test mode.",
    fix: "Publish the file at one, or upload it. Test mode downloads nothing.",
  },
  link_failed: {
    cause: "The file could not be downloaded from the link.",
    fix: "Open the link without signing in: it must return the file itself. The detail says what came instead.",
  },
  undecodable_file: {
    cause: "The file is damaged, or its text encoding could not be detected.",
    fix: "Save it again, text as UTF-8. The detail says what is wrong.",
  },
  idempotency_key_reused: {
    cause: "This Idempotency-Key was already used with a different request.",
    fix: "Use a new key for each request, and the same key only to repeat it.",
  },
  webhook_url_rejected: {
    cause:
      "Events can't be sent to this URL, for example because it is in a private network, or the webhook_url of a job in test mode.",
    fix: "Use a public https URL, or ask your administrator to allow the address. In test mode add an endpoint with POST /webhooks.",
  },
  rate_limited: {
    cause: "Too many requests per minute, or too many concurrent requests.",
    fix: "Retry after Retry-After seconds. RateLimit shows what is left.",
  },
  too_many_active_jobs: {
    cause: "The account has reached the maximum of active jobs of its plan.",
    fix: "Wait until one finishes.",
  },
  too_many_uploads: {
    cause: "The account has too many unconfirmed uploads.",
    fix: "Confirm one, or wait: they expire after 24 hours.",
  },
  internal_error: {
    cause: "Something went wrong on our side.",
    fix: "Contact your administrator with the request ID; the log has the details. The request may be retried, with the same Idempotency-Key.",
  },
  overloaded: {
    cause: "The server is overloaded or shutting down, or its database is unreachable.",
    fix: "Retry after Retry-After seconds.",
  },
};
