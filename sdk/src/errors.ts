/**
 * The two errors of a call: the service rejected it with a problem document, or there was no valid response.
 * Neither contains the API key.
 */
import type { Problem, ProblemCode } from "@mailvet/contract";

/** The service rejected the request. Nothing was charged. */
export class MailvetProblem extends Error {
  override readonly name = "MailvetProblem";
  /** Stable. A service newer than this package may use further codes. */
  readonly code: ProblemCode | (string & {});
  /** The HTTP status. */
  readonly status: number;
  /** What is wrong with this request, in a sentence. */
  readonly detail: string;
  /** Identifies the request in the log of the service. */
  readonly requestId: string;
  /** The invalid parts of the request, as JSON Pointers. */
  readonly errors: NonNullable<Problem["errors"]>;
  /** When a retry may succeed. */
  readonly retryAfterSeconds: number | undefined;
  /** Credits needed (insufficient_credits). */
  readonly required: number | undefined;
  /** Credits available (insufficient_credits). */
  readonly available: number | undefined;
  /** Number found (too_many_emails, too_many_rows). */
  readonly found: number | undefined;
  /** Maximum allowed (too_many_emails, too_many_rows). */
  readonly limit: number | undefined;

  constructor(problem: Problem, retryAfterSeconds: number | undefined) {
    super(`${problem.detail} (${problem.code})`);
    this.code = problem.code;
    this.status = problem.status;
    this.detail = problem.detail;
    this.requestId = problem.request_id;
    this.errors = problem.errors ?? [];
    this.retryAfterSeconds = retryAfterSeconds;
    this.required = problem.required;
    this.available = problem.available;
    this.found = problem.found;
    this.limit = problem.limit;
  }
}

/**
 * no_connection: refused, not resolvable, or closed. timeout: no complete response in time. redirected: the service
 * has another URL. invalid_response: a response that is not from this API, usually from a proxy.
 */
export type UnreachableReason = "no_connection" | "timeout" | "redirected" | "invalid_response";

/** There was no valid response, so the outcome of the request is unknown. */
export class MailvetUnreachable extends Error {
  override readonly name = "MailvetUnreachable";
  readonly reason: UnreachableReason;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: UnreachableReason, message: string, more: UnreachableDetails = {}) {
    super(message, { cause: more.cause });
    this.reason = reason;
    this.status = more.status;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

/** A response that is not from this API. */
export const foreignResponse = (why: string, more?: UnreachableDetails) =>
  new MailvetUnreachable("invalid_response", `Not a Mailvet response: ${why}`, more);

type UnreachableDetails = { cause?: unknown; status?: number; retryAfterSeconds?: number | undefined };
