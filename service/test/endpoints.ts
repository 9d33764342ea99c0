/**
 * Every endpoint of the API for table tests: required credentials, a valid request and an invalid one. How they are sent is
 * in endpoint-requests.ts.
 *
 * A test that uses the list first checks that the OpenAPI document has the same endpoints (expectEveryEndpoint).
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Access } from "../src/http/route-config.ts";
import { formWith, OPERATOR } from "./service.ts";

export type Endpoint = Details & {
  wrong: NonNullable<Details["wrong"]>;
  /** Method and path as in the document. */
  name: string;
  method: string;
  path: string;
  /** Required credentials. Where a key is accepted, a session is too. */
  access: Access;
};

type Details = {
  query?: string;
  body?: unknown;
  /** Instead of a body. */
  form?: FormData;
  /** The invalid part, and where. Default: an unknown query parameter. */
  wrong?: { query?: string; body?: unknown; form?: FormData; id?: string; pointer: string };
  /** Takes no Idempotency-Key although it is an authenticated POST. */
  ignoresIdempotencyKey?: true;
};

/** A well-formed token that was never issued. */
const UNKNOWN_TOKEN = "unknown-token-unknown-token-unknown-token-u";
/** A well-formed signature of a passkey that no account has. */
export const UNKNOWN_PASSKEY = {
  id: "AAAA",
  rawId: "AAAA",
  type: "public-key",
  response: { clientDataJSON: "e30", authenticatorData: "AAAA", signature: "AAAA" },
};
const PASSWORD = "a long enough password";
/** Outcomes at the sandbox domain are not stored. */
const REAL_EMAIL = "ann@polite.example-lab.com";
const EMAIL = "valid@mailvet.test";
const NEWCOMER = "newcomer@team.example";
const LIST = `name,email\nAnn,${EMAIL}\nBo,catch-all@mailvet.test\n`;
const BULK = { scope: "bulk" } as const;
const READ = { scope: "read" } as const;
/** Nothing listens there. */
export const HOOK = "http://127.0.0.1:9/hook";
const served = new Map<string, string | Uint8Array>();
const fileServer = createServer(({ url = "" }, response) => response.end(served.get(url) ?? LIST))
  .listen(0, "127.0.0.1")
  .unref();
await once(fileServer, "listening");
/** Serves a list. */
export const LINK = `http://127.0.0.1:${(fileServer.address() as AddressInfo).port}/list.csv`;

/** A link that serves this file. */
export function linkTo(content: string | Uint8Array): string {
  const path = `/${randomUUID()}`;
  served.set(path, content);
  return new URL(path, LINK).href;
}

const UNKNOWN_PARAMETER = { query: "?surprise=1", pointer: "/surprise" };

export const ENDPOINTS: readonly Endpoint[] = [
  endpoint(
    "POST /validation/single",
    { scope: "validate" },
    {
      body: { email: EMAIL },
      wrong: { body: { email: 5 }, pointer: "/email" },
    },
  ),
  endpoint(
    "GET /validation/single",
    { scope: "validate" },
    {
      query: `?email=${EMAIL}`,
      wrong: { query: "", pointer: "/email" },
    },
  ),
  endpoint(
    "POST /validation/bulk",
    { scope: "bulk" },
    {
      body: { emails: [EMAIL, "catch-all@mailvet.test"] },
      wrong: { body: { emails: [EMAIL, null] }, pointer: "/emails/1" },
    },
  ),
  endpoint("GET /domains/{domain}", { scope: "validate" }, { wrong: { id: "x", pointer: "/domain" } }),
  endpoint("POST /bulk/upload/link", BULK, {
    body: { url: LINK },
    wrong: { body: { url: 5 }, pointer: "/url" },
  }),
  endpoint("POST /bulk/jobs", BULK, {
    body: { emails: [EMAIL] },
    wrong: { body: { emails: [5] }, pointer: "/emails/0" },
  }),
  endpoint("POST /bulk/upload/preview", BULK, {
    form: formWith(LIST),
    wrong: { form: new FormData(), pointer: "/file" },
  }),
  endpoint("POST /bulk/upload/estimate", BULK, {
    body: { upload_id: randomUUID(), email_column: "email" },
    wrong: { body: { upload_id: 5, email_column: "email" }, pointer: "/upload_id" },
    ignoresIdempotencyKey: true,
  }),
  endpoint("POST /bulk/upload/confirm", BULK, {
    body: { upload_id: randomUUID(), email_column: "email" },
    wrong: { body: { upload_id: 5, email_column: "email" }, pointer: "/upload_id" },
  }),
  endpoint("GET /bulk/jobs", READ, {
    query: "?skip=0&limit=5&status=completed",
    wrong: { query: "?status=sleeping", pointer: "/status" },
  }),
  endpoint("GET /bulk/jobs/{job_id}", READ, { query: "?wait=1" }),
  endpoint("GET /bulk/jobs/{job_id}/results", READ, {
    query: "?status=valid",
    wrong: { query: "?status=valid,sleeping", pointer: "/status" },
  }),
  endpoint("GET /bulk/jobs/{job_id}/results/{row}", READ, { wrong: { id: "x", pointer: "/row" } }),
  endpoint("GET /bulk/jobs/{job_id}/download", READ, { query: "?status=valid" }),
  endpoint("GET /bulk/jobs/{job_id}/events", READ),
  endpoint("POST /bulk/jobs/{job_id}/cancel", BULK),
  endpoint("POST /bulk/jobs/{job_id}/pause", BULK),
  endpoint("POST /bulk/jobs/{job_id}/resume", BULK),
  endpoint("POST /bulk/jobs/{job_id}/recheck", BULK, {
    body: { which: "unknown" },
    wrong: { body: { which: "some" }, pointer: "/which" },
  }),
  endpoint("POST /bulk/jobs/{job_id}/finish", BULK),
  endpoint("DELETE /bulk/jobs/{job_id}", BULK),
  endpoint(
    "POST /feedback",
    { scope: "validate" },
    {
      body: { email: REAL_EMAIL, outcome: "delivered" },
      wrong: { body: { email: REAL_EMAIL, outcome: "lost" }, pointer: "/outcome" },
      ignoresIdempotencyKey: true,
    },
  ),
  endpoint("GET /feedback/report", READ),
  endpoint("DELETE /feedback", BULK),
  endpoint("GET /lists", READ),
  endpoint("POST /lists", BULK, {
    body: { job_id: randomUUID(), name: "customers" },
    wrong: { body: { job_id: randomUUID(), name: "" }, pointer: "/name" },
    ignoresIdempotencyKey: true,
  }),
  endpoint("GET /lists/{list_id}", READ),
  endpoint("GET /lists/{list_id}/changes", READ),
  endpoint("PATCH /lists/{list_id}", BULK, {
    body: { schedule: "weekly" },
    wrong: { body: { schedule: "hourly" }, pointer: "/schedule" },
  }),
  endpoint("DELETE /lists/{list_id}", BULK),
  endpoint("GET /webhooks", READ),
  endpoint("POST /webhooks", BULK, {
    body: { url: HOOK },
    wrong: { body: { url: HOOK, events: ["job.lost"] }, pointer: "/events/0" },
  }),
  endpoint("GET /webhooks/{webhook_id}", READ),
  endpoint("PATCH /webhooks/{webhook_id}", BULK, {
    body: { description: "orders" },
    wrong: { body: { is_enabled: "yes" }, pointer: "/is_enabled" },
  }),
  endpoint("DELETE /webhooks/{webhook_id}", BULK),
  endpoint("POST /webhooks/{webhook_id}/rotate-secret", BULK),
  endpoint("POST /webhooks/{webhook_id}/test", BULK),
  endpoint("GET /webhooks/{webhook_id}/deliveries", READ, {
    query: "?state=failed",
    wrong: { query: "?state=lost", pointer: "/state" },
  }),
  endpoint("POST /webhooks/{webhook_id}/deliveries/{delivery_id}/replay", BULK),
  endpoint("GET /about", "open"),
  endpoint("GET /account", "any_key"),
  endpoint(
    "GET /credits",
    { scope: "read" },
    {
      query: "?skip=0&limit=5",
      wrong: { query: "?limit=0", pointer: "/limit" },
    },
  ),
  endpoint("GET /account/notifications", "session"),
  endpoint("PATCH /account/notifications", "session", {
    body: { job_emails: false },
    wrong: { body: { low_credits_threshold: 0 }, pointer: "/low_credits_threshold" },
  }),
  endpoint("GET /credits/statement", READ, {
    query: "?kind=job",
    wrong: { query: "?kind=lost", pointer: "/kind" },
  }),
  endpoint("GET /usage", { scope: "read" }, { wrong: { query: "?from=yesterday", pointer: "/from" } }),
  endpoint("GET /keys", "session"),
  endpoint("POST /keys", "session", {
    body: { name: "another key" },
    wrong: { body: { name: "" }, pointer: "/name" },
  }),
  endpoint("DELETE /keys/{key_id}", "session"),
  endpoint("POST /auth/sign-up", "open", {
    body: { email: NEWCOMER, password: PASSWORD },
    wrong: { body: { email: NEWCOMER, password: "short" }, pointer: "/password" },
  }),
  endpoint("POST /auth/confirm-email", "open", {
    body: { token: UNKNOWN_TOKEN },
    wrong: { body: {}, pointer: "/token" },
  }),
  endpoint("POST /auth/sign-in", "open", {
    body: OPERATOR,
    wrong: { body: { email: OPERATOR.email }, pointer: "/password" },
  }),
  endpoint("POST /auth/sign-out", "open"),
  endpoint("GET /auth/session", "session"),
  endpoint("GET /auth/sessions", "session"),
  endpoint("DELETE /auth/sessions/{session_id}", "session"),
  endpoint("POST /auth/password", "session", {
    body: { current_password: "not the password", new_password: PASSWORD },
    wrong: { body: { current_password: PASSWORD, new_password: "short" }, pointer: "/new_password" },
    ignoresIdempotencyKey: true,
  }),
  endpoint("GET /auth/two-factor", "session"),
  endpoint("POST /auth/two-factor", "session", {
    body: { password: "not the password" },
    wrong: { body: {}, pointer: "/password" },
    ignoresIdempotencyKey: true,
  }),
  endpoint("POST /auth/two-factor/confirm", "session", {
    body: { code: "000000" },
    wrong: { body: { code: "1" }, pointer: "/code" },
    ignoresIdempotencyKey: true,
  }),
  endpoint("POST /auth/two-factor/recovery-codes", "session", {
    body: { password: "not the password", code: "000000" },
    wrong: { body: { password: PASSWORD }, pointer: "/code" },
    ignoresIdempotencyKey: true,
  }),
  endpoint("POST /auth/two-factor/disable", "session", {
    body: { password: "not the password", code: "000000" },
    wrong: { body: { password: PASSWORD }, pointer: "/code" },
    ignoresIdempotencyKey: true,
  }),
  endpoint("POST /auth/passkeys/challenge", "open"),
  endpoint("POST /auth/passkeys/sign-in", "open", {
    body: { credential: UNKNOWN_PASSKEY },
    wrong: { body: {}, pointer: "/credential" },
  }),
  endpoint("GET /auth/passkeys", "session"),
  endpoint("POST /auth/passkeys/options", "session", {
    body: { password: "not the password" },
    wrong: { body: { password: 5 }, pointer: "/password" },
    ignoresIdempotencyKey: true,
  }),
  endpoint("POST /auth/passkeys", "session", {
    body: {
      name: "laptop",
      credential: { ...UNKNOWN_PASSKEY, response: { clientDataJSON: "e30", attestationObject: "oA" } },
    },
    wrong: { body: { name: "laptop" }, pointer: "/credential" },
    ignoresIdempotencyKey: true,
  }),
  endpoint("PATCH /auth/passkeys/{passkey_id}", "session", {
    body: { name: "old laptop" },
    wrong: { body: { name: "" }, pointer: "/name" },
  }),
  endpoint("POST /auth/passkeys/{passkey_id}/remove", "session", {
    body: { password: "not the password" },
    wrong: { body: { password: 5 }, pointer: "/password" },
    ignoresIdempotencyKey: true,
  }),
  endpoint("POST /auth/password-reset", "open", {
    body: { email: "nobody@team.example" },
    wrong: { body: { email: [] }, pointer: "/email" },
  }),
  endpoint("POST /auth/password-reset/confirm", "open", {
    body: { token: UNKNOWN_TOKEN, new_password: PASSWORD },
    wrong: { body: { token: UNKNOWN_TOKEN }, pointer: "/new_password" },
  }),
  endpoint("GET /audit", "session", {
    query: "?action=sign_in.succeeded&from=2026-01-01&limit=5",
    wrong: { query: "?action=nap", pointer: "/action" },
  }),
  endpoint("GET /audit/export", "session", { wrong: { query: "?from=today", pointer: "/from" } }),
  endpoint(
    "GET /operator/audit",
    { operator: "audit:read" },
    {
      query: "?limit=5",
      wrong: { query: "?limit=0", pointer: "/limit" },
    },
  ),
  endpoint(
    "GET /operator/audit/export",
    { operator: "audit:read" },
    { wrong: { query: "?to=today", pointer: "/to" } },
  ),
  endpoint("GET /operator/keys", "operator_session"),
  endpoint("POST /operator/keys", "operator_session", {
    body: { name: "a script", scopes: ["system:read"] },
    wrong: { body: { name: "a script", scopes: [] }, pointer: "/scopes" },
  }),
  endpoint("DELETE /operator/keys/{key_id}", "operator_session"),
  endpoint("GET /operator/system", { operator: "system:read" }),
  endpoint("POST /operator/system/doctor", { operator: "system:read" }, { ignoresIdempotencyKey: true }),
  endpoint(
    "GET /operator/dead-letters",
    { operator: "jobs:read" },
    {
      query: "?limit=2",
      wrong: { query: "?skip=-1", pointer: "/skip" },
    },
  ),
  endpoint(
    "POST /operator/dead-letters/{dead_letter_id}/redrive",
    { operator: "jobs:write" },
    {
      ignoresIdempotencyKey: true,
    },
  ),
  endpoint(
    "GET /operator/accounts",
    { operator: "accounts:read" },
    {
      query: "?limit=2",
      wrong: { query: "?skip=-1", pointer: "/skip" },
    },
  ),
  endpoint("GET /operator/accounts/{account_id}", { operator: "accounts:read" }),
  endpoint(
    "PATCH /operator/accounts/{account_id}",
    { operator: "accounts:write" },
    {
      body: { plan: "enterprise" },
      wrong: { body: { plan: "gold" }, pointer: "/plan" },
    },
  ),
  endpoint(
    "POST /operator/accounts/{account_id}/grants",
    { operator: "credits:write" },
    {
      body: { amount: 1 },
      wrong: { body: { amount: 0.5 }, pointer: "/amount" },
    },
  ),
  endpoint(
    "POST /operator/accounts",
    { operator: "accounts:write" },
    {
      body: { email: "invited@team.example" },
      wrong: { body: { email: "invited@team.example", plan: "gold" }, pointer: "/plan" },
    },
  ),
  endpoint("POST /operator/accounts/{account_id}/invitation", { operator: "accounts:write" }),
  endpoint(
    "POST /operator/accounts/{account_id}/suspend",
    { operator: "accounts:write" },
    {
      body: { reason: "unpaid" },
      wrong: { body: { reason: "" }, pointer: "/reason" },
    },
  ),
  endpoint("POST /operator/accounts/{account_id}/resume", { operator: "accounts:write" }),
  endpoint(
    "POST /operator/accounts/{account_id}/email",
    { operator: "accounts:write" },
    {
      body: { email: "moved@team.example" },
      wrong: { body: { email: 5 }, pointer: "/email" },
    },
  ),
  endpoint("POST /operator/accounts/{account_id}/end-sessions", { operator: "accounts:write" }),
  endpoint(
    "POST /operator/accounts/{account_id}/erase",
    { operator: "accounts:erase" },
    {
      body: { email: NEWCOMER, reason: "requested" },
      wrong: { body: { email: NEWCOMER }, pointer: "/reason" },
    },
  ),
  endpoint("GET /operator/accounts/{account_id}/export", { operator: "accounts:export" }),
  endpoint("GET /operator/accounts/{account_id}/keys", { operator: "accounts:read" }),
  endpoint(
    "GET /operator/accounts/{account_id}/credits",
    { operator: "accounts:read" },
    {
      query: "?limit=5",
      wrong: { query: "?limit=0", pointer: "/limit" },
    },
  ),
  endpoint(
    "GET /operator/jobs",
    { operator: "jobs:read" },
    {
      query: "?limit=5&status=paused",
      wrong: { query: "?status=sleeping", pointer: "/status" },
    },
  ),
  endpoint("POST /operator/jobs/{job_id}/pause", { operator: "jobs:write" }),
  endpoint("POST /operator/jobs/{job_id}/resume", { operator: "jobs:write" }),
  endpoint("POST /operator/jobs/{job_id}/cancel", { operator: "jobs:write" }),
  endpoint("POST /account/export", "session", {
    body: { password: "not the password" },
    wrong: { body: {}, pointer: "/password" },
    ignoresIdempotencyKey: true,
  }),
  endpoint("GET /account/export", "session", {
    query: `?token=${UNKNOWN_TOKEN}`,
    wrong: { query: "", pointer: "/token" },
  }),
  endpoint("POST /account/close", "session", {
    body: { password: "not the password" },
    wrong: { body: {}, pointer: "/password" },
    ignoresIdempotencyKey: true,
  }),
  endpoint("POST /auth/confirm-new-email", "open", {
    body: { token: UNKNOWN_TOKEN },
    wrong: { body: { token: "" }, pointer: "/token" },
  }),
];

function endpoint(name: string, access: Access, details: Details = {}): Endpoint {
  const [method = "", path = ""] = name.split(" ");
  return { name, method, path, access, wrong: UNKNOWN_PARAMETER, ...details };
}
