/** A stranger on loopback that says what its script says, whatever it is asked, and remembers what it heard. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { BulkItem, BulkSummary } from "@mailvet/contract";

export type Heard = {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
  atMs: number;
};

export type Line = (response: ServerResponse, heard: Heard) => void;

export type ScriptedService = AsyncDisposable & { url: string; heard: Heard[] };

/** Plays the lines in turn, and the last one for good. */
export async function openScriptedService(...script: [Line, ...Line[]]): Promise<ScriptedService> {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const turn: Heard = { method, url, headers, body: "", atMs: performance.now() };
    const line = script[Math.min(heard.push(turn), script.length) - 1]!;
    for await (const chunk of request) turn.body += chunk;
    line(response, turn);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const json =
  (body: unknown, headers: Record<string, string> = {}, status = 200): Line =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };

export const noContent: Line = (response) => {
  response.writeHead(204).end();
};

export const problem = (
  status: number,
  code: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Line =>
  json(
    {
      type: `/docs/problems#${code}`,
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

/** What a proxy answers by itself. */
export const page =
  (status: number, headers: Record<string, string> = {}): Line =>
  (response) => {
    response.writeHead(status, { "content-type": "text/html", ...headers });
    response.end("<html><body>Not what you expected</body></html>");
  };

export const hangsUp: Line = (response) => {
  response.destroy();
};

export const hangsUpHalfway: Line = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"email":');
  setTimeout(() => response.destroy(), 20);
};

export const saysNothing: Line = () => {};

/** A bulk summary as the service would give it: one valid item per email, none left out. */
export function bulkOf(emails: readonly string[], changes: Partial<BulkItem> = {}): BulkSummary {
  const results = emails.map(
    (email): BulkItem => ({
      email,
      status: "valid",
      is_valid: true,
      safe_to_send: true,
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
    results,
  };
}

export const emailsIn = (heard: Heard): string[] => (JSON.parse(heard.body) as { emails: string[] }).emails;

/** Validates whatever it is sent. */
export const validatesAll =
  (headers: Record<string, string> = {}): Line =>
  (response, heard) =>
    json(bulkOf(emailsIn(heard)), headers)(response, heard);

/** The same, after a while. */
export const later =
  (delayMs: number, line: Line): Line =>
  (response, heard) => {
    setTimeout(() => line(response, heard), delayMs);
  };
