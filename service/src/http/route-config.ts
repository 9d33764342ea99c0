/**
 * What a route says about itself beside its schema, and what it finds on a request.
 *
 * The hooks that authenticate, limit, replay and document read this; a route never does these things itself.
 */
import type { KeyScope, ProblemCode } from "@mailvet/contract";
import type { Caller } from "../caller.ts";

/**
 * Who may come in: everybody; an API key with a scope, or somebody signed in; any key, or somebody signed in;
 * only somebody signed in; only the operator, signed in.
 */
export type Access = "open" | { scope: KeyScope } | "any_key" | "session" | "operator";

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
    /** Problems beyond those that its method and access bring along. */
    problems?: readonly ProblemCode[];
    /** A POST of a known caller honours Idempotency-Key, unless this is false, or the route sees to it by itself. */
    idempotency?: boolean | "by_route";
    /** Work on many addresses at once, of which only so much is done at a time. */
    isBulk?: boolean;
    /** What the body is, where it is not JSON. */
    consumes?: "multipart/form-data";
    /** The body may also be a file: in a form, or as it is. */
    mayBeFile?: boolean;
    /** Media types of the answer, where it is not JSON. Refusals are problem documents all the same. */
    produces?: readonly string[];
  }
  interface FastifyRequest {
    /** Who asks; undefined on open routes only. */
    caller: Caller | undefined;
    /** Names this request for good when it came with an Idempotency-Key: spending under it happens once. */
    idempotencyKey: string | undefined;
    /** The balance after this request, when the route has come to know it. */
    creditsRemaining: number | undefined;
  }
}
