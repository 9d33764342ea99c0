/**
 * Keeps other sites from using the cookies of our visitors (CSRF), beside SameSite: a request that changes something
 * must come from our own pages, or from no page at all.
 */
import type { FastifyRequest } from "fastify";
import { Refusal } from "../refusal.ts";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** For requests that rely on a session cookie, or set one. Safe methods pass. */
export function requireSameOrigin(
  { method, headers }: Pick<FastifyRequest, "method" | "headers">,
  publicUrl: string | undefined,
): void {
  if (SAFE_METHODS.has(method)) return;
  if (headers["sec-fetch-site"] === "cross-site") throw fromElsewhere();
  const { origin } = headers;
  if (origin === undefined) return; // no browser, or one too old to be told apart by this
  const page = URL.canParse(origin) ? new URL(origin) : undefined; // "null" is a page that hides where it is from
  if (!page) throw fromElsewhere();
  const isPublic = publicUrl !== undefined && page.origin === new URL(publicUrl).origin;
  if (!isPublic && page.host !== headers.host) throw fromElsewhere();
}

function fromElsewhere(): Refusal {
  return new Refusal("origin_rejected", "Only this service's own pages may do this.");
}
