/** HTTP server of a worker process: health and metrics only. */
import { randomUUID } from "node:crypto";
import Fastify, { type FastifyInstance } from "fastify";
import type pg from "pg";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import { drainConnectionsOnClose } from "./connection-draining.ts";
import type { HttpSettings } from "./http-settings.ts";
import { createMalformedRequestHandler } from "./malformed-request.ts";
import type { Metrics } from "./metrics.ts";
import { createLoadShedding } from "./middleware/load-shedding.ts";
import { sendSecurityHeaders } from "./middleware/security-headers.ts";
import { sendErrorsAsProblems } from "./problem.ts";
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
  const loadShedding = createLoadShedding(settings);
  metrics.observe(loadShedding, pool, log);
  const app = Fastify({ logger: false, genReqId: () => randomUUID() });
  sendErrorsAsProblems(app, log);
  sendSecurityHeaders(app, settings.publicUrl);
  app.setNotFoundHandler(({ method, url }) => {
    throw new Refusal(
      "not_found",
      `${method} ${url} does not exist. This is a worker process; it does not serve the API.`,
    );
  });
  app.register(
    healthRoutes({
      ...readiness,
      isClosing: () => loadShedding.isClosing,
      isLogDropping: () => log.isDropping,
    }),
  );
  app.register(metricsRoutes({ metrics, ...settings }));
  app.addHook("preClose", async () => loadShedding.startClosing());
  drainConnectionsOnClose(
    app,
    createMalformedRequestHandler(log, settings.publicUrl),
    settings.drainTimeoutMs,
  );
  app.addHook("onClose", async () => loadShedding.close());
  return app;
}
