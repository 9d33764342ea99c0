/** Serves one client over standard input and output, until it closes its end. */
import { once } from "node:events";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createMcpServer, type McpServerOptions } from "./mcp-server.ts";

export async function serveStdio(options: McpServerOptions): Promise<void> {
  const server = createMcpServer(options);
  const ended = once(process.stdin, "close");
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
