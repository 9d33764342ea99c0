/**
 * Keeps other sites from using the cookies of our visitors (CSRF), beside SameSite: a request that changes something
 * must come from our own pages, or from no page at all.
 */
import type { FastifyRequest } from "fastify";
import { Refusal } from "../../refusal.ts";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** What browsers say about a request of another page. A neighbour under the same domain is another page, too. */
const ELSEWHERE: ReadonlySet<unknown> = new Set(["cross-site", "same-site"]);

type Asked = Pick<FastifyRequest, "method" | "headers">;

/** For requests that rely on a session cookie, or set one. Safe methods pass. */
export function requireSameOrigin({ method, headers }: Asked, publicUrl: string | undefined): void {
  if (SAFE_METHODS.has(method)) return;
  if (ELSEWHERE.has(headers["sec-fetch-site"])) throw fromElsewhere();
  const { origin } = headers;
  if (origin === undefined) return; // no browser, or one too old to be told apart by this
  const page = URL.canParse(origin) ? new URL(origin) : undefined; // "null" is a page that hides where it is from
  if (!page) throw fromElsewhere();
  const isOurs =
    publicUrl === undefined ? page.host === headers.host : page.origin === new URL(publicUrl).origin;
  if (!isOurs) throw fromElsewhere();
}

/**
 * For requests that spend a session's credits, whatever their method: a link or an image on another page is a GET
 * without Origin. So a GET must say that it comes from our own page.
 */
export function requireOwnPage({ method, headers }: Asked, publicUrl: string | undefined): void {
  if (SAFE_METHODS.has(method) && headers["sec-fetch-site"] !== "same-origin") {
    throw new Refusal(
      "origin_rejected",
      "By session this is only for this service's own pages. Use POST, or an API key.",
    );
  }
  requireSameOrigin({ method: "POST", headers }, publicUrl);
}

function fromElsewhere(): Refusal {
  return new Refusal("origin_rejected", "Only this service's own pages may do this.");
}
