/**
 * An MCP server with Mailvet's tools (tools.ts), without a transport.
 *
 * The SDK's low-level Server, because McpServer takes zod schemas and ours are JSON Schema. Input is validated before a
 * tool runs; what a backend declines becomes a tool error, which the model can read, and everything else an error of
 * the protocol.
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js";
import { TOOLS, type ToolBackend, type ToolName } from "./tools.ts";

export type McpServerOptions = {
  version: string;
  backend: ToolBackend;
  /** Told of a defect; the client is told only that there was one. */
  onDefect(error: unknown): void;
};

/** Declines a call, with a message for the model. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

const INSTRUCTIONS =
  "Mailvet checks whether email addresses can receive mail, without sending any. Use check for one address, check_many " +
  "for up to 1,000, and start_job for longer lists. Trust `recommendation`: send, caution, do_not_send or retry.";

export function createMcpServer({ version, backend, onDefect }: McpServerOptions): Server {
  const server = new Server(
    { name: "mailvet", title: "Mailvet", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: validators },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: LISTED }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const { name, arguments: input = {} } = params;
    if (!Object.hasOwn(TOOLS, name))
      throw new McpError(ErrorCode.InvalidParams, `There is no tool "${name.slice(0, 100)}".`);
    try {
      return success(await call(backend, name as ToolName, input, signal));
    } catch (error) {
      if (error instanceof ToolFailure) return failure(error.message);
      signal.throwIfAborted(); // no defect, and no answer
      onDefect(error);
      throw new McpError(ErrorCode.InternalError, "The tool failed. This is a defect of Mailvet.");
    }
  });
  return server;
}

const validators = new AjvJsonSchemaValidator();
const inputValidators = new Map<ToolName, ReturnType<AjvJsonSchemaValidator["getValidator"]>>();

const LISTED: Tool[] = Object.entries(TOOLS).map(([name, { title, description, input, output, hints }]) => ({
  name,
  title,
  description,
  inputSchema: input as unknown as Tool["inputSchema"],
  outputSchema: output as unknown as NonNullable<Tool["outputSchema"]>,
  annotations: { ...hints, destructiveHint: false },
}));

async function call(
  backend: ToolBackend,
  name: ToolName,
  input: object,
  signal: AbortSignal,
): Promise<object> {
  const { input: schema, run } = TOOLS[name];
  let validate = inputValidators.get(name);
  if (!validate) {
    validate = validators.getValidator(schema as never);
    inputValidators.set(name, validate);
  }
  const { valid, errorMessage } = validate(input);
  if (!valid) throw new ToolFailure(`validation_failed: ${errorMessage}`);
  return run(backend, input as never, signal);
}

/** As text too, for clients that do not know structured content. */
function success(result: object): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(result) }],
    structuredContent: result as Record<string, unknown>,
  };
}

const failure = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true });
