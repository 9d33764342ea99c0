/**
 * Open connections when the server stops. Node waits for all of them, and one silent client would hold the stop up:
 * `closeIdleConnections` closes only those that have been answered before.
 *
 *   nothing sent since the last answer    closed at once
 *   half a request head                   503, closed at once
 *   half a body                           503 unless the rest arrives within a second
 *   a request under way                   answered; cut off after seven seconds
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { STOPPED_BEFORE_ARRIVAL } from "./malformed-request.ts";

const BODY_PATIENCE_MS = 1_000;
const ANSWER_PATIENCE_MS = 7_000;

type Connection = { requests: Set<IncomingMessage>; bytesOfRequests: number };

/** `answerBroken` answers on a connection whose request is not going to be complete, and hangs up. */
export function closeConnectionsOnStop(
  app: FastifyInstance,
  answerBroken: (error: Error & { code: string }, socket: Socket) => void,
): void {
  const connections = new Map<Socket, Connection>();
  app.server.on("connection", (socket: Socket) => {
    connections.set(socket, { requests: new Set(), bytesOfRequests: 0 });
    socket.once("close", () => connections.delete(socket));
  });
  app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = connections.get(socket);
    connection?.requests.add(request);
    response.once("close", () => {
      connection?.requests.delete(request);
      if (connection) connection.bytesOfRequests = socket.bytesRead;
    });
  });

  const timers: NodeJS.Timeout[] = [];
  app.addHook("preClose", async () => {
    for (const [socket, { requests, bytesOfRequests }] of connections) {
      if (requests.size > 0) continue;
      if (socket.bytesRead > bytesOfRequests) answerBroken(stopped(), socket);
      else socket.destroy();
    }
    timers.push(setTimeout(endBodies, BODY_PATIENCE_MS), setTimeout(endAll, ANSWER_PATIENCE_MS));
  });
  app.addHook("onClose", async () => timers.forEach(clearTimeout));

  function endBodies(): void {
    for (const [socket, { requests }] of connections) {
      if ([...requests].some((request) => !request.complete)) answerBroken(stopped(), socket);
    }
  }

  function endAll(): void {
    for (const socket of connections.keys()) socket.destroy();
  }
}

function stopped() {
  return Object.assign(new Error("the server was stopped"), { code: STOPPED_BEFORE_ARRIVAL });
}
