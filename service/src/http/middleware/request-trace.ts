/**
 * A span for each request to the API: method, route, status and request id. It continues the trace of the client's
 * `traceparent` header.
 *
 * The path is not in it, because it can contain an address, and neither is the caller.
 */
import { API_PREFIX } from "@mailvet/contract";
import type { FastifyInstance } from "fastify";
import type { Span, Tracing } from "../../base/tracing.ts";

declare module "fastify" {
  interface FastifyRequest {
    span: Span | undefined;
  }
}

/** After trackRequestLifetimes. */
export function traceRequests(app: FastifyInstance, tracing: Pick<Tracing, "start">): void {
  app.decorateRequest("span", undefined);
  app.addHook("onRequest", (request, reply, done) => {
    const { method, headers, id, lifetime, routeOptions } = request;
    const { url: route } = routeOptions; // the pattern; none for unknown paths
    if (!route?.startsWith(API_PREFIX)) return done();
    const attributes = { "http.request.method": method, "http.route": route, "mailvet.request_id": id };
    const { traceparent } = headers;
    const parent = typeof traceparent === "string" ? traceparent : undefined;
    const span = tracing.start(`${method} ${route}`, "server", attributes, parent);
    request.span = span;
    lifetime.onEnd(() => {
      const { statusCode: status, raw } = reply;
      const isAborted = raw.destroyed && !raw.writableFinished;
      span.end({ "http.response.status_code": isAborted ? undefined : status }, isAborted || status >= 500);
    });
    done();
  });
  // Here, because reading the body has left the asynchronous context of the hooks before it.
  app.addHook("preHandler", (request, _reply, done) => {
    if (request.span) request.span.run(done);
    else done();
  });
}
