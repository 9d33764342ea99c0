/** Security headers of every response. Pages set their own Content-Security-Policy. */
import { HEADERS } from "@mailvet/contract";
import type { FastifyInstance } from "fastify";

const ALWAYS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), " +
    "midi=(), payment=(), usb=()",
};
const ONE_YEAR = "max-age=31536000";

/** For responses that bypass Fastify too. */
export function securityHeaders(publicUrl: string | undefined): Readonly<Record<string, string>> {
  return publicUrl?.startsWith("https:") ? { ...ALWAYS, "strict-transport-security": ONE_YEAR } : ALWAYS;
}

export function sendSecurityHeaders(app: FastifyInstance, publicUrl: string | undefined): void {
  const headers = Object.entries(securityHeaders(publicUrl));
  app.addHook("onRequest", (request, reply, done) => {
    reply.header(HEADERS.requestId, request.id);
    for (const [name, value] of headers) reply.header(name, value);
    done();
  });
}
