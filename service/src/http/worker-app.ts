/** What a worker shows to those who watch over it: its health and its metrics, and nothing else. */
import { randomUUID } from "node:crypto";
import Fastify, { type FastifyInstance } from "fastify";
import type pg from "pg";
import type { Log } from "../log.ts";
import { Refusal } from "../refusal.ts";
import { closeConnectionsOnStop } from "./connection-draining.ts";
import type { HttpSettings } from "./http-settings.ts";
import { answerMalformedRequests } from "./malformed-request.ts";
import type { Metrics } from "./metrics.ts";
import { createLoadShedding } from "./middleware/load-shedding.ts";
import { answerWithProblems } from "./problem.ts";
import { healthRoutes, type Readiness } from "./routes/health-routes.ts";
import { metricsRoutes } from "./routes/metrics-routes.ts";

export type WorkerAppDeps = {
  settings: HttpSettings;
  pool: pg.Pool;
  log: Log;
  metrics: Metrics;
  readiness: Readiness;
};

export function buildWorkerApp(deps: WorkerAppDeps): FastifyInstance {
  const { settings, pool, log, metrics, readiness } = deps;
  const load = createLoadShedding(settings);
  metrics.watch(load, pool, log);
  const app = Fastify({ logger: false, genReqId: () => randomUUID() });
  answerWithProblems(app, log);
  app.setNotFoundHandler(({ method, url }) => {
    throw new Refusal("not_found", `${method} ${url}: this is a worker; the API is elsewhere.`);
  });
  app.register(
    healthRoutes({ ...readiness, isClosing: () => load.isClosing, isLogDropping: () => log.isDropping }),
  );
  app.register(metricsRoutes({ metrics, ...settings }));
  app.addHook("preClose", async () => load.startClosing());
  closeConnectionsOnStop(app, answerMalformedRequests(log, settings.publicUrl));
  app.addHook("onClose", async () => load.close());
  return app;
}
