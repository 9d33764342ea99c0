/** Errors of credentials: API keys, operator keys, sessions, scopes, and requests from other origins. */
import { OPERATOR_SCOPE_NAMES } from "@mailvet/contract";
import {
  isForOperator,
  makeOperatorKey,
  operatorScopeOf,
  requestTo,
  takesKeys,
  takesOperatorKeys,
  takesSessions,
} from "./endpoint-requests.ts";
import type { Endpoint } from "./endpoints.ts";
import { by, fixture, freshAddress, type Row } from "./errors-fixture.ts";

const deadKeys = {} as Record<"revoked" | "expired", string>;
const operatorKeys = {} as Record<"all" | "revoked" | "elsewhere", string>;
let deadSession: string;

/** Creates them. */
export async function settleCredentials(): Promise<void> {
  const { service, people } = fixture;
  const { ann } = people;
  const expiring = await ann.makeKey({ expires_at: new Date(Date.now() + 3_600_000).toISOString() });
  await service.database.pool.query("update api_keys set expires_at = now() where id = $1", [expiring.id]);
  const revoked = await ann.makeKey();
  await service.ask(`/keys/${revoked.id}`, { method: "DELETE", cookie: ann.cookie });
  Object.assign(deadKeys, { revoked: revoked.key, expired: expiring.key });

  const { id, key } = await makeOperatorKey(service);
  await service.ask(`/operator/keys/${id}`, { method: "DELETE", cookie: await service.operatorCookie() });
  const elsewhere = await makeOperatorKey(service, { allowed_ranges: ["203.0.113.0/24"] });
  const { key: all } = await makeOperatorKey(service);
  Object.assign(operatorKeys, { all, revoked: key, elsewhere: elsewhere.key });

  const { cookie } = await service.openAccount();
  await service.ask("/auth/sign-out", { method: "POST", cookie });
  deadSession = cookie;
}

const isForSessions = (endpoint: Endpoint) => endpoint.access === "session" || isForOperator(endpoint);
const hasScope = (endpoint: Endpoint) => takesKeys(endpoint) && endpoint.access !== "any_key";
/** Requires a scope beyond read. */
const doesMore = ({ access }: Endpoint) =>
  typeof access === "object" && "scope" in access && access.scope !== "read";
/** Where a cross-origin request with a session could change or spend something. */
const changesThings = (endpoint: Endpoint) => endpoint.method !== "GET" || doesMore(endpoint);

const mistyped = (key: string) => key.replace(/.$/, (last) => (last === "x" ? "y" : "x"));

export const ROWS_OF_CREDENTIALS: readonly Row[] = [
  [
    "two different keys",
    "malformed_request",
    (endpoint) => endpoint.access !== "open",
    by(() => ({
      key: fixture.people.ann.key,
      bearer: fixture.people.cy.key,
      cookie: fixture.people.ann.cookie,
    })),
  ],

  ["no key", "missing_api_key", takesKeys, by(() => ({}))],
  ["an empty key", "missing_api_key", takesKeys, by(() => ({ key: "" }))],
  ["an unknown key", "invalid_api_key", takesKeys, by(() => ({ key: "unknown-key" }))],
  ["a mistyped key", "invalid_api_key", takesKeys, by(() => ({ key: mistyped(fixture.people.ann.key) }))],
  ["a revoked key", "invalid_api_key", takesKeys, by(() => ({ key: deadKeys.revoked }))],
  [
    "a revoked key as a bearer token, with a valid session",
    "invalid_api_key",
    takesKeys,
    by(() => ({ bearer: deadKeys.revoked, cookie: fixture.people.ann.cookie })),
  ],
  ["an expired key", "invalid_api_key", takesKeys, by(() => ({ key: deadKeys.expired }))],
  [
    "an invalid key with a valid session",
    "invalid_api_key",
    takesKeys,
    by(() => ({ key: deadKeys.revoked, cookie: fixture.people.ann.cookie })),
  ],
  ["no session", "not_signed_in", isForSessions, by(() => ({}))],
  ["an ended session", "not_signed_in", takesSessions, by(() => ({ cookie: deadSession }))],

  [
    "a suspended account",
    "account_suspended",
    takesSessions,
    (endpoint) => {
      const { key, cookie } = fixture.people.suspended;
      return by(() => (takesKeys(endpoint) ? { key } : { cookie }))(endpoint);
    },
  ],
  [
    "a plan without API access",
    "api_access_not_included",
    takesKeys,
    by(() => ({ key: fixture.people.free.key })),
  ],
  [
    "a key without the scope",
    "insufficient_scope",
    hasScope,
    async (endpoint) => {
      const scope = doesMore(endpoint) ? "read" : "validate";
      const { key } = await fixture.people.ann.makeKey({ scopes: [scope] });
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
      const { key } = await makeOperatorKey(fixture.service, { scopes: others });
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
    by(() => ({ key: fixture.people.ann.key, cookie: fixture.people.ann.cookie })),
  ],
  [
    "a session of another account than the operator's",
    "operator_only",
    isForOperator,
    by(() => ({ cookie: fixture.people.ann.cookie })),
  ],
  [
    "a page of another origin",
    "origin_rejected",
    changesThings,
    async (endpoint) => {
      const { path, asked } = requestTo(endpoint);
      const cookie = isForOperator(endpoint)
        ? await fixture.service.operatorCookie()
        : fixture.people.ann.cookie;
      const headers = { origin: "https://elsewhere.example" };
      return fixture.service.ask(path, { from: freshAddress(), ...asked, cookie, headers });
    },
  ],
];
