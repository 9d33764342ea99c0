/**
 * Drains open connections when the server stops. Node waits for all of them, and `closeIdleConnections` closes only those
 * that had a response before, so one silent client would delay the stop.
 *
 *   idle since the last response    closed immediately
 *   incomplete request head         503, closed immediately
 *   incomplete body                 503 unless the rest arrives within a second
 *   request in flight               finished; closed after `drainTimeoutMs`
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { SERVER_STOPPING } from "./malformed-request.ts";

const BODY_TIMEOUT_MS = 1_000;

type Connection = { requests: Set<IncomingMessage>; completedBytes: number };

/** `rejectRequest` (malformed-request.ts) responds on a connection whose request stays incomplete, and closes it. */
export function drainConnectionsOnClose(
  app: FastifyInstance,
  rejectRequest: (error: Error & { code: string }, socket: Socket) => void,
  drainTimeoutMs: number,
): void {
  const connections = new Map<Socket, Connection>();
  app.server.on("connection", (socket: Socket) => {
    connections.set(socket, { requests: new Set(), completedBytes: 0 });
    socket.once("close", () => connections.delete(socket));
  });
  app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = connections.get(socket);
    connection?.requests.add(request);
    response.once("close", () => {
      connection?.requests.delete(request);
      if (connection) connection.completedBytes = socket.bytesRead;
    });
  });

  const timers: NodeJS.Timeout[] = [];
  app.addHook("preClose", async () => {
    for (const [socket, { requests, completedBytes }] of connections) {
      if (requests.size > 0) continue;
      if (socket.bytesRead > completedBytes) rejectRequest(serverStopping(), socket);
      else socket.destroy();
    }
    timers.push(setTimeout(rejectIncompleteBodies, BODY_TIMEOUT_MS), setTimeout(closeAll, drainTimeoutMs));
  });
  app.addHook("onClose", async () => timers.forEach(clearTimeout));

  function rejectIncompleteBodies(): void {
    for (const [socket, { requests }] of connections) {
      if ([...requests].some((request) => !request.complete)) rejectRequest(serverStopping(), socket);
    }
  }

  function closeAll(): void {
    for (const socket of connections.keys()) socket.destroy();
  }
}

function serverStopping() {
  return Object.assign(new Error("the server is shutting down"), { code: SERVER_STOPPING });
}
