/**
 * Every error of a request at every endpoint it applies to.
 *
 * Each row of the table is tried at each endpoint, must return a complete problem document and must cost nothing. The
 * OpenAPI document must list exactly these problems.
 */
import { OPERATOR_SCOPE_NAMES, type ProblemCode } from "@mailvet/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  credentialsFor,
  documentedProblems,
  ENDPOINTS,
  type Endpoint,
  expectEveryEndpoint,
  honoursIdempotencyKeys,
  isForOperator,
  makeOperatorKey,
  operatorScopeOf,
  requestTo,
  takesKeys,
  takesOperatorKeys,
  takesSessions,
  UNKNOWN_PASSKEY,
  wrongRequestTo,
} from "./endpoints.ts";
import { ROWS_OF_FEEDBACK } from "./errors-feedback.ts";
import {
  type AppliesTo,
  acceptsFile,
  by,
  changed,
  type ErrorFixture,
  freshAddress,
  only,
  openErrorFixture,
  type Row,
} from "./errors-fixture.ts";
import { ROWS_OF_JOBS, settleCy } from "./errors-jobs.ts";
import { ROWS_OF_WEBHOOKS, settleHooks } from "./errors-webhooks.ts";
import { booksOf, expectProblem } from "./problems.ts";
import type { TestService } from "./service.ts";
import { askWithBytes } from "./wire.ts";

let service: TestService;
let people: ErrorFixture["people"];
let deadKeys: { revoked: string; expired: string };
let deadSession: string;
let operatorKeys: { all: string; revoked: string; elsewhere: string };
let documented: ReturnType<typeof documentedProblems> | undefined;
beforeAll(async () => {
  ({ service, people } = await openErrorFixture());
  await settleCy();
  await settleHooks();
  const { ann } = people;
  const expiring = await ann.makeKey({ expires_at: new Date(Date.now() + 3_600_000).toISOString() });
  await service.database.pool.query("update api_keys set expires_at = now() where id = $1", [expiring.id]);
  const revoked = await ann.makeKey();
  await service.ask(`/keys/${revoked.id}`, { method: "DELETE", cookie: ann.cookie });
  deadKeys = { revoked: revoked.key, expired: expiring.key };

  const { id, key } = await makeOperatorKey(service);
  await service.ask(`/operator/keys/${id}`, { method: "DELETE", cookie: await service.operatorCookie() });
  const elsewhere = await makeOperatorKey(service, { allowed_ranges: ["203.0.113.0/24"] });
  operatorKeys = { all: (await makeOperatorKey(service)).key, revoked: key, elsewhere: elsewhere.key };

  const { cookie } = await service.openAccount();
  await service.ask("/auth/sign-out", { method: "POST", cookie });
  deadSession = cookie;
});
afterAll(() => service[Symbol.asyncDispose]());

const everywhere = () => true;
const readsBody = (endpoint: Endpoint) => endpoint.method !== "GET" && !acceptsFile(endpoint);
const isForSessions = (endpoint: Endpoint) => endpoint.access === "session" || isForOperator(endpoint);
const hasScope = (endpoint: Endpoint) => takesKeys(endpoint) && endpoint.access !== "any_key";
/** Requires a scope beyond read. */
const doesMore = ({ access }: Endpoint) =>
  typeof access === "object" && "scope" in access && access.scope !== "read";
/** Where a cross-origin request with a session could change or spend something. */
const changesThings = (endpoint: Endpoint) => endpoint.method !== "GET" || doesMore(endpoint);

const mistyped = (key: string) => key.replace(/.$/, (last) => (last === "x" ? "y" : "x"));

const ROWS: readonly Row[] = [
  ["broken JSON", "malformed_request", readsBody, changed({ body: '{"email": ' })],
  [
    "an invalid header",
    "malformed_request",
    ({ method }) => method === "GET",
    (endpoint) => {
      const { path } = requestTo(endpoint);
      return askWithBytes(service, `GET /api/v1${path} HTTP/1.1\r\nHost: a\r\nno colon here\r\n\r\n`);
    },
  ],

  [
    "two different keys",
    "malformed_request",
    (endpoint) => endpoint.access !== "open",
    by(() => ({ key: people.ann.key, bearer: people.cy.key, cookie: people.ann.cookie })),
  ],

  ["no key", "missing_api_key", takesKeys, by(() => ({}))],
  ["an empty key", "missing_api_key", takesKeys, by(() => ({ key: "" }))],
  ["an unknown key", "invalid_api_key", takesKeys, by(() => ({ key: "unknown-key" }))],
  ["a mistyped key", "invalid_api_key", takesKeys, by(() => ({ key: mistyped(people.ann.key) }))],
  ["a revoked key", "invalid_api_key", takesKeys, by(() => ({ key: deadKeys.revoked }))],
  [
    "a revoked key as a bearer token, with a valid session",
    "invalid_api_key",
    takesKeys,
    by(() => ({ bearer: deadKeys.revoked, cookie: people.ann.cookie })),
  ],
  ["an expired key", "invalid_api_key", takesKeys, by(() => ({ key: deadKeys.expired }))],
  [
    "an invalid key with a valid session",
    "invalid_api_key",
    takesKeys,
    by(() => ({ key: deadKeys.revoked, cookie: people.ann.cookie })),
  ],
  ["no session", "not_signed_in", isForSessions, by(() => ({}))],
  ["an ended session", "not_signed_in", takesSessions, by(() => ({ cookie: deadSession }))],

  [
    "a suspended account",
    "account_suspended",
    takesSessions,
    (endpoint) => {
      const { key, cookie } = people.suspended;
      return by(() => (takesKeys(endpoint) ? { key } : { cookie }))(endpoint);
    },
  ],
  ["a plan without API access", "api_access_not_included", takesKeys, by(() => ({ key: people.free.key }))],
  [
    "a key without the scope",
    "insufficient_scope",
    hasScope,
    async (endpoint) => {
      const scope = doesMore(endpoint) ? "read" : "validate";
      const { key } = await people.ann.makeKey({ scopes: [scope] });
      return by(() => ({ key }))(endpoint);
    },
  ],
  ["an operator key", "invalid_api_key", takesKeys, by(() => ({ key: operatorKeys.all }))],
  ["an unknown operator key", "invalid_api_key", takesOperatorKeys, by(() => ({ key: "mv_op_unknown" }))],
  ["a revoked operator key", "invalid_api_key", takesOperatorKeys, by(() => ({ key: operatorKeys.revoked }))],
  [
    "an operator key without the scope",
    "insufficient_scope",
    takesOperatorKeys,
    async (endpoint) => {
      const others = OPERATOR_SCOPE_NAMES.filter((scope) => scope !== operatorScopeOf(endpoint));
      const { key } = await makeOperatorKey(service, { scopes: others });
      return by(() => ({ key }))(endpoint);
    },
  ],
  [
    "an operator key from another address",
    "ip_not_allowed",
    takesOperatorKeys,
    by(() => ({ key: operatorKeys.elsewhere })),
  ],
  [
    "an operator key where a session is required",
    "session_required",
    ({ access }) => access === "session" || access === "operator_session",
    by(() => ({ key: operatorKeys.all })),
  ],
  [
    "a key where a session is required",
    "session_required",
    isForSessions,
    by(() => ({ key: people.ann.key, cookie: people.ann.cookie })),
  ],
  [
    "a session of another account than the operator's",
    "operator_only",
    isForOperator,
    by(() => ({ cookie: people.ann.cookie })),
  ],
  [
    "a page of another origin",
    "origin_rejected",
    changesThings,
    async (endpoint) => {
      const { path, asked } = requestTo(endpoint);
      const cookie = isForOperator(endpoint) ? await service.operatorCookie() : people.ann.cookie;
      const headers = { origin: "https://elsewhere.example" };
      return service.ask(path, { from: freshAddress(), ...asked, cookie, headers });
    },
  ],

  [
    "a client that accepts only XML",
    "not_acceptable",
    everywhere,
    changed({ headers: { accept: "text/xml" } }),
  ],
  [
    "a body that is too large",
    "payload_too_large",
    readsBody,
    changed({ body: JSON.stringify({ email: "x".repeat(1024 * 1024) }) }),
  ],
  [
    "a body that is not JSON",
    "unsupported_media_type",
    readsBody,
    changed({ body: "email=ann", headers: { "content-type": "text/plain" } }),
  ],
  [
    "an invalid request",
    "validation_failed",
    everywhere,
    async (endpoint) => {
      const { path, asked } = wrongRequestTo(endpoint);
      const who = await credentialsFor(endpoint, service, people.ann);
      const response = await service.ask(path, { from: freshAddress(), ...asked, ...who });
      const { pointer } = endpoint.wrong;
      expect(response.body.errors).toContainEqual({ pointer, message: expect.stringMatching(/\w/) });
      return response;
    },
  ],
  [
    "an unknown query parameter",
    "validation_failed",
    everywhere,
    async (endpoint) => {
      const { path, asked } = requestTo(endpoint);
      const who = await credentialsFor(endpoint, service, people.ann);
      const unknown = `${path}${path.includes("?") ? "&" : "?"}surprise=1`;
      const response = await service.ask(unknown, { from: freshAddress(), ...asked, ...who });
      expect(response.body.errors).toContainEqual({ pointer: "/surprise", message: "is unknown" });
      return response;
    },
  ],
  [
    "an invalid Idempotency-Key",
    "validation_failed",
    honoursIdempotencyKeys,
    changed({ headers: { "idempotency-key": "two words" } }),
  ],

  [
    "insufficient credits",
    "insufficient_credits",
    only(
      "POST /validation/single",
      "GET /validation/single",
      "POST /validation/bulk",
      "GET /domains/{domain}",
    ),
    async (endpoint) => {
      const response = await by(() => ({ key: people.broke.key }))(endpoint);
      const required = endpoint.path.endsWith("bulk") ? 2 : 1;
      expect(response.body).toMatchObject({ required, available: 0 });
      return response;
    },
  ],
  [
    "deducting more than the balance",
    "insufficient_credits",
    only("POST /operator/accounts/{account_id}/grants"),
    async (endpoint) => {
      const { path } = requestTo(endpoint, { account_id: people.ann.accountId });
      const response = await service.ask(path, {
        cookie: await service.operatorCookie(),
        body: { amount: -101 },
      });
      expect(response.body).toMatchObject({ required: 101, available: 100 });
      return response;
    },
  ],
  [
    "more than 1,000 emails",
    "too_many_emails",
    only("POST /validation/bulk"),
    changed({ body: { emails: Array.from({ length: 1_001 }, () => "valid@mailvet.test") } }),
  ],
  [
    "one key too many",
    "too_many_keys",
    only("POST /keys"),
    async (endpoint) => {
      await service.database.pool.query(
        `insert into api_keys (account_id, name, mode, key_hash, prefix, scopes)
         select $1, 'one of many', 'live', sha256(n::text::bytea), 'mv_live_', '{read}' from generate_series(2, 100) n`,
        [people.broke.accountId],
      );
      return by(() => ({ cookie: people.broke.cookie }))(endpoint);
    },
  ],
  [
    "one operator key too many",
    "too_many_keys",
    only("POST /operator/keys"),
    async (endpoint) => {
      await service.database.pool.query(
        `insert into operator_keys (account_id, name, key_hash, prefix, scopes, allowed_ranges)
         select id, 'one of many', sha256(n::text::bytea), 'mv_op_', '{}', '{}'
         from accounts, generate_series(1, 100) n where is_operator`,
      );
      const answer = await changed({})(endpoint);
      await service.database.pool.query("delete from operator_keys where name = 'one of many'");
      return answer;
    },
  ],
  ["an unknown key ID", "key_not_found", ({ path }) => path.endsWith("/keys/{key_id}"), changed({})],
  ["an unknown session", "session_not_found", only("DELETE /auth/sessions/{session_id}"), changed({})],
  ["an unknown passkey", "passkey_not_found", only("POST /auth/passkeys/{passkey_id}/remove"), changed({})],
  [
    "an address without a domain name",
    "passkeys_unavailable",
    only(
      "POST /auth/passkeys/challenge",
      "POST /auth/passkeys/sign-in",
      "POST /auth/passkeys/options",
      "POST /auth/passkeys",
    ),
    changed({}),
  ],
  [
    "an address without a domain name",
    "passkeys_unavailable",
    only("POST /auth/passkeys/{passkey_id}/remove"),
    changed({ body: { credential: UNKNOWN_PASSKEY } }),
  ],
  ["an unknown account", "account_not_found", ({ path }) => path.includes("{account_id}"), changed({})],
  [
    "an email that is in use",
    "email_taken",
    only("POST /auth/sign-up"),
    (endpoint) => changed({ body: { email: people.ann.email, password: "long enough, too" } })(endpoint),
  ],
  [
    "an email that has an account",
    "email_taken",
    only("POST /operator/accounts"),
    (endpoint) => changed({ body: { email: people.ann.email } })(endpoint),
  ],
  [
    "a wrong password",
    "wrong_credentials",
    only("POST /auth/sign-in"),
    (endpoint) => changed({ body: { email: people.ann.email, password: "another password" } })(endpoint),
  ],
  [
    "a wrong current password",
    "wrong_credentials",
    only(
      "POST /auth/password",
      "POST /auth/two-factor",
      "POST /auth/two-factor/disable",
      "POST /account/export",
      "POST /account/close",
    ),
    changed({}),
  ],
  [
    "a link that was never sent",
    "link_expired",
    only(
      "POST /auth/confirm-email",
      "POST /auth/confirm-new-email",
      "POST /auth/password-reset/confirm",
      "GET /account/export",
    ),
    changed({}),
  ],
  ...ROWS_OF_FEEDBACK,
  ...ROWS_OF_JOBS,
  ...ROWS_OF_WEBHOOKS,
];

const PROVEN_BY_PASSKEY = ["POST /auth/passkeys/options", "POST /auth/passkeys/{passkey_id}/remove"];

/** Covered by other tests, because they need the whole service in a certain state. */
const COVERED_ELSEWHERE: readonly (readonly [ProblemCode, AppliesTo])[] = [
  ["rate_limited", everywhere],
  ["internal_error", everywhere],
  ["overloaded", everywhere],
  ["sign_up_closed", only("POST /auth/sign-up")],
  [
    "account_suspended",
    only("POST /auth/sign-in", "POST /auth/passkeys/sign-in", "POST /auth/confirm-email"),
  ],
  ["email_taken", only("POST /operator/accounts/{account_id}/email", "POST /auth/confirm-new-email")],
  ["account_active", only("POST /operator/accounts/{account_id}/invitation")],
  [
    "operator_protected",
    only(
      "POST /operator/accounts/{account_id}/suspend",
      "POST /operator/accounts/{account_id}/email",
      "POST /operator/accounts/{account_id}/end-sessions",
      "POST /operator/accounts/{account_id}/erase",
      "POST /account/close",
    ),
  ],
  ["job_state_conflict", ({ path }) => path.startsWith("/operator/jobs/")],
  [
    "two_factor_required",
    only(
      "POST /auth/sign-in",
      "POST /auth/two-factor",
      "POST /auth/two-factor/confirm",
      "POST /auth/two-factor/disable",
      "POST /account/export",
      "POST /account/close",
      ...PROVEN_BY_PASSKEY,
    ),
  ],
  ["wrong_credentials", only(...PROVEN_BY_PASSKEY)],
  ["passkey_rejected", only("POST /auth/passkeys/sign-in", ...PROVEN_BY_PASSKEY)],
  ["too_many_passkeys", only("POST /auth/passkeys/options", "POST /auth/passkeys")],
  [
    "last_second_factor",
    only(
      "POST /auth/two-factor/disable",
      "POST /auth/passkeys/{passkey_id}/remove",
      "POST /auth/password-reset/confirm",
    ),
  ],
  ["two_factor_enabled", only("POST /auth/two-factor")],
  ["too_many_rows", only("POST /bulk/jobs")], // the rows do not fit into the request limit of this service
  ["idempotency_in_flight", honoursIdempotencyKeys],
  ["idempotency_key_reused", honoursIdempotencyKeys],
];

test("the list of endpoints is complete", () => expectEveryEndpoint(service));

for (const endpoint of ENDPOINTS) {
  const rows = ROWS.filter(([, , at]) => at(endpoint));

  describe(endpoint.name, () => {
    for (const [what, code, , ask] of rows) {
      const tell = async () => {
        const before = await booksOf(service);
        await expectProblem(service, await ask(endpoint), code);
        expect(await booksOf(service)).toEqual(before);
      };
      test(`${what} is refused as ${code} and costs nothing`, tell, 60_000); // a million rows take long
    }

    test("a wrong method gets 405 with Allow", async () => {
      const { path } = requestTo(endpoint);
      const response = await service.ask(path, { method: "PUT", from: freshAddress(), key: people.ann.key });
      await expectProblem(service, response, "method_not_allowed");
      expect(response.headers.get("allow")?.split(", ")).toContain(endpoint.method);
    });

    const ids = [...endpoint.path.matchAll(/\{(\w+_id)\}/g)].map(([, name]) => name!);
    for (const name of ids) {
      test(`a ${name} that is no UUID is refused like an unknown one`, async () => {
        const who = await credentialsFor(endpoint, service, people.ann);
        const responseFor = async (id: string) => {
          const { path, asked } = requestTo(endpoint, { [name]: id });
          const { status, body } = await service.ask(path, { from: freshAddress(), ...asked, ...who });
          return { status, ...body, request_id: undefined };
        };
        const unknown = await responseFor(crypto.randomUUID());
        expect(unknown).toMatchObject({ status: 404, code: expect.stringMatching(/_not_found$/) });
        for (const id of ["not-a-uuid", "0", "%00", `${crypto.randomUUID()}x`])
          expect(await responseFor(id), id).toEqual(unknown);
      });
    }

    test("paths below it do not exist", async () => {
      const path = `${requestTo({ ...endpoint, query: "" }).path}/nothing/here`;
      const response = await service.ask(path, { method: endpoint.method, from: freshAddress() });
      await expectProblem(service, response, "not_found");
    });

    test("the OpenAPI document lists these problems and no others", async () => {
      documented ??= documentedProblems(service); // a megabyte, so read once
      const here = (await documented).get(endpoint.name) ?? [];
      const elsewhere = COVERED_ELSEWHERE.filter(([, at]) => at(endpoint)).map(([code]) => code);
      const known = new Set([...rows.map(([, code]) => code), ...elsewhere]);
      expect([...here].sort()).toEqual([...known].sort());
    });
  });
}
