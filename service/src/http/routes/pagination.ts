/** Headers of paged lists: X-Total-Count and Link (RFC 8288). */
import { HEADERS } from "@mailvet/contract";
import type { FastifyReply, FastifyRequest } from "fastify";

export type PageInfo = { skip: number; limit: number; total: number };

export function pageHeaders(request: FastifyRequest, reply: FastifyReply, page: PageInfo): void {
  reply.header(HEADERS.totalCount, page.total);
  const link = linkHeader(request.url, page);
  if (link) reply.header("link", link);
}

/** Links to the next and previous page, as paths; undefined when there is neither. */
export function linkHeader(requestUrl: string, { skip, limit, total }: PageInfo): string | undefined {
  const url = new URL(requestUrl, "http://localhost");
  const pageAt = (start: number) => {
    url.searchParams.set("skip", String(start));
    url.searchParams.set("limit", String(limit));
    return `${url.pathname}${url.search}`;
  };
  const links: string[] = [];
  if (skip + limit < total) links.push(`<${pageAt(skip + limit)}>; rel="next"`);
  // Past the end, the previous page is the last one with items.
  if (skip > 0) links.push(`<${pageAt(Math.max(0, Math.min(skip, total) - limit))}>; rel="prev"`);
  return links.length > 0 ? links.join(", ") : undefined;
}
