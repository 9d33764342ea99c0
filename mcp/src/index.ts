export { exchangeMessage, type HttpAnswer, type HttpMessage } from "./http-exchange.ts";
export { createMcpServer, type McpServerOptions, ToolFailure } from "./mcp-server.ts";
export { serveStdio } from "./stdio.ts";
export { TOOLS, type ToolBackend, type ToolName } from "./tools.ts";
