/** /docs/problems: what every problem code means and what to do about it. The `type` of each problem leads here. */
import { createHash } from "node:crypto";
import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from "@mailvet/contract";

/** A code without a sentence here does not compile. */
const HELP: Readonly<Record<ProblemCode, string>> = {
  malformed_request:
    "The request could not be read: broken JSON, a body that is empty or cut off, a broken address, headers that are too large, or a request that did not arrive in time. Mend it before sending it again.",
  missing_api_key:
    "Send your API key in the X-API-Key header. Keys are made on the API Keys page of the web app.",
  invalid_api_key:
    "The key is unknown, expired or revoked. Check that it was copied whole, or make a new one.",
  not_signed_in: "This needs somebody signed in to the web app, and there is no session or it has ended.",
  wrong_credentials:
    "Email and password do not belong together. Whether there is such an account is not said.",
  insufficient_credits:
    "The account has fewer credits than this would cost: required and available say how many. Nothing was spent.",
  api_access_not_included: "API keys work on every plan but the free one.",
  insufficient_scope: "The key was made without the scope that this endpoint needs. Make one that has it.",
  operator_only: "Only the operator of this installation may do this.",
  session_required: "An API key cannot do this. Sign in to the web app instead, and send no X-API-Key.",
  origin_rejected: "A page of another site made the browser send this request, so it was not carried out.",
  sign_up_closed: "On this installation the operator opens accounts.",
  not_found: "There is nothing at this address. Check the path, and the version in it.",
  job_not_found: "There is no job with this id among yours.",
  upload_not_found: "There is no upload with this id among yours.",
  key_not_found: "There is no API key with this id among yours.",
  session_not_found: "There is no session with this id among yours.",
  account_not_found: "There is no account with this id.",
  webhook_not_found: "There is no webhook endpoint with this id among yours.",
  delivery_not_found: "This webhook endpoint has no delivery with this id. They are kept for 30 days.",
  method_not_allowed: "The path exists, but not with this method. The Allow header lists those it has.",
  not_acceptable: "The Accept header rules out the form in which this is answered; mostly that is JSON.",
  job_state_conflict:
    "The job is in a state in which this cannot be done, such as cancelling what has ended.",
  results_not_ready: "The job has not ended yet. Ask again when it has.",
  email_taken: "There is an account with this email already. Sign in, or reset its password.",
  too_many_keys: "The account has as many API keys as it may have. Revoke one that is not used.",
  too_many_webhooks: "The account has as many webhook endpoints as it may have. Delete one that is not used.",
  webhook_disabled: "The endpoint is switched off, so nothing is sent to it. Switch it on first.",
  idempotency_in_flight:
    "A request with the same Idempotency-Key is still being worked on. Ask again after Retry-After seconds for its answer.",
  link_expired: "The link was used before, or is too old. Ask for a new one.",
  upload_expired: "An upload is kept for a day. Send the file again.",
  results_expired: "The results of this job have been erased.",
  payload_too_large: "The request body is larger than this endpoint takes. Split it.",
  too_many_emails:
    "There are more emails in the request or file than one may hold: found and limit say how many. Split the list.",
  too_many_rows: "There are more rows in the file than one may hold: found and limit say how many. Split it.",
  compression_bomb: "The file unpacks to far more than its size suggests. Send it uncompressed, in parts.",
  unsupported_media_type:
    "Send JSON, with Content-Type: application/json; a file is sent as multipart/form-data.",
  unsupported_file: "This kind of file cannot be read. Send CSV text.",
  validation_failed:
    "The request was read, but does not have the expected shape. errors says where, and what is wrong.",
  email_column_not_found: "The file has no such column. The preview lists those it has.",
  empty_file: "There is nothing in the file but blanks.",
  not_a_table: "The file is not a table of rows and columns. Send CSV text, one row a line.",
  no_emails_found: "Nothing in the file, or in the chosen column, looks like an email.",
  undecodable_file: "The file's text is in an encoding that could not be made out. Save it as UTF-8.",
  idempotency_key_reused:
    "This Idempotency-Key came with a different request before. Use a new key for a new request.",
  webhook_url_rejected:
    "The address is not one that webhooks may be sent to, such as one in a private network.",
  rate_limited:
    "Too many requests in a minute, or too many at once. Retry-After says when to ask again, RateLimit what is left.",
  too_many_active_jobs: "The account has as many jobs under way as its plan allows. Wait for one to end.",
  too_many_uploads:
    "There are too many uploads that were not confirmed. Confirm one, or wait until they expire after a day.",
  internal_error:
    "This is our fault, not yours. The request id leads whoever runs this installation to it in the log.",
  overloaded:
    "There is more work than can be done in time, or the server is being stopped. Ask again after Retry-After.",
};

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark; }
code { font-size: 1.05em; } h2 { margin: 2rem 0 0; } :target { outline: 2px solid; outline-offset: 4px; }
p { margin: .25rem 0; }`;

export const PROBLEM_PAGE_CSP = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; frame-ancestors 'none'`;

/** Nothing on it comes from a request, so there is nothing to escape but what stands above. */
export const PROBLEM_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Problems · Mailvet</title>
<style>${STYLE}</style></head>
<body>
<h1>Problems</h1>
<p>Whatever goes wrong is answered with a problem document (RFC 9457). Its <code>code</code> is one of these.</p>
${PROBLEM_CODES.map(entry).join("\n")}
</body>
</html>
`;

function entry(code: ProblemCode): string {
  const [status, title] = PROBLEMS[code];
  return `<section id="${code}"><h2><code>${code}</code></h2><p>${status} · ${title}</p><p>${HELP[code]}</p></section>`;
}
