/** Headers of paged lists: X-Total-Count and Link (RFC 8288). */
import { HEADERS } from "@mailvet/contract";
import type { FastifyReply, FastifyRequest } from "fastify";

export type PageInfo = { skip: number; limit: number; total: number };

export function pageHeaders(request: FastifyRequest, reply: FastifyReply, page: PageInfo): void {
  reply.header(HEADERS.totalCount, page.total);
  const link = linkHeader(request.url, page);
  if (link) reply.header("link", link);
}

/** The same for results, whose next page begins after a row: it takes as long as the first. */
export function rowPageHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  { lastRow, total }: { lastRow: number | undefined; total: number },
): void {
  reply.header(HEADERS.totalCount, total);
  if (lastRow !== undefined) linkToNext(request, reply, "after_row", String(lastRow));
}

/** The same for lists whose next page begins after an item, named by its id. */
export function nextPageLink(
  request: FastifyRequest,
  reply: FastifyReply,
  { after, total }: { after: string | undefined; total?: number },
): void {
  if (total !== undefined) reply.header(HEADERS.totalCount, total);
  if (after !== undefined) linkToNext(request, reply, "after", after);
}

function linkToNext(request: FastifyRequest, reply: FastifyReply, parameter: string, value: string): void {
  const url = new URL(request.url, "http://localhost");
  url.searchParams.set(parameter, value);
  reply.header("link", `<${url.pathname}${url.search}>; rel="next"`);
}

/** Says that the results are not final: how many unique emails have a verdict, and how many wait. */
export function partialHeaders(
  reply: FastifyReply,
  partial: { settled: number; pending: number } | undefined,
): void {
  if (!partial) return;
  reply.header(HEADERS.partial, "true");
  reply.header(HEADERS.settled, partial.settled);
  reply.header(HEADERS.pending, partial.pending);
}

/** A link to the next page, which begins after the last entry. There is no count: it would read all of them. */
export function entryPageHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  { entries, limit }: { entries: readonly { id: string }[]; limit: number },
): void {
  if (entries.length === limit) linkToNext(request, reply, "before", entries.at(-1)!.id);
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
