/**
 * The two ways a call can fail: the service declined it and says why in a problem document, or there was no
 * proper answer at all. Neither ever carries the API key.
 */
import type { Problem, ProblemCode } from "@mailvet/contract";

/** The service understood the request and declined it. It cost nothing. */
export class MailvetProblem extends Error {
  override readonly name = "MailvetProblem";
  /** Stable and public. A service newer than this package may know more of them. */
  readonly code: ProblemCode | (string & {});
  /** The HTTP status. */
  readonly status: number;
  /** What is wrong with this very request, for people. */
  readonly detail: string;
  /** Finds the request in the service's log. */
  readonly requestId: string;
  /** Which parts of the request are wrong, as JSON Pointers. */
  readonly errors: NonNullable<Problem["errors"]>;
  /** When asking again may help. */
  readonly retryAfterSeconds: number | undefined;
  /** Credits that were needed, when there were not enough. */
  readonly required: number | undefined;
  /** Credits that there were, when there were not enough. */
  readonly available: number | undefined;
  /** How many there were of what was too many. */
  readonly found: number | undefined;
  /** How many there may be of it. */
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
 * no_connection: refused, unresolvable, cut off. timeout: no whole answer in time. redirected: the service lives at
 * another address. odd_answer: something answered, but not in the words of this API; a proxy, mostly.
 */
export type UnreachableReason = "no_connection" | "timeout" | "redirected" | "odd_answer";

/** There was no proper answer, so nobody knows what became of the request. */
export class MailvetUnreachable extends Error {
  override readonly name = "MailvetUnreachable";
  readonly reason: UnreachableReason;
  /** The HTTP status, when there was one. */
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: UnreachableReason, message: string, more: UnreachableDetails = {}) {
    super(message, { cause: more.cause });
    this.reason = reason;
    this.status = more.status;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

type UnreachableDetails = { cause?: unknown; status?: number; retryAfterSeconds?: number | undefined };
