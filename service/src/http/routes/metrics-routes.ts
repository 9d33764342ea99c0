/**
 * GET /metrics: for whoever has the token when one is set. Without one it is for this machine alone, and not even for
 * that when the service has a public address: a proxy here would make everybody look like this machine.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { Refusal } from "../../refusal.ts";
import type { Metrics } from "../metrics.ts";

export type MetricsRouteDeps = {
  metrics: Pick<Metrics, "show" | "contentType">;
  metricsToken: string | undefined;
  publicUrl: string | undefined;
};

export const metricsRoutes =
  ({ metrics, metricsToken, publicUrl }: MetricsRouteDeps): FastifyPluginAsync =>
  async (app) => {
    app.get("/metrics", async (request, reply) => {
      const mayLook =
        metricsToken === undefined
          ? publicUrl === undefined && isFromHere(request)
          : bears(request, metricsToken);
      if (!mayLook) throw new Refusal("not_found", "GET /metrics is not part of this API.");
      return reply.header("content-type", metrics.contentType).send(await metrics.show());
    });
  };

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
const SENT_BY_PROXIES = ["x-forwarded-for", "forwarded", "via", "x-real-ip"];

/** From a program on this machine, and not from elsewhere through a proxy on it. */
function isFromHere({ socket, headers }: FastifyRequest): boolean {
  return (
    LOOPBACK.test(socket.remoteAddress ?? "") && !SENT_BY_PROXIES.some((name) => headers[name] !== undefined)
  );
}

function bears({ headers }: FastifyRequest, token: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(headers.authorization ?? ""), hash(`Bearer ${token}`));
}
