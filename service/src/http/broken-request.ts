/**
 * What is answered when the bytes on a connection are no HTTP request at all, or never become one in time.
 *
 * Such a request never gets as far as a route, so its answer is written to the socket by hand.
 */
import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { HEADERS } from "@mailvet/contract";
import type { Log } from "../log.ts";
import { Refusal } from "../refusal.ts";
import { PROBLEM_TYPE, problemOf } from "./problem.ts";
import { securityHeaders } from "./security-headers.ts";

/** Node's code for the trouble → what we say about it. */
const TROUBLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "The request's headers are too large.",
  ERR_HTTP_REQUEST_TIMEOUT: "The request did not arrive in time.",
};

export function answerBrokenRequests(log: Log, publicUrl: string | undefined) {
  const headers = Object.entries(securityHeaders(publicUrl))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === "ECONNRESET" || socket.destroyed) return;
    const requestId = randomUUID();
    log.write.info({ request_id: requestId, trouble: error.code }, "broken request");
    if (socket.writable && !hasBegunToAnswer(socket)) {
      const detail = TROUBLE[error.code ?? ""] ?? "This is not a well-formed HTTP request.";
      const problem = problemOf(new Refusal("malformed_request", detail), requestId);
      const body = JSON.stringify(problem);
      socket.write(
        `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nconnection: close\r\n${headers}` +
          `${HEADERS.requestId}: ${requestId}\r\ncontent-type: ${PROBLEM_TYPE}\r\n` +
          `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    }
    socket.destroySoon();
  };
}

/** Half an answer of an earlier request is under way: anything written now would end up inside it. */
function hasBegunToAnswer(socket: Socket): boolean {
  const answer = (socket as { _httpMessage?: { headersSent?: boolean } })._httpMessage;
  return answer?.headersSent === true;
}
