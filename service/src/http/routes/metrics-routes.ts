/**
 * GET /metrics: with the bearer token, if one is configured. Otherwise from this machine only, and not at all when the
 * service has a public URL: behind a local proxy every client appears to be this machine.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { Refusal } from "../../base/refusal.ts";
import type { Metrics } from "../metrics.ts";

export type MetricsRouteDeps = {
  metrics: Pick<Metrics, "render" | "contentType">;
  metricsToken: string | undefined;
  publicUrl: string | undefined;
};

export const metricsRoutes =
  ({ metrics, metricsToken, publicUrl }: MetricsRouteDeps): FastifyPluginAsync =>
  async (app) => {
    app.get("/metrics", async (request, reply) => {
      const isAllowed =
        metricsToken === undefined
          ? publicUrl === undefined && isLocal(request)
          : hasToken(request, metricsToken);
      if (!isAllowed) throw new Refusal("not_found", "GET /metrics does not exist.");
      return reply.header("content-type", metrics.contentType).send(await metrics.render());
    });
  };

/** In a page of another site whose name was rebound to this machine, the Host header is that name. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
const PROXY_HEADERS = ["x-forwarded-for", "forwarded", "via", "x-real-ip"];

/** From a program on this machine, not through a proxy on it, and not from a page of another site (DNS rebinding). */
function isLocal({ socket, headers }: FastifyRequest): boolean {
  return (
    LOOPBACK.test(socket.remoteAddress ?? "") &&
    LOOPBACK_HOST.test(headers.host ?? "") &&
    !PROXY_HEADERS.some((name) => headers[name] !== undefined)
  );
}

function hasToken({ headers }: FastifyRequest, token: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(headers.authorization ?? ""), hash(`Bearer ${token}`));
}
