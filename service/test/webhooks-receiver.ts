/** A customer's webhook receiver on loopback; verifies signatures with the library that customers use. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { WebhookMessage } from "@mailvet/contract";
import { Webhook } from "standardwebhooks";
import { HOOKS_CERTIFICATE, HOOKS_PRIVATE_KEY } from "./webhooks-certificate.ts";

export type Received = { headers: Record<string, string>; body: string; path: string };
export type Behaviour = (answer: ServerResponse, request: IncomingMessage) => void;
export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

export const answers =
  (status: number): Behaviour =>
  (answer) =>
    answer.writeHead(status).end("thank you");

export async function openReceiver({ isEncrypted = false } = {}) {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let behaviour = answers(204);
  const listener: RequestListener = async (request, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = request.headers as Record<string, string>;
    received.push({ headers, body: Buffer.concat(chunks).toString(), path: request.url ?? "" });
    behaviour(answer, request);
  };
  const server = isEncrypted
    ? createTlsServer({ key: HOOKS_PRIVATE_KEY, cert: HOOKS_CERTIFICATE }, listener)
    : createServer(listener);
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, "close");
  };
  return {
    port,
    url: `http://127.0.0.1:${port}/hook?token=hush`,
    received,
    connections: () => connections,
    /** Sets the behaviour for the next requests; the default is 204. */
    behave(next: Behaviour) {
      behaviour = next;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Throws when the message is not signed with this secret. */
export function verified(secret: string, { headers, body }: Received): WebhookMessage {
  return new Webhook(secret).verify(body, headers) as WebhookMessage;
}
