/** HTTP server on loopback that plays scripted responses and records the requests it receives. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { BulkItem, BulkSummary } from "@mailvet/contract";

export type ReceivedRequest = {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
  atMs: number;
};

export type Handler = (response: ServerResponse, request: ReceivedRequest) => void;

export type ScriptedService = AsyncDisposable & { url: string; requests: ReceivedRequest[] };

/** Plays the handlers in order, and repeats the last one. */
export async function openScriptedService(...script: [Handler, ...Handler[]]): Promise<ScriptedService> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const received: ReceivedRequest = { method, url, headers, body: "", atMs: performance.now() };
    const handler = script[Math.min(requests.push(received), script.length) - 1]!;
    for await (const chunk of request) received.body += chunk;
    handler(response, received);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const json =
  (body: unknown, headers: Record<string, string> = {}, status = 200): Handler =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };

export const noContent: Handler = (response) => {
  response.writeHead(204).end();
};

export const problem = (
  status: number,
  code: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Handler =>
  json(
    {
      type: `/docs/problems/${code}`,
      title: "T",
      status,
      detail: "Says why.",
      code,
      request_id: "r-1",
      ...more,
    },
    { "content-type": "application/problem+json", ...headers },
    status,
  );

/** An HTML page, as a proxy sends it. */
export const page =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (response) => {
    response.writeHead(status, { "content-type": "text/html", ...headers });
    response.end("<html><body>Not what you expected</body></html>");
  };

export const disconnects: Handler = (response) => {
  response.destroy();
};

export const disconnectsHalfway: Handler = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"email":');
  setTimeout(() => response.destroy(), 20);
};

export const neverResponds: Handler = () => {};

/** A bulk summary as the service returns it, with one valid item per email. */
export function bulkOf(emails: readonly string[], changes: Partial<BulkItem> = {}): BulkSummary {
  const results = emails.map(
    (email): BulkItem => ({
      email,
      status: "valid",
      is_valid: true,
      safe_to_send: true,
      recommendation: "send",
      confidence: 0.95,
      sub_status: "",
      score: 95,
      suggestion: null,
      retry_after: null,
      ...changes,
    }),
  );
  return {
    total: emails.length,
    valid_count: emails.length,
    invalid_count: 0,
    risky_count: 0,
    unknown_count: 0,
    duplicate_count: 0,
    credits_used: emails.length,
    credits_refunded: 0,
    results,
  };
}

export const emailsIn = (request: ReceivedRequest): string[] =>
  (JSON.parse(request.body) as { emails: string[] }).emails;

/** Returns a valid result for every email. */
export const validatesAll =
  (headers: Record<string, string> = {}): Handler =>
  (response, request) =>
    json(bulkOf(emailsIn(request)), headers)(response, request);

/** Delays another handler. */
export const later =
  (delayMs: number, handler: Handler): Handler =>
  (response, request) => {
    setTimeout(() => handler(response, request), delayMs);
  };
