/**
 * Who is asking, and may they: an API key or the session of somebody signed in, held against what the route wants.
 *
 * When a request carries both, the key counts. A key never does what takes a session, so that a leaked key cannot make
 * keys, change the password or grant credits.
 */
import { HEADERS, type KeyMode, type KeyScope, type Plan, type ProblemCode } from "@mailvet/contract";
import type { FastifyRequest } from "fastify";
import { PLAN_LIMITS } from "../../accounts/plans.ts";
import type { Caller } from "../../caller.ts";
import { Refusal } from "../../refusal.ts";
import type { Access } from "../route-config.ts";

type Owner = { accountId: string; plan: Plan; isOperator: boolean };
export type RecognisedKey = Owner & { keyId: string; mode: KeyMode; scopes: readonly KeyScope[] };
export type FoundSession = Owner & { sessionId: string };

export type AuthenticateDeps = {
  recogniseKey(text: string): Promise<RecognisedKey | undefined> | RecognisedKey | undefined;
  findSession(token: string): Promise<FoundSession | undefined>;
  sessionTokenOf(request: FastifyRequest): string | undefined;
};

/** Why somebody remains a stranger. */
export type UnauthenticatedCaller = "without_key" | "wrong_key" | "not_signed_in" | "key_for_session";
export type Authenticate = (
  request: FastifyRequest,
  access: Exclude<Access, "open">,
) => Promise<Caller | UnauthenticatedCaller> | Caller | UnauthenticatedCaller;

export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  // Not async: a key that was seen lately is recognised at once, and a promise for each request would be felt.
  return (request, access) => {
    const keyText = request.headers[HEADERS.apiKey];
    if (typeof keyText === "string" && keyText !== "") {
      if (access === "session" || access === "operator") return "key_for_session";
      const key = deps.recogniseKey(keyText);
      return key instanceof Promise ? key.then(callerByKey) : callerByKey(key);
    }
    const token = deps.sessionTokenOf(request);
    if (!token) return access === "session" || access === "operator" ? "not_signed_in" : "without_key";
    return deps.findSession(token).then(callerBySession);
  };
}

function callerByKey(key: RecognisedKey | undefined): Caller | UnauthenticatedCaller {
  if (!key) return "wrong_key";
  const { accountId, plan, isOperator, keyId, scopes, mode } = key;
  return { accountId, plan, isOperator, by: { kind: "key", keyId, scopes, isTest: mode === "test" } };
}

function callerBySession(session: FoundSession | undefined): Caller | UnauthenticatedCaller {
  if (!session) return "not_signed_in";
  const { accountId, plan, isOperator, sessionId } = session;
  return { accountId, plan, isOperator, by: { kind: "session", sessionId } };
}

const STRANGERS: Readonly<Record<UnauthenticatedCaller, readonly [ProblemCode, string]>> = {
  without_key: ["missing_api_key", "Send your API key in the X-API-Key header."],
  wrong_key: ["invalid_api_key", "This API key is unknown, expired or revoked."],
  not_signed_in: ["not_signed_in", "Sign in first; the session may have ended."],
  key_for_session: ["session_required", "An API key cannot do this: sign in to the web app."],
};

export function refuseUnauthenticated(stranger: UnauthenticatedCaller): Refusal {
  return new Refusal(...STRANGERS[stranger]);
}

/** Refuses a caller whom we know, but who may not do this. */
export function authorise(caller: Caller, access: Exclude<Access, "open">): void {
  if (access === "operator" && !caller.isOperator) {
    throw new Refusal("operator_only", "This is for the operator of this installation.");
  }
  if (caller.by.kind !== "key") return;
  if (!PLAN_LIMITS[caller.plan].api_access) {
    throw new Refusal("api_access_not_included", `API keys cannot be used on the ${caller.plan} plan.`);
  }
  if (typeof access === "object" && !caller.by.scopes.includes(access.scope)) {
    throw new Refusal("insufficient_scope", `This key does not have the scope "${access.scope}".`);
  }
}
