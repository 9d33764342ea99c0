/**
 * Every refusal leaves the service as an RFC 9457 problem document.
 *
 * Four ways lead here: we declined (Refusal), Fastify could not read the request (its errors have codes), the database
 * is away, or something broke (everything else, which is logged and told to nobody).
 */
import { HEADERS, PROBLEMS, type Problem, type ProblemCode } from "@mailvet/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isDatabaseOverloaded, isDatabaseUnavailable, sqlStateOf } from "../db/database.ts";
import type { Log } from "../log.ts";
import { Refusal } from "../refusal.ts";

export const PROBLEM_TYPE = "application/problem+json";

/** A refusal as the document that is sent. */
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

/** What Fastify says when it cannot read a request, and what we say then. */
const READING_TROUBLE: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    "unsupported_media_type",
    "The body must be JSON, sent with Content-Type: application/json.",
  ],
  FST_ERR_CTP_EMPTY_JSON_BODY: ["malformed_request", "The body is empty, but its content type says JSON."],
  FST_ERR_CTP_INVALID_JSON_BODY: ["malformed_request", "The body is not well-formed JSON."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    "malformed_request",
    "The body is not as long as Content-Length says.",
  ],
  FST_ERR_BAD_URL: ["malformed_request", "The request's address has a broken percent-encoding."],
  FST_ERR_MAX_PARAM_LENGTH: ["malformed_request", "A part of the request's address is too long."],
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: ["malformed_request", "The request has no content type."],
};

/** PostgreSQL's word for text that it cannot store; in practice U+0000, which JSON allows. */
const UNSTORABLE_TEXT = new Set(["22021", "22P05"]);

const OUTAGE_RETRY_SECONDS = 5;

/** What to say about an error; undefined when it is our own fault. */
function refusalOf(error: unknown, bodyLimit: number | undefined): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const { code: trouble = "" } = error as { code?: string };
  if (trouble === "FST_ERR_CTP_BODY_TOO_LARGE") {
    const limit = bodyLimit?.toLocaleString("en");
    return new Refusal(
      "payload_too_large",
      `The body is larger than the ${limit} bytes that are taken here.`,
    );
  }
  const [code, detail] = READING_TROUBLE[trouble] ?? [];
  if (code && detail) return new Refusal(code, detail);
  if (UNSTORABLE_TEXT.has(sqlStateOf(error) ?? "")) {
    return new Refusal(
      "validation_failed",
      "A text holds a character that cannot be stored, such as U+0000.",
    );
  }
  return undefined;
}

export function answerWithProblems(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, log));
}

/** Sends an error as the problem it is. One that we did not foresee goes to the log, in full. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): FastifyReply {
  const refusal = refusalOf(error, request.routeOptions.bodyLimit);
  if (refusal) return sendProblem(request, reply, refusal);
  const outage = OUTAGES.find(({ isIt }) => isIt(error));
  // Whoever hung up while sending hears nothing anyway, and the request's own line says that it was aborted.
  if (!request.raw.destroyed || request.raw.complete) {
    const report = () =>
      log.write.error(
        { err: error, request_id: request.id, route: request.routeOptions.url },
        "request failed",
      );
    if (outage) log.repeats.note(`request failed: ${outage.detail}`, report);
    else report();
  }
  return sendProblem(
    request,
    reply,
    outage
      ? new Refusal("overloaded", outage.detail, { retryAfterSeconds: OUTAGE_RETRY_SECONDS })
      : new Refusal("internal_error", "It is in our log under the request id."),
  );
}

/** Failures of the database as a whole, which pass without a change on our side. */
const OUTAGES = [
  { isIt: isDatabaseUnavailable, detail: "The database cannot be reached at the moment." },
  { isIt: isDatabaseOverloaded, detail: "The database has no room or memory left at the moment." },
];

function sendProblem(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const problem = problemOf(refusal, request.id);
  const { retryAfterSeconds } = refusal.extras;
  if (retryAfterSeconds !== undefined)
    reply.header(HEADERS.retryAfter, Math.max(1, Math.ceil(retryAfterSeconds)));
  return reply.code(problem.status).header("content-type", PROBLEM_TYPE).send(JSON.stringify(problem));
}
