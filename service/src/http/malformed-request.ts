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
import { securityHeaders } from "./middleware/security-headers.ts";
import { PROBLEM_TYPE, problemOf } from "./problem.ts";

/** As connection-draining.ts calls it when the server stops before a request has arrived whole. */
export const STOPPED_BEFORE_ARRIVAL = "STOPPED_BEFORE_ARRIVAL";

/** The code of the trouble, Node's or ours → what is answered. */
const TROUBLE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: new Refusal("malformed_request", "The request's headers are too large."),
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal("malformed_request", "The request did not arrive in time."),
  [STOPPED_BEFORE_ARRIVAL]: new Refusal("overloaded", "This server is being stopped.", {
    retryAfterSeconds: 5,
  }),
};
const NOT_HTTP = new Refusal("malformed_request", "This is not a well-formed HTTP request.");

export function answerMalformedRequests(log: Log, publicUrl: string | undefined) {
  const headers = Object.entries(securityHeaders(publicUrl))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === "ECONNRESET" || socket.destroyed) return;
    const requestId = randomUUID();
    log.write.info({ request_id: requestId, trouble: error.code }, "broken request");
    if (socket.writable && !hasBegunToAnswer(socket)) {
      const refusal = TROUBLE[error.code ?? ""] ?? NOT_HTTP;
      const { retryAfterSeconds } = refusal.extras;
      const problem = problemOf(refusal, requestId);
      const body = JSON.stringify(problem);
      socket.write(
        `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nconnection: close\r\n${headers}` +
          (retryAfterSeconds === undefined ? "" : `${HEADERS.retryAfter}: ${retryAfterSeconds}\r\n`) +
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
