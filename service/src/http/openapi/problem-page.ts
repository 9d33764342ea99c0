/** /docs/problems: explanation of every problem code. The `type` of a problem links here. */
import { createHash } from "node:crypto";
import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from "@mailvet/contract";

export const PROBLEM_HELP: Readonly<Record<ProblemCode, string>> = {
  malformed_request:
    "The request could not be read: invalid JSON, an empty or incomplete body, an invalid URL, headers that are too large, two different keys, or a request that did not arrive in time. Fix it before retrying.",
  missing_api_key:
    "Send your API key in the X-API-Key header, or as Authorization: Bearer. Create keys on the API Keys page of the web app.",
  invalid_api_key:
    "The key is unknown, expired or revoked. Check that it was copied completely, or create a new one.",
  not_signed_in: "This endpoint requires a session of the web app. Sign in; the session may have expired.",
  wrong_credentials:
    "The email or the password is incorrect. The response does not reveal whether the account exists.",
  two_factor_required:
    "The account has two-factor sign-in. Send the code of the authenticator app, or a recovery code, with the email and password. Each code works once. For a change of second factors: the installation requires two-factor sign-in and the session was opened with the password alone, so use a passkey.",
  passkey_rejected:
    "The passkey is unknown, was created for another address, did not verify the user, or its challenge has expired or was used already. Request a new challenge and try again, or sign in with the password.",
  insufficient_credits:
    "The account does not have enough credits: see required and available. Nothing was charged.",
  api_access_not_included: "The free plan allows test keys only. Live keys need another plan.",
  account_suspended:
    "The operator has suspended this account; the detail has the reason. Nothing is deleted, and running jobs are paused. Ask your administrator to have it resumed.",
  insufficient_scope: "The API key does not have the scope of this endpoint. Create a key that has it.",
  operator_only:
    "Only the operator of this installation can use this endpoint, and only with two-factor sign-in where the installation requires it.",
  ip_not_allowed:
    "The operator key does not work from the address of this client. Send the request from an address in its list, or create another key.",
  session_required: "API keys can't be used for this endpoint. Sign in to the web app, and send no key.",
  origin_rejected: "The request was sent by a page of another origin and was not executed.",
  sign_up_closed: "Sign-up is closed on this installation. Ask your administrator for an account.",
  not_found: "The path does not exist. Check the path and its version.",
  job_not_found: "Your account has no job with this ID.",
  upload_not_found: "Your account has no upload with this ID.",
  key_not_found: "Your account has no API key with this ID.",
  session_not_found: "Your account has no session with this ID.",
  passkey_not_found: "Your account has no passkey with this ID.",
  account_not_found: "No account has this ID.",
  list_not_found: "Your account has no saved list with this ID.",
  webhook_not_found: "Your account has no webhook endpoint with this ID.",
  delivery_not_found: "The webhook endpoint has no delivery with this ID. Deliveries are kept for 30 days.",
  dead_letter_not_found:
    "No dead letter has this ID. Dead letters are kept for 30 days, and removed by a redrive.",
  method_not_allowed: "The path does not support this method. The Allow header lists the supported ones.",
  not_acceptable: "The Accept header excludes the media type of the response, which usually is JSON.",
  job_state_conflict:
    "The job is in a status that does not allow this action, such as cancelling a finished job.",
  results_not_ready: "The job has not finished yet. Retry when it has.",
  email_taken: "An account with this email already exists. Sign in, or reset the password.",
  two_factor_enabled: "Two-factor sign-in is enabled already. Disable it before setting it up again.",
  operator_protected:
    "The last operator account can't be suspended or erased, and operators can't suspend or erase their own account.",
  account_active: "The owner has chosen a password already, so there is nothing to be invited to.",
  last_second_factor:
    "The installation requires two-factor sign-in of this account, and this is its only second factor. Add another one first.",
  passkeys_unavailable:
    "Browsers bind passkeys to a domain name. Open the web app by its public https address (PUBLIC_URL), or at http://localhost on the same machine, not by an IP address.",
  too_many_passkeys: "The account has reached its maximum of passkeys. Remove one you no longer use.",
  too_many_keys: "The account has reached its maximum of API keys. Revoke one you no longer use.",
  too_many_webhooks:
    "The account has reached its maximum of webhook endpoints. Delete one you no longer use.",
  webhook_disabled: "The webhook endpoint is disabled and receives no events. Enable it first.",
  dead_letter_obsolete:
    "There is nothing left to do: the job has failed or its results are deleted, or the webhook endpoint is disabled or deleted.",
  idempotency_in_flight:
    "A request with the same Idempotency-Key is still in progress. Retry after Retry-After seconds to get its response.",
  link_expired: "The link has expired or was already used. Request a new one.",
  upload_expired: "Uploads expire after 24 hours. Upload the file again.",
  results_expired: "The results of this job have been deleted.",
  payload_too_large: "The request body exceeds the limit of this endpoint. Split it.",
  too_many_emails: "The request or file has more emails than allowed: see found and limit. Split the list.",
  too_many_rows: "The file has more rows than allowed: see found and limit. Split the file.",
  compression_bomb:
    "The file decompresses to far more than its size suggests. Send it uncompressed, or in parts.",
  unsupported_media_type: "Send JSON with Content-Type: application/json. Send files as multipart/form-data.",
  unsupported_file: "This file type is not supported. Send CSV, XLSX or ODS.",
  validation_failed: "The request does not match the schema. errors lists the invalid parts.",
  email_column_not_found: "The file has no such column. The preview lists its columns.",
  empty_file: "The file is empty or contains only whitespace.",
  not_a_table: "The file is not a table of rows and columns. Send CSV with one row per line.",
  link_rejected: "The link does not lead to a public https address.",
  link_failed: "The file could not be downloaded from the link.",
  sheet_not_found: "The spreadsheet has no such sheet. The preview lists its sheets.",
  no_emails_found: "The file, or the selected column, contains nothing that looks like an email.",
  undecodable_file: "The text encoding of the file could not be detected. Save it as UTF-8.",
  idempotency_key_reused:
    "This Idempotency-Key was already used with a different request. Use a new key for each request.",
  webhook_url_rejected: "Events can't be sent to this URL, for example because it is in a private network.",
  rate_limited:
    "Too many requests per minute, or too many concurrent requests. Retry after Retry-After seconds. RateLimit shows what is left.",
  too_many_active_jobs:
    "The account has reached the maximum of active jobs of its plan. Wait until one finishes.",
  too_many_uploads:
    "The account has too many unconfirmed uploads. Confirm one, or wait: they expire after 24 hours.",
  internal_error:
    "Something went wrong on our side. Contact your administrator with the request ID; the log has the details.",
  overloaded: "The server is overloaded or shutting down. Retry after Retry-After seconds.",
};

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark; }
code { font-size: 1.05em; } h2 { margin: 2rem 0 0; } :target { outline: 2px solid; outline-offset: 4px; }
p { margin: .25rem 0; }`;

export const PROBLEM_PAGE_CSP = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; frame-ancestors 'none'`;

/** Static: it contains nothing from the request. */
export const PROBLEM_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Problems · Mailvet</title>
<style>${STYLE}</style></head>
<body>
<h1>Problems</h1>
<p>Every error response is a problem document (RFC 9457). Its <code>code</code> is one of these.</p>
${PROBLEM_CODES.map(entry).join("\n")}
</body>
</html>
`;

function entry(code: ProblemCode): string {
  const [status, title] = PROBLEMS[code];
  return `<section id="${code}"><h2><code>${code}</code></h2><p>${status} · ${title}</p><p>${PROBLEM_HELP[code]}</p></section>`;
}
