/**
 * One message over HTTP (Streamable HTTP without sessions): a POST with one message, and its answer as JSON.
 *
 * Nothing is kept between messages, so any process of a deployment can answer any of them.
 */
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { createMcpServer, type McpServerOptions } from "./mcp-server.ts";

export type HttpMessage = {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed JSON. */
  body: unknown;
};
/** The text is empty for a notification, which has no answer. */
export type HttpAnswer = { status: number; contentType: string | undefined; text: string };

/** What the transport checks itself; credentials are none of its business. */
const FORWARDED = ["accept", "content-type", "mcp-protocol-version"] as const;

export async function exchangeMessage(message: HttpMessage, options: McpServerOptions): Promise<HttpAnswer> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = createMcpServer(options);
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  try {
    const headers = FORWARDED.flatMap((name) => {
      const value = message.headers[name];
      return typeof value === "string" ? [[name, value] as [string, string]] : [];
    });
    const request = new Request("http://mcp.invalid/mcp", { method: "POST", headers });
    const response = await transport.handleRequest(request, { parsedBody: message.body });
    const contentType = response.headers.get("content-type") ?? undefined;
    return { status: response.status, contentType, text: await response.text() };
  } finally {
    await server.close();
  }
}
