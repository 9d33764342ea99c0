/** Every refusal leaves the service as an RFC 9457 problem document. */
import { PROBLEMS, type Problem, type ProblemCode } from "@mailvet/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Statuses that the HTTP layer itself gives, and the code each one is known by. */
const CODE_OF_STATUS: Readonly<Record<number, ProblemCode>> = {
  400: "malformed_request",
  404: "not_found",
  405: "method_not_allowed",
  413: "payload_too_large",
  415: "unsupported_media_type",
  503: "overloaded",
};

export function answerWithProblems(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0];
    return sendProblem(request, reply, "not_found", `${request.method} ${path} is not part of this API.`);
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const code = CODE_OF_STATUS[error.statusCode ?? 500];
    if (code) return sendProblem(request, reply, code, error.message);
    console.error(`request ${request.id} failed:`, error);
    return sendProblem(request, reply, "internal_error", "It is in the log under the request id.");
  });
}

function sendProblem(request: FastifyRequest, reply: FastifyReply, code: ProblemCode, detail: string) {
  const [status, title] = PROBLEMS[code];
  const problem: Problem = {
    type: `/docs/problems#${code}`,
    title,
    status,
    detail,
    code,
    request_id: request.id,
  };
  return reply.code(status).type("application/problem+json").send(JSON.stringify(problem));
}
