/**
 * Authentication by API key, operator key or session cookie, and authorisation against the route's access.
 *
 * A key arrives in X-API-Key or as a bearer token; two that differ are refused. When a request carries a key and a cookie,
 * the key is used. A key is never accepted where a session is required, so that a leaked key
 * cannot create keys or change the password. Operator keys work on operator endpoints only, and other keys never do.
 */
import {
  HEADERS,
  type KeyMode,
  type KeyScope,
  type OperatorScope,
  type Plan,
  type ProblemCode,
} from "@mailvet/contract";
import type { FastifyRequest } from "fastify";
import { accountSuspended } from "../../accounts/account-queries.ts";
import { PLAN_LIMITS } from "../../accounts/plans.ts";
import type { Caller } from "../../base/caller.ts";
import { Refusal } from "../../base/refusal.ts";
import { isOperatorKeyText } from "../../keys/key-format.ts";
import { type Access, isForOperator, takesApiKeys } from "../route-config.ts";

type KeyOrSessionOwner = {
  accountId: string;
  plan: Plan;
  isOperator: boolean;
  /** Why the account is suspended; null unless it is. */
  suspendedFor?: string | null;
};
export type RecognisedKey = KeyOrSessionOwner & { keyId: string; mode: KeyMode; scopes: readonly KeyScope[] };
export type RecognisedOperatorKey = KeyOrSessionOwner & {
  keyId: string;
  scopes: readonly OperatorScope[];
  needsTwoFactor: boolean;
  isAllowedFrom: boolean;
};
export type FoundSession = KeyOrSessionOwner & { sessionId: string; needsTwoFactor?: boolean };

export type AuthenticateDeps = {
  recogniseKey(text: string): Promise<RecognisedKey | undefined> | RecognisedKey | undefined;
  recogniseOperatorKey(text: string, ip: string): Promise<RecognisedOperatorKey | undefined>;
  findSession(token: string): Promise<FoundSession | undefined>;
  sessionTokenOf(request: FastifyRequest): string | undefined;
};

export type AuthenticationFailure =
  | "missing_key"
  | "two_keys"
  | "invalid_key"
  | "operator_key"
  | "api_key"
  | "ip_not_allowed"
  | "not_signed_in"
  | "session_required";
export type Authenticate = (
  request: FastifyRequest,
  access: Exclude<Access, "open">,
) => Promise<Caller | AuthenticationFailure> | Caller | AuthenticationFailure;

export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  // Not async: a cached key is recognised synchronously, and a promise per request is measurable.
  return (request, access) => {
    const keyText = keyTextOf(request);
    if (keyText === TWO_KEYS) return "two_keys";
    if (keyText) {
      if (access === "session" || access === "operator_session") return "session_required";
      if (isForOperator(access)) {
        if (!isOperatorKeyText(keyText)) return "api_key";
        return deps.recogniseOperatorKey(keyText, request.ip).then(callerByOperatorKey);
      }
      if (isOperatorKeyText(keyText)) return "operator_key";
      const key = deps.recogniseKey(keyText);
      return key instanceof Promise ? key.then(callerByKey) : callerByKey(key);
    }
    const token = deps.sessionTokenOf(request);
    if (!token) return takesApiKeys(access) ? "missing_key" : "not_signed_in";
    return deps.findSession(token).then((session) => callerBySession(session, isInTestMode(request)));
  };
}

const TWO_KEYS = Symbol("two keys");

/** Other schemes of the Authorization header, such as Basic, may belong to a proxy in front and are ignored. */
function keyTextOf({ headers }: FastifyRequest): string | undefined | typeof TWO_KEYS {
  const own = headers[HEADERS.apiKey] as string | undefined;
  const { authorization } = headers;
  if (authorization === undefined) return own;
  const bearer = /^bearer +(.+)$/i.exec(authorization)?.[1];
  if (own && bearer && own !== bearer) return TWO_KEYS;
  return own || bearer;
}

function callerByKey(key: RecognisedKey | undefined): Caller | AuthenticationFailure {
  if (!key) return "invalid_key";
  const { accountId, plan, isOperator, suspendedFor = null, keyId, scopes, mode } = key;
  const isTest = mode === "test";
  return { accountId, isTest, plan, isOperator, suspendedFor, by: { kind: "key", keyId, scopes } };
}

function callerByOperatorKey(key: RecognisedOperatorKey | undefined): Caller | AuthenticationFailure {
  if (!key) return "invalid_key";
  const { accountId, plan, isOperator, suspendedFor = null, needsTwoFactor, keyId, scopes } = key;
  if (!key.isAllowedFrom) return "ip_not_allowed";
  const by = { kind: "operator_key", keyId, scopes } as const;
  return { accountId, isTest: false, plan, isOperator, suspendedFor, needsTwoFactor, by };
}

/** For sessions, which choose the mode by request. In a link, which has no headers, the query says it. */
function isInTestMode({ headers, query }: FastifyRequest): boolean {
  const mode = headers[HEADERS.mode] ?? (query as { mode?: unknown }).mode;
  return mode === "test";
}

function callerBySession(session: FoundSession | undefined, isTest: boolean): Caller | AuthenticationFailure {
  if (!session) return "not_signed_in";
  const { accountId, plan, isOperator, suspendedFor = null, needsTwoFactor = false, sessionId } = session;
  const by = { kind: "session", sessionId } as const;
  return { accountId, isTest, plan, isOperator, suspendedFor, needsTwoFactor, by };
}

const REFUSALS: Readonly<Record<AuthenticationFailure, readonly [ProblemCode, string]>> = {
  missing_key: ["missing_api_key", "Send your API key in the X-API-Key header, or as a bearer token."],
  two_keys: ["malformed_request", "X-API-Key and Authorization carry different keys. Send one of them."],
  invalid_key: ["invalid_api_key", "This API key is unknown, expired or revoked."],
  operator_key: ["invalid_api_key", "Operator keys work with operator endpoints only. Use an API key."],
  api_key: [
    "session_required",
    "API keys can't be used here. Use an operator key, or sign in to the web app.",
  ],
  ip_not_allowed: ["ip_not_allowed", "This operator key does not work from your address."],
  not_signed_in: ["not_signed_in", "Sign in to continue. The session may have expired."],
  session_required: ["session_required", "API keys can't be used here. Sign in to the web app."],
};

export function authenticationRefusal(failure: AuthenticationFailure): Refusal {
  return new Refusal(...REFUSALS[failure]);
}

/** Refuses an authenticated caller without the permission. */
export function authorise(caller: Caller, access: Exclude<Access, "open">): void {
  if (caller.suspendedFor) throw accountSuspended(caller.suspendedFor);
  if (isForOperator(access) && !caller.isOperator) {
    throw new Refusal("operator_only", "Only the operator can do this.");
  }
  if (isForOperator(access) && caller.needsTwoFactor) {
    throw new Refusal(
      "operator_only",
      "Operators must use two-factor sign-in: sign in with a passkey, or set one up on the Settings page.",
    );
  }
  if (caller.by.kind === "operator_key") {
    if (typeof access !== "object" || !("operator" in access))
      throw new Error("not a route for operator keys");
    requireOperatorScope(caller, access.operator);
  }
  if (caller.by.kind !== "key") return;
  // A test key costs nothing and makes no connections, so every plan has it.
  if (!caller.isTest && !PLAN_LIMITS[caller.plan].api_access) {
    throw new Refusal("api_access_not_included", `The ${caller.plan} plan does not include API access.`);
  }
  if (typeof access === "object" && "scope" in access && !caller.by.scopes.includes(access.scope)) {
    throw new Refusal("insufficient_scope", `This API key does not have the scope "${access.scope}".`);
  }
}

/** A session has all. */
export function requireOperatorScope({ by }: Caller, scope: OperatorScope): void {
  if (by.kind !== "operator_key" || by.scopes.includes(scope)) return;
  throw new Refusal("insufficient_scope", `This operator key does not have the scope "${scope}".`);
}
