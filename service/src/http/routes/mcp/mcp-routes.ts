/**
 * POST /mcp: the tools of the Model Context Protocol, over HTTP without sessions. Not part of the OpenAPI document: its
 * messages are JSON-RPC, described by the protocol and by `tools/list`.
 *
 * The tools themselves are in the workspace mcp/, which is loaded by the first request.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Refusal } from "../../../base/refusal.ts";
import "../../route-config.ts";
import { type McpToolDeps, toolsFor } from "./mcp-tools.ts";

export type McpRouteDeps = McpToolDeps & { version: string };

/** Enough for the longest list of start_job with addresses of ordinary length. */
const MAX_BODY_BYTES = 1024 * 1024;

export const mcpRoutes =
  ({ version, ...deps }: McpRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post("/mcp", { bodyLimit: MAX_BODY_BYTES, config: { access: "any_key" } }, async (request, reply) => {
      const { headers, body } = request;
      // The charge of a request is identified by the request, so that it can have one only.
      if (Array.isArray(body))
        throw new Refusal("malformed_request", "Send one JSON-RPC message per request, not a batch.");
      const { exchangeMessage } = await import("@mailvet/mcp");
      let defect: unknown;
      const answer = await exchangeMessage(
        { headers, body },
        {
          version,
          backend: toolsFor(deps, request),
          onDefect: (error) => {
            defect = error;
          },
        },
      );
      if (defect !== undefined) throw defect;
      if (answer.contentType !== undefined) reply.header("content-type", answer.contentType);
      return reply.code(answer.status).send(answer.text);
    });
  };
