/**
 * Every error of a request at every endpoint it applies to.
 *
 * Each row of the table is tried at each endpoint, must return a complete problem document and must cost nothing. The
 * OpenAPI document must list exactly these problems.
 */
import type { ProblemCode } from "@mailvet/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  credentialsFor,
  documentedProblems,
  expectEveryEndpoint,
  honoursIdempotencyKeys,
  requestTo,
  wrongRequestTo,
} from "./endpoint-requests.ts";
import { ENDPOINTS, type Endpoint, UNKNOWN_PASSKEY } from "./endpoints.ts";
import { ROWS_OF_CREDENTIALS, settleCredentials } from "./errors-credentials.ts";
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
let documented: ReturnType<typeof documentedProblems> | undefined;
/** After the latest request. */
let books: unknown;
beforeAll(async () => {
  ({ service, people } = await openErrorFixture());
  await settleCy();
  await settleHooks();
  await settleCredentials();
  books = await booksOf(service);
});
afterAll(() => service[Symbol.asyncDispose]());

const everywhere = () => true;
const readsBody = (endpoint: Endpoint) => endpoint.method !== "GET" && !acceptsFile(endpoint);

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

  ...ROWS_OF_CREDENTIALS,

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
  [
    "an unknown passkey",
    "passkey_not_found",
    only("PATCH /auth/passkeys/{passkey_id}", "POST /auth/passkeys/{passkey_id}/remove"),
    changed({}),
  ],
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
      "POST /auth/two-factor/recovery-codes",
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
    only(
      "POST /auth/sign-up",
      "POST /auth/sign-in",
      "POST /auth/passkeys/sign-in",
      "POST /auth/confirm-email",
      "POST /auth/password-reset/confirm",
    ),
  ],
  ["email_taken", only("POST /operator/accounts/{account_id}/email", "POST /auth/confirm-new-email")],
  ["account_active", only("POST /operator/accounts/{account_id}/invitation")],
  [
    "operator_protected",
    only(
      "PATCH /operator/accounts/{account_id}",
      "POST /operator/accounts/{account_id}/grants",
      "POST /operator/accounts/{account_id}/invitation",
      "POST /operator/accounts/{account_id}/resume",
      "GET /operator/accounts/{account_id}/export",
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
      "POST /auth/two-factor/recovery-codes",
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
      test(`${what} is refused as ${code} and costs nothing`, async () => {
        await expectProblem(service, await ask(endpoint), code);
        const before = books;
        books = await booksOf(service);
        expect(books).toEqual(before);
      });
    }

    test("a wrong method gets 405 with Allow", async () => {
      const { path } = requestTo(endpoint);
      const right = ENDPOINTS.filter((one) => one.path === endpoint.path).map(({ method }) => method);
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((one) => !right.includes(one))) {
        const response = await service.ask(path, { method, from: freshAddress(), key: people.ann.key });
        await expectProblem(service, response, "method_not_allowed");
        expect(response.headers.get("allow")?.split(", ")).toEqual(expect.arrayContaining(right));
      }
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
