/**
 * Responds to connections whose bytes are not a valid HTTP request, or do not become one in time.
 *
 * Such a request never reaches a route, so the response is written to the socket directly.
 */
import { randomUUID } from "node:crypto";
import { METHODS, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { HEADERS } from "@mailvet/contract";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import { securityHeaders } from "./middleware/security-headers.ts";
import { missingRoute } from "./not-found.ts";
import { PROBLEM_TYPE, problemOf } from "./problem.ts";
import type { RouteMethods } from "./route-methods.ts";

/** Error code of connection-draining.ts: the server stops before the request is complete. */
export const SERVER_STOPPING = "SERVER_STOPPING";

/** By error code, Node's or ours. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: new Refusal("malformed_request", "The request headers are too large."),
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal("malformed_request", "The request did not arrive in time."),
  [SERVER_STOPPING]: new Refusal("overloaded", "The server is shutting down.", {
    retryAfterSeconds: 5,
  }),
};
const INVALID_HTTP = new Refusal("malformed_request", "This is not a valid HTTP request.");

type ParseError = Error & { code?: string; rawPacket?: unknown };

/** Start of a request whose method Node's parser does not know. */
const REQUEST_LINE = /^([A-Z-]{1,30}) (\/\S*) HTTP\/1\.[01]\r?\n/;

export function createMalformedRequestHandler(
  log: Pick<Log, "event">,
  publicUrl: string | undefined,
  methods: Pick<RouteMethods, "at"> = { at: () => undefined },
) {
  const headers = Object.entries(securityHeaders(publicUrl))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");

  function reasonOf({ code = "", rawPacket }: ParseError): { refusal: Refusal; allow?: string } {
    if (code === "HPE_INVALID_METHOD" && Buffer.isBuffer(rawPacket)) {
      const [, method, url] = REQUEST_LINE.exec(rawPacket.toString("latin1")) ?? [];
      // A known method belongs to an earlier request on the connection; what follows it is not HTTP.
      if (method && url && !METHODS.includes(method)) return missingRoute(methods, method, url);
    }
    return { refusal: REFUSALS[code] ?? INVALID_HTTP };
  }

  return (error: ParseError, socket: Socket): void => {
    if (error.code === "ECONNRESET" || socket.destroyed) return;
    // A browser may have opened it in advance. If it sends a request just now, it would take this response for the answer.
    if (socket.bytesRead === 0) return void socket.destroy();
    const requestId = randomUUID();
    log.event("request_malformed", { request_id: requestId, code: error.code });
    if (socket.writable && !hasSentHeaders(socket)) {
      const { refusal, allow } = reasonOf(error);
      const { retryAfterSeconds } = refusal.extras;
      const problem = problemOf(refusal, requestId);
      const body = JSON.stringify(problem);
      socket.write(
        `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nconnection: close\r\n${headers}` +
          (allow === undefined ? "" : `allow: ${allow}\r\n`) +
          (retryAfterSeconds === undefined ? "" : `${HEADERS.retryAfter}: ${retryAfterSeconds}\r\n`) +
          `${HEADERS.requestId}: ${requestId}\r\ncontent-type: ${PROBLEM_TYPE}\r\n` +
          `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    }
    socket.destroySoon();
  };
}

/** The response to an earlier request is partly written: more bytes would end up inside it. */
function hasSentHeaders(socket: Socket): boolean {
  const response = (socket as { _httpMessage?: { headersSent?: boolean } })._httpMessage;
  return response?.headersSent === true;
}
