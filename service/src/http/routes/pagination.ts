/** How long a list is, and where its neighbouring pages are: X-Total-Count and Link (RFC 8288). */
import { HEADERS } from "@mailvet/contract";
import type { FastifyReply, FastifyRequest } from "fastify";

export type PageInfo = { skip: number; limit: number; total: number };

export function pageHeaders(request: FastifyRequest, reply: FastifyReply, page: PageInfo): void {
  reply.header(HEADERS.totalCount, page.total);
  const link = linkHeader(request.url, page);
  if (link) reply.header("link", link);
}

/** Links to the page after and before this one, as paths on this server; undefined when there is neither. */
export function linkHeader(requestUrl: string, { skip, limit, total }: PageInfo): string | undefined {
  const url = new URL(requestUrl, "http://here");
  const at = (start: number) => {
    url.searchParams.set("skip", String(start));
    url.searchParams.set("limit", String(limit));
    return `${url.pathname}${url.search}`;
  };
  const links: string[] = [];
  if (skip + limit < total) links.push(`<${at(skip + limit)}>; rel="next"`);
  // Past the end, the page before is the last one that has something on it.
  if (skip > 0) links.push(`<${at(Math.max(0, Math.min(skip, total) - limit))}>; rel="prev"`);
  return links.length > 0 ? links.join(", ") : undefined;
}
