/**
 * CSRF protection in addition to SameSite cookies: an unsafe request must come from our own origin, or from a client
 * that is not a browser.
 */
import type { FastifyRequest } from "fastify";
import { Refusal } from "../../refusal.ts";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** Values of Sec-Fetch-Site for requests of other origins. A sibling subdomain ("same-site") is another origin too. */
const CROSS_ORIGIN: ReadonlySet<unknown> = new Set(["cross-site", "same-site"]);

type RequestParts = Pick<FastifyRequest, "method" | "headers">;

/** For requests that rely on a session cookie, or set one. Safe methods pass. */
export function requireSameOrigin({ method, headers }: RequestParts, publicUrl: string | undefined): void {
  if (SAFE_METHODS.has(method)) return;
  if (CROSS_ORIGIN.has(headers["sec-fetch-site"])) throw crossOrigin();
  const { origin } = headers;
  if (origin === undefined) return; // no browser, or one that sends no Origin
  const source = URL.canParse(origin) ? new URL(origin) : undefined; // "null" is an opaque origin
  if (!source) throw crossOrigin();
  const isOurs =
    publicUrl === undefined ? source.host === headers.host : source.origin === new URL(publicUrl).origin;
  if (!isOurs) throw crossOrigin();
}

/**
 * For requests that spend a session's credits, whatever their method: a link or an image on another site is a GET
 * without Origin. A GET must therefore carry Sec-Fetch-Site: same-origin.
 */
export function requireSameOriginForSpending(
  { method, headers }: RequestParts,
  publicUrl: string | undefined,
): void {
  if (SAFE_METHODS.has(method) && headers["sec-fetch-site"] !== "same-origin") {
    throw new Refusal(
      "origin_rejected",
      "With a session, GET is only allowed from the web app. Use POST, or an API key.",
    );
  }
  requireSameOrigin({ method: "POST", headers }, publicUrl);
}

function crossOrigin(): Refusal {
  return new Refusal("origin_rejected", "Cross-origin requests are not allowed with a session.");
}
