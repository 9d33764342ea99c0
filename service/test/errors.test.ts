/**
 * Everything that can be wrong with a request, at every endpoint it can be wrong at.
 *
 * A row says what is done wrong, what it is called, and where that applies. Each is done at each endpoint, is
 * told in a complete problem document, and costs nothing. The document of the API foresees exactly these.
 */
import type { ProblemCode } from "@mailvet/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  credentialsFor,
  documentedProblems,
  ENDPOINTS,
  type Endpoint,
  expectEveryEndpoint,
  honoursIdempotencyKeys,
  requestTo,
  takesKeys,
  takesSessions,
  wrongRequestTo,
} from "./endpoints.ts";
import { ROWS_OF_FEEDBACK } from "./errors-feedback.ts";
import { ROWS_OF_JOBS, settleCy } from "./errors-jobs.ts";
import {
  by,
  changed,
  only,
  type Place,
  type Row,
  type Stage,
  setStage,
  somewhere,
  takesFile,
} from "./errors-stage.ts";
import { ROWS_OF_WEBHOOKS, settleHooks } from "./errors-webhooks.ts";
import { booksOf, expectProblem } from "./problems.ts";
import type { TestService } from "./service.ts";
import { askWithBytes } from "./wire.ts";

let service: TestService;
let people: Stage["people"];
let deadKeys: { revoked: string; expired: string };
let deadSession: string;
beforeAll(async () => {
  ({ service, people } = await setStage());
  await settleCy();
  await settleHooks();
  const { ann } = people;
  const expiring = await ann.makeKey({ expires_at: new Date(Date.now() + 3_600_000).toISOString() });
  await service.database.pool.query("update api_keys set expires_at = now() where id = $1", [expiring.id]);
  const revoked = await ann.makeKey();
  await service.ask(`/keys/${revoked.id}`, { method: "DELETE", cookie: ann.cookie });
  deadKeys = { revoked: revoked.key, expired: expiring.key };

  const { cookie } = await service.openAccount();
  await service.ask("/auth/sign-out", { method: "POST", cookie });
  deadSession = cookie;
});
afterAll(() => service[Symbol.asyncDispose]());

const everywhere = () => true;
const readsBody = (endpoint: Endpoint) => endpoint.method !== "GET" && !takesFile(endpoint);
const isForSessions = ({ access }: Endpoint) => access === "session" || access === "operator";
const isForOperator = ({ access }: Endpoint) => access === "operator";
const hasScope = ({ access }: Endpoint) => typeof access === "object";
/** With a key that may do more than read. */
const doesMore = ({ access }: Endpoint) => typeof access === "object" && access.scope !== "read";
/** Where a page of another site could do harm with our cookie. */
const changesThings = (endpoint: Endpoint) => endpoint.method !== "GET" || doesMore(endpoint);

const mistyped = (key: string) => key.replace(/.$/, (last) => (last === "x" ? "y" : "x"));

const ROWS: readonly Row[] = [
  ["broken JSON", "malformed_request", readsBody, changed({ body: '{"email": ' })],
  [
    "a header that is none",
    "malformed_request",
    ({ method }) => method === "GET",
    (endpoint) => {
      const { path } = requestTo(endpoint);
      return askWithBytes(service, `GET /api/v1${path} HTTP/1.1\r\nHost: a\r\nno colon here\r\n\r\n`);
    },
  ],

  ["no key", "missing_api_key", takesKeys, by(() => ({}))],
  ["an empty key", "missing_api_key", takesKeys, by(() => ({ key: "" }))],
  ["a key that nobody has", "invalid_api_key", takesKeys, by(() => ({ key: "nobody-has-a-key-like-this" }))],
  ["a mistyped key", "invalid_api_key", takesKeys, by(() => ({ key: mistyped(people.ann.key) }))],
  ["a revoked key", "invalid_api_key", takesKeys, by(() => ({ key: deadKeys.revoked }))],
  ["an expired key", "invalid_api_key", takesKeys, by(() => ({ key: deadKeys.expired }))],
  [
    "a wrong key beside a good session",
    "invalid_api_key",
    takesKeys,
    by(() => ({ key: deadKeys.revoked, cookie: people.ann.cookie })),
  ],
  ["nobody signed in", "not_signed_in", isForSessions, by(() => ({}))],
  ["a session that has ended", "not_signed_in", takesSessions, by(() => ({ cookie: deadSession }))],

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
  [
    "a key where a session is needed",
    "session_required",
    isForSessions,
    by(() => ({ key: people.ann.key, cookie: people.ann.cookie })),
  ],
  [
    "somebody else than the operator",
    "operator_only",
    isForOperator,
    by(() => ({ cookie: people.ann.cookie })),
  ],
  [
    "a page of another site",
    "origin_rejected",
    changesThings,
    async (endpoint) => {
      const { path, asked } = requestTo(endpoint);
      const cookie = isForOperator(endpoint) ? await service.operatorCookie() : people.ann.cookie;
      const headers = { origin: "https://elsewhere.example" };
      return service.ask(path, { from: somewhere(), ...asked, cookie, headers });
    },
  ],

  ["a client that wants XML", "not_acceptable", everywhere, changed({ headers: { accept: "text/xml" } })],
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
    "the wrong shape",
    "validation_failed",
    ({ wrong }) => wrong !== undefined,
    async (endpoint) => {
      const { path, asked } = wrongRequestTo(endpoint);
      const who = await credentialsFor(endpoint, service, people.ann);
      const answer = await service.ask(path, { from: somewhere(), ...asked, ...who });
      const { pointer } = endpoint.wrong!;
      expect(answer.body.errors).toContainEqual({ pointer, message: expect.stringMatching(/\w/) });
      return answer;
    },
  ],
  [
    "an Idempotency-Key that is none",
    "validation_failed",
    honoursIdempotencyKeys,
    changed({ headers: { "idempotency-key": "two words" } }),
  ],

  [
    "more than there are credits for",
    "insufficient_credits",
    only(
      "POST /validation/single",
      "GET /validation/single",
      "POST /validation/bulk",
      "GET /domains/{domain}",
    ),
    async (endpoint) => {
      const answer = await by(() => ({ key: people.broke.key }))(endpoint);
      const required = endpoint.path.endsWith("bulk") ? 2 : 1;
      expect(answer.body).toMatchObject({ required, available: 0 });
      return answer;
    },
  ],
  [
    "taking back more than there is",
    "insufficient_credits",
    only("POST /operator/accounts/{account_id}/grants"),
    async (endpoint) => {
      const { path } = requestTo(endpoint, { account_id: people.ann.accountId });
      const answer = await service.ask(path, {
        cookie: await service.operatorCookie(),
        body: { amount: -101 },
      });
      expect(answer.body).toMatchObject({ required: 101, available: 100 });
      return answer;
    },
  ],
  [
    "more than 1,000 emails",
    "too_many_emails",
    only("POST /validation/bulk"),
    changed({ body: { emails: Array.from({ length: 1_001 }, () => "valid@mailvet.test") } }),
  ],
  [
    "one key more than there may be",
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
  ["nobody's key", "key_not_found", only("DELETE /keys/{key_id}"), changed({})],
  ["nobody's session", "session_not_found", only("DELETE /auth/sessions/{session_id}"), changed({})],
  ["nobody's account", "account_not_found", ({ path }) => path.includes("{account_id}"), changed({})],
  [
    "an email that has an account",
    "email_taken",
    only("POST /auth/sign-up"),
    (endpoint) => changed({ body: { email: people.ann.email, password: "long enough, too" } })(endpoint),
  ],
  [
    "a wrong password",
    "wrong_credentials",
    only("POST /auth/sign-in"),
    (endpoint) => changed({ body: { email: people.ann.email, password: "another password" } })(endpoint),
  ],
  ["a wrong current password", "wrong_credentials", only("POST /auth/password"), changed({})],
  [
    "a link that was never sent",
    "link_expired",
    only("POST /auth/confirm-email", "POST /auth/password-reset/confirm"),
    changed({}),
  ],
  ...ROWS_OF_FEEDBACK,
  ...ROWS_OF_JOBS,
  ...ROWS_OF_WEBHOOKS,
];

/** Told of in other stories, because the whole service is in a state for them. */
const ELSEWHERE: readonly (readonly [ProblemCode, Place])[] = [
  ["rate_limited", everywhere],
  ["internal_error", everywhere],
  ["overloaded", everywhere],
  ["sign_up_closed", only("POST /auth/sign-up")],
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
      test(`${what} is refused as ${code} and costs nothing`, tell, 60_000); // a million rows take their time
    }

    test("the wrong method is told the right ones", async () => {
      const { path } = requestTo(endpoint);
      const answer = await service.ask(path, { method: "PUT", from: somewhere(), key: people.ann.key });
      await expectProblem(service, answer, "method_not_allowed");
      expect(answer.headers.get("allow")?.split(", ")).toContain(endpoint.method);
    });

    test("there is nothing below its path", async () => {
      const path = `${requestTo({ ...endpoint, query: "" }).path}/nothing/here`;
      const answer = await service.ask(path, { method: endpoint.method, from: somewhere() });
      await expectProblem(service, answer, "not_found");
    });

    test("the document foresees these problems and no others", async () => {
      const documented = (await documentedProblems(service)).get(endpoint.name) ?? [];
      const elsewhere = ELSEWHERE.filter(([, at]) => at(endpoint)).map(([code]) => code);
      const known = new Set([...rows.map(([, code]) => code), ...elsewhere]);
      expect([...documented].sort()).toEqual([...known].sort());
    });
  });
}
