/** Serves one client over standard input and output, until it closes its end and its requests are answered. */
import { once } from "node:events";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CancelledNotificationSchema,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { createMcpServer, type McpServerOptions } from "./mcp-server.ts";

/** Longer than a check may take (MAX_TIMEOUT_SECONDS). */
const LAST_ANSWERS_MS = 65_000;

export async function serveStdio(options: McpServerOptions): Promise<void> {
  const server = createMcpServer(options);
  const transport = new AnsweringTransport();
  // A file has an end and is not closed, a pipe may be closed before its end.
  const ended = Promise.race(["end", "close"].map((event) => once(process.stdin, event)));
  await server.connect(transport);
  await ended;
  await transport.allAnswered(LAST_ANSWERS_MS); // they may have cost credits
  await server.close();
}

/** Knows which requests are not answered yet. */
class AnsweringTransport extends StdioServerTransport {
  readonly #unanswered = new Set<RequestId | undefined>();
  #onAnswer = () => {};

  /** The server calls it before its own handler. */
  override onmessage = (message: JSONRPCMessage) => {
    if (isJSONRPCRequest(message)) this.#unanswered.add(message.id);
    const cancelled = CancelledNotificationSchema.safeParse(message);
    if (cancelled.success) this.#unanswered.delete(cancelled.data.params.requestId); // gets no answer
  };

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if ("method" in message) return;
    this.#unanswered.delete(message.id);
    this.#onAnswer();
  }

  allAnswered(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#onAnswer = () => {
        if (this.#unanswered.size > 0) return;
        clearTimeout(timer);
        resolve();
      };
      this.#onAnswer();
    });
  }
}
