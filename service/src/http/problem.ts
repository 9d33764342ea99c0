/**
 * Sends every error as an RFC 9457 problem document.
 *
 * Four kinds: a Refusal, a request that Fastify could not read (its errors have codes), a database outage, and any other
 * error, which is logged in full and reported as `internal_error`.
 */
import { HEADERS, PROBLEMS, type Problem, type ProblemCode } from "@mailvet/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import { isBlobStoreUnavailable } from "../blobs/blob-error.ts";
import { isDatabaseOverloaded, isDatabaseUnavailable, sqlStateOf } from "../db/database.ts";

export const PROBLEM_TYPE = "application/problem+json";

/** The problem document of a refusal. */
export function problemOf(refusal: Refusal, requestId: string): Problem {
  const [status, title] = PROBLEMS[refusal.code];
  const { retryAfterSeconds: _, ...extras } = refusal.extras;
  return {
    type: `/docs/problems#${refusal.code}`,
    title,
    status,
    detail: refusal.message,
    code: refusal.code,
    request_id: requestId,
    ...extras,
  };
}

/** Error codes of Fastify for requests it cannot read. */
const REQUEST_ERRORS: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    "unsupported_media_type",
    "The body must be JSON, sent with Content-Type: application/json.",
  ],
  FST_ERR_CTP_EMPTY_JSON_BODY: ["malformed_request", "The body is empty, but Content-Type says JSON."],
  FST_ERR_CTP_INVALID_JSON_BODY: ["malformed_request", "The body is not valid JSON."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["malformed_request", "The body does not match Content-Length."],
  FST_ERR_BAD_URL: ["malformed_request", "The URL is not validly percent-encoded."],
  FST_ERR_MAX_PARAM_LENGTH: ["malformed_request", "A path segment of the URL is too long."],
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: ["malformed_request", "Content-Type is missing."],
};

/** SQLSTATE of text that PostgreSQL cannot store; in practice U+0000, which JSON allows. */
const UNSTORABLE_TEXT = new Set(["22021", "22P05"]);

const OUTAGE_RETRY_SECONDS = 5;

/** Undefined for an internal error. */
function refusalOf(error: unknown, bodyLimit: number | undefined): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const { code: errorCode = "" } = error as { code?: string };
  if (errorCode === "FST_ERR_CTP_BODY_TOO_LARGE") {
    const limit = bodyLimit?.toLocaleString("en");
    return new Refusal("payload_too_large", `The body is larger than the limit of ${limit} bytes.`);
  }
  const [code, detail] = REQUEST_ERRORS[errorCode] ?? [];
  if (code && detail) return new Refusal(code, detail);
  if (UNSTORABLE_TEXT.has(sqlStateOf(error) ?? "")) {
    return new Refusal(
      "validation_failed",
      "A string contains a character that cannot be stored, such as U+0000.",
    );
  }
  return undefined;
}

export function sendErrorsAsProblems(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, log));
}

/** Errors that are neither refusals nor invalid requests are logged with their stack. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): FastifyReply {
  const refusal = refusalOf(error, request.routeOptions.bodyLimit);
  if (refusal) return sendProblem(request, reply, refusal);
  const outage = OUTAGES.find(({ matches }) => matches(error));
  // A client that disconnected while sending gets no response, and its request_aborted event is enough.
  if (!request.raw.destroyed || request.raw.complete) {
    const report = () =>
      log.event("request_failed", { err: error, request_id: request.id, route: request.routeOptions.url });
    if (outage) log.repeats.note(`request_failed: ${outage.detail}`, report);
    else report();
  }
  return sendProblem(
    request,
    reply,
    outage
      ? new Refusal("overloaded", outage.detail, { retryAfterSeconds: OUTAGE_RETRY_SECONDS })
      : new Refusal(
          "internal_error",
          "Something went wrong on our side. The log has the details under this request ID.",
        ),
  );
}

/** Failures of the storage that are temporary: the request may be retried. */
const OUTAGES = [
  { matches: isDatabaseUnavailable, detail: "The database is currently unreachable." },
  { matches: isDatabaseOverloaded, detail: "The database is currently out of disk space or memory." },
  {
    matches: isBlobStoreUnavailable,
    detail: "The storage of uploaded files is currently full or unreachable.",
  },
];

function sendProblem(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const problem = problemOf(refusal, request.id);
  const { retryAfterSeconds } = refusal.extras;
  if (retryAfterSeconds !== undefined)
    reply.header(HEADERS.retryAfter, Math.max(1, Math.ceil(retryAfterSeconds)));
  reply.removeHeader("content-language"); // of the answer that was intended (middleware/language.ts)
  return reply.code(problem.status).header("content-type", PROBLEM_TYPE).send(JSON.stringify(problem));
}
