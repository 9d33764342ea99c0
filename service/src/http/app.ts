/** The HTTP side of the service: who answers which path. */
import { randomUUID } from "node:crypto";
import { HEADERS } from "@mailvet/contract";
import Fastify, { type FastifyInstance } from "fastify";
import { healthRoutes } from "./health.ts";
import { answerWithProblems } from "./problem.ts";

export function buildApp(): FastifyInstance {
  const app = Fastify({
    logger: false,
    genReqId: () => randomUUID(),
    return503OnClosing: true,
  });
  answerWithProblems(app); // before the routes, so that none of them can answer otherwise
  app.addHook("onRequest", async (request, reply) => {
    reply.header(HEADERS.requestId, request.id);
  });
  app.register(healthRoutes);
  return app;
}
