/** GET /health/live: the process runs and its event loop turns. Says nothing about what it depends on. */
import type { FastifyPluginAsync } from "fastify";

export const healthRoutes: FastifyPluginAsync = async (app) => {
  app.get("/health/live", async () => ({ status: "live" }));
};
