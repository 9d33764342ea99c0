/**
 * The HTTP side of the service: who answers which path, and what every answer has in common.
 *
 * A request comes in here, passes the door of api.ts, reaches its route, and leaves as JSON or as a problem document.
 */
import { randomUUID } from "node:crypto";
import { API_PREFIX } from "@mailvet/contract";
import Fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import type pg from "pg";
import type { Log } from "../log.ts";
import { type ApiDeps, apiRoutes } from "./api.ts";
import { closeConnectionsOnStop } from "./connection-draining.ts";
import type { HttpSettings } from "./http-settings.ts";
import { answerMalformedRequests } from "./malformed-request.ts";
import type { Metrics } from "./metrics.ts";
import { enforceBodyTimeout } from "./middleware/body-timeout.ts";
import { readJsonBodies } from "./middleware/json-body.ts";
import { createLoadShedding } from "./middleware/load-shedding.ts";
import { createRateLimits } from "./middleware/rate-limit.ts";
import { trackRequestLifetimes } from "./middleware/request-lifetime.ts";
import { createRequestLog } from "./middleware/request-log.ts";
import { securityHeaders, sendSecurityHeaders } from "./middleware/security-headers.ts";
import { answerNotFound } from "./not-found.ts";
import { collectApiRoutes, describeApi } from "./openapi/openapi.ts";
import { answerWithProblems, sendError } from "./problem.ts";
import { scheduleRequests } from "./request-scheduler.ts";
import { compileValidator } from "./request-validator.ts";
import { compileJsonWriter } from "./response-serializer.ts";
import { rememberRouteMethods } from "./route-methods.ts";
import { docsRoutes } from "./routes/docs-routes.ts";
import { healthRoutes, type Readiness } from "./routes/health-routes.ts";
import { metricsRoutes } from "./routes/metrics-routes.ts";
import { createWebApp } from "./static/web-app.ts";

export type AppDeps = Omit<ApiDeps, "load" | "limits" | "methods"> & {
  settings: HttpSettings;
  pool: pg.Pool;
  log: Log;
  metrics: Metrics;
  /** Of the whole service, where there is more to it than the pool. */
  readiness?: Readiness;
  /** Of the service, for the API's document. */
  version: string;
  /** Where the built web app is; beside the service unless told. */
  webDirectory?: string;
};

/** How often Node looks for requests that take too long to arrive. */
const TIMEOUT_CHECK_MS = 1_000;

/** A domain in Unicode, percent-encoded, is a good deal longer than one of 253 characters. */
const MAX_PARAM_LENGTH = 4_000;

export function buildApp(deps: AppDeps): FastifyInstance {
  const { settings, log, metrics, pool } = deps;
  const load = createLoadShedding(settings);
  const limits = createRateLimits(settings);
  metrics.watch(load, pool, log);
  const answerBroken = answerMalformedRequests(log, settings.publicUrl);

  const app = Fastify({
    logger: false,
    genReqId: () => randomUUID(), // never the client's: two requests must not share one
    trustProxy: settings.trustedProxies.length > 0 && settings.trustedProxies,
    bodyLimit: settings.maxBodyBytes,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    requestTimeout: Math.max(settings.requestTimeoutMs, settings.uploadTimeoutMs), // most get less: body-timeout.ts
    keepAliveTimeout: settings.keepAliveMs,
    http: { headersTimeout: settings.headersTimeoutMs, connectionsCheckingInterval: TIMEOUT_CHECK_MS },
    return503OnClosing: false, // the door says it in our words
    clientErrorHandler: answerBroken,
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...securityHeaders(settings.publicUrl), "x-request-id": request.id });
      sendError(error, request, reply as FastifyReply, log);
    },
  });
  scheduleRequests(app.server);
  app.setValidatorCompiler(compileValidator as never);
  app.setSerializerCompiler(compileJsonWriter as never);
  answerWithProblems(app, log); // before the routes, so that none of them can answer otherwise
  readJsonBodies(app);
  enforceBodyTimeout(app, settings, answerBroken);

  const logRequest = createRequestLog(log, settings.loggedSuccessesPerSecond);
  trackRequestLifetimes(app, (request, reply, isAborted) => {
    logRequest(request, reply, isAborted);
    metrics.countRequest(request, reply, isAborted);
  });
  sendSecurityHeaders(app, settings.publicUrl);

  const methods = rememberRouteMethods(app);
  const webApp = createWebApp(deps.webDirectory);
  app.setNotFoundHandler((request, reply) => {
    if (!webApp.isWantedAt(request)) return answerNotFound(methods, request, reply);
    load.admit(request.visit);
    limits.admitStranger(request.ip, reply);
    return webApp.sendPage(reply);
  });
  app.register(
    healthRoutes({
      ...(deps.readiness ?? { isStarted: () => true, checkDatabase: () => pool.query("select 1") }),
      isClosing: () => load.isClosing,
      isLogDropping: () => log.isDropping,
    }),
  );
  app.register(metricsRoutes({ metrics, ...settings }));

  const routes = collectApiRoutes(app);
  app.register(apiRoutes({ ...deps, load, limits, methods }), { prefix: API_PREFIX });
  let document: string | undefined;
  app.register(async (pages) => {
    pages.addHook("onRequest", (request, reply, done) => {
      load.admit(request.visit);
      limits.admitStranger(request.ip, reply);
      done();
    });
    pages.register(webApp.pages);
    pages.register(docsRoutes);
    pages.get(`${API_PREFIX}/openapi.json`, async (_request, reply) => {
      document ??= JSON.stringify(
        describeApi(routes, { version: deps.version, cookieName: deps.cookie.name }),
      );
      return reply.header("content-type", "application/json; charset=utf-8").send(document);
    });
  });
  // One page takes many files, so they do not count; they are in memory, and nobody asks twice for what keeps for a year.
  app.register(async (files) => {
    files.addHook("onRequest", (request, _reply, done) => {
      load.admit(request.visit);
      done();
    });
    files.register(webApp.files);
  });

  // A connection that waited for its next request would keep the server from closing.
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (load.isClosing) reply.header("connection", "close");
    done(null, payload);
  });
  app.addHook("preClose", async () => load.startClosing());
  closeConnectionsOnStop(app, answerBroken);
  app.addHook("onClose", async () => load.close());
  return app;
}
