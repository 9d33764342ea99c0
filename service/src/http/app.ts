/**
 * The HTTP server: which plugin serves which path, and what all responses have in common.
 *
 * A request arrives here, passes the checks of api.ts, reaches its route, and leaves as JSON or as a problem document.
 */
import { randomUUID } from "node:crypto";
import { API_PREFIX } from "@mailvet/contract";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type pg from "pg";
import type { Log } from "../base/log.ts";
import type { Tracing } from "../base/tracing.ts";
import type { AccountLimits } from "../request-limits/account-limits.ts";
import { type ApiDeps, apiRoutes } from "./api.ts";
import { drainConnectionsOnClose } from "./connection-draining.ts";
import type { HttpSettings } from "./http-settings.ts";
import { createMalformedRequestHandler } from "./malformed-request.ts";
import type { Metrics } from "./metrics.ts";
import { acceptAuthorizationHeader } from "./middleware/authorization-header.ts";
import { enforceBodyTimeout } from "./middleware/body-timeout.ts";
import { compressAnswers } from "./middleware/compression.ts";
import { parseJsonBodies } from "./middleware/json-bodies.ts";
import { createLoadShedding } from "./middleware/load-shedding.ts";
import { createRateLimits } from "./middleware/rate-limit.ts";
import { trackRequestLifetimes } from "./middleware/request-lifetime.ts";
import { createRequestLog } from "./middleware/request-log.ts";
import { traceRequests } from "./middleware/request-trace.ts";
import { securityHeaders, sendSecurityHeaders } from "./middleware/security-headers.ts";
import { sendNotFound } from "./not-found.ts";
import { buildOpenApiDocument, collectApiRoutes } from "./openapi/openapi.ts";
import { sendError, sendErrorsAsProblems } from "./problem.ts";
import { scheduleRequests } from "./request-scheduler.ts";
import { compileValidator } from "./request-validator.ts";
import { compileSerializer } from "./response-serializer.ts";
import { trackRouteMethods } from "./route-methods.ts";
import { docsRoutes } from "./routes/docs-routes.ts";
import { healthRoutes, type Readiness } from "./routes/health-routes.ts";
import { metricsRoutes } from "./routes/metrics-routes.ts";
import { createWebApp, sendFile } from "./static/web-app.ts";
import { type WebFile, webFile } from "./static/web-files.ts";

export type AppDeps = Omit<ApiDeps, "loadShedding" | "rateLimits" | "routeMethods"> & {
  /** Beside /api/v1, for clients that know another protocol: MCP, Reacher. Subject to the same checks. */
  adapterRoutes?: ApiDeps["routes"];
  settings: HttpSettings;
  accountLimits: AccountLimits;
  pool: pg.Pool;
  log: Log;
  metrics: Metrics;
  tracing?: Pick<Tracing, "start"> | undefined;
  /** Of the whole service, if it depends on more than the pool. */
  readiness?: Readiness;
  /** Of the service, for the OpenAPI document. */
  version: string;
  /** The built web app; web/dist by default. */
  webDirectory?: string;
};

/** How often Node checks for request timeouts. */
const TIMEOUT_CHECK_MS = 1_000;

/** A Unicode domain is much longer than 253 characters when percent-encoded. */
const MAX_PARAM_LENGTH = 4_000;

export function buildApp(deps: AppDeps): FastifyInstance {
  const { settings, log, metrics, pool } = deps;
  const loadShedding = createLoadShedding(settings);
  const rateLimits = createRateLimits(settings, deps.accountLimits);
  metrics.observe(loadShedding, pool, log);
  const rejectRequest = createMalformedRequestHandler(log, settings.publicUrl, {
    at: (path) => routeMethods.at(path),
  });

  const app = Fastify({
    logger: false,
    genReqId: () => randomUUID(), // never the client's: two requests must not share one
    trustProxy: settings.trustedProxies.length > 0 && settings.trustedProxies,
    bodyLimit: settings.maxBodyBytes,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    requestTimeout: Math.max(settings.requestTimeoutMs, settings.uploadTimeoutMs), // most get less: body-timeout.ts
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    http: { headersTimeout: settings.headersTimeoutMs, connectionsCheckingInterval: TIMEOUT_CHECK_MS },
    return503OnClosing: false, // load-shedding.ts responds with a problem document
    clientErrorHandler: rejectRequest,
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...securityHeaders(settings.publicUrl), "x-request-id": request.id });
      sendError(error, request, reply as FastifyReply, log);
    },
  });
  scheduleRequests(app.server);
  app.setValidatorCompiler(compileValidator as never);
  app.setSerializerCompiler(compileSerializer as never);
  sendErrorsAsProblems(app, log); // before the routes, so that it applies to all of them
  parseJsonBodies(app);
  enforceBodyTimeout(app, settings, rejectRequest);

  const logRequest = createRequestLog(log, settings.loggedSuccessesPerSecond);
  trackRequestLifetimes(app, (request, reply, isAborted) => {
    logRequest(request, reply, isAborted);
    metrics.countRequest(request, reply, isAborted);
  });
  if (deps.tracing) traceRequests(app, deps.tracing);
  sendSecurityHeaders(app, settings.publicUrl);
  compressAnswers(app);

  const routeMethods = trackRouteMethods(app);
  const webApp = createWebApp(deps.cookie, deps.webDirectory);
  const sendMissing = (request: FastifyRequest, reply: FastifyReply) =>
    webApp.isPageRequest(request)
      ? webApp.sendUnknownPage(request, reply)
      : sendNotFound(routeMethods, request, reply);
  // Before the body is read: Fastify would refuse its content type first.
  app.addHook("onRequest", (request, reply, done) => {
    if (!request.is404) return done();
    loadShedding.admit(request.lifetime);
    rateLimits.admitAnonymous(request.ip, reply);
    sendMissing(request, reply);
  });
  app.setNotFoundHandler((request, reply) => sendMissing(request, reply));
  app.register(
    healthRoutes({
      ...(deps.readiness ?? {
        isStarted: () => true,
        checkDatabase: () => pool.query("select 1"),
        checkBlobs: async () => {},
      }),
      isClosing: () => loadShedding.isClosing,
      isLogDropping: () => log.isDropping,
    }),
  );
  app.register(metricsRoutes({ metrics, ...settings }));

  const routes = collectApiRoutes(app);
  app.register(apiRoutes({ ...deps, loadShedding, rateLimits, routeMethods }), { prefix: API_PREFIX });
  app.register(async (root) => {
    acceptAuthorizationHeader(root);
    await root.register(
      apiRoutes({ ...deps, loadShedding, rateLimits, routeMethods, routes: deps.adapterRoutes ?? [] }),
    );
  });
  let document: WebFile | undefined;
  app.register(async (pages) => {
    pages.addHook("onRequest", (request, reply, done) => {
      loadShedding.admit(request.lifetime);
      rateLimits.admitAnonymous(request.ip, reply);
      done();
    });
    pages.register(webApp.pages);
    pages.register(docsRoutes({ layout: webApp.docsLayout, cookie: deps.cookie, routes }));
    pages.get(`${API_PREFIX}/openapi.json`, async (request, reply) => {
      document ??= webFile(
        "/openapi.json",
        Buffer.from(
          JSON.stringify(
            buildOpenApiDocument(routes, { version: deps.version, cookieName: deps.cookie.name }),
          ),
        ),
      );
      return sendFile(document, request, reply, "no-cache");
    });
  });
  // Not rate limited: one page loads many files, and browsers cache them for a year.
  app.register(async (files) => {
    files.addHook("onRequest", (request, _reply, done) => {
      loadShedding.admit(request.lifetime);
      done();
    });
    files.register(webApp.files);
  });

  // A kept-alive connection would keep the server from closing.
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (loadShedding.isClosing) reply.header("connection", "close");
    done(null, payload);
  });
  app.addHook("preClose", async () => loadShedding.startClosing());
  drainConnectionsOnClose(app, rejectRequest, settings.drainTimeoutMs);
  app.addHook("onClose", async () => loadShedding.close());
  return app;
}
