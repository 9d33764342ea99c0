/**
 * Configuration of a route beside its schema, and what the hooks attach to a request.
 *
 * Authentication, limits, idempotency and the OpenAPI document are driven by this; routes do none of it themselves.
 */
import type { KeyScope, OperatorScope, ProblemCode } from "@mailvet/contract";
import type { Caller } from "../base/caller.ts";
import type { OnCredentialEnd } from "./middleware/credential-watch.ts";

/**
 * Who may call a route: anyone; an API key with a scope, or a session; any API key, or a session; a session only; an
 * operator key with a scope, or an operator's session; an operator's session only.
 */
export type Access =
  | "open"
  | { scope: KeyScope }
  | "any_key"
  | "session"
  | { operator: OperatorScope }
  | "operator_session";

/** Whether the route uses the rights of the operator. */
export function isForOperator(access: Access | undefined): boolean {
  return access === "operator_session" || (typeof access === "object" && "operator" in access);
}

/** Whether the route takes API keys, which operator keys are not. */
export function takesApiKeys(access: Access): boolean {
  return access === "any_key" || (typeof access === "object" && "scope" in access);
}

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
    /** Problem codes beyond those implied by its method and access (openapi/route-problems.ts). */
    problems?: readonly ProblemCode[];
    /** An authenticated POST honours Idempotency-Key, unless this is false or the route implements it itself. */
    idempotency?: boolean | "by_route";
    /** Handles many addresses at once; subject to the lower concurrency limit of bulk requests. */
    isBulk?: boolean;
    /** Media type of the body, if not JSON. */
    consumes?: "multipart/form-data";
    /** Besides JSON the body may be a file: as multipart/form-data, or as text/csv. */
    acceptsFile?: boolean;
    /** The JSON body is streamed to the handler, and may take as long as a file. */
    streamsJson?: boolean;
    /** Media types of the response, if not JSON. Errors are problem documents nevertheless. */
    produces?: readonly string[];
  }
  interface FastifyRequest {
    /** Undefined on open routes only. */
    caller: Caller | undefined;
    /** For responses that stay open: calls back once if the key or session ends meanwhile. Returns the way to stop. */
    onCredentialEnd(onEnd: OnCredentialEnd): () => void;
    /** For a route where only some requests are bulk requests. Refuses beyond the limit. */
    acquireBulkSlot(): void;
    /** Derived from the Idempotency-Key, if any: the ledger charges at most once under it. */
    idempotencyKey: string | undefined;
    /** The balance after this request, if the route has read it. */
    creditsRemaining: number | undefined;
  }
}
