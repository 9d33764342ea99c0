/**
 * Sends files that are produced while they are read: limited in number, cut off if the client stalls, the key or session
 * ends, or the server stops.
 */
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ACCOUNT_LIMITS } from "../accounts/plans.ts";
import { createConcurrencyLimit } from "../base/concurrency-limit.ts";
import type { Log } from "../base/log.ts";

export type Downloads = {
  /** For HEAD only the headers. */
  send(request: FastifyRequest, reply: FastifyReply, open: () => Promise<Download>): Promise<FastifyReply>;
};

export type Download = { content: AsyncIterable<string | Buffer>; contentType: string; filename: string };

/** A client that reads nothing for this long is considered gone. */
const STALL_MS = 60_000;
/** Time for downloads to finish when the server stops. */
const DRAIN_TIMEOUT_MS = 5_000;
const CONCURRENCY = { what: "downloads", perAccount: ACCOUNT_LIMITS.concurrent_downloads, total: 16 };

export function createDownloads(app: FastifyInstance, log: Pick<Log, "event">): Downloads {
  const slots = createConcurrencyLimit(CONCURRENCY);
  const bodies = new Set<Readable>();
  app.addHook("preClose", async () => {
    setTimeout(() => {
      for (const body of bodies) body.destroy();
    }, DRAIN_TIMEOUT_MS).unref();
  });
  return {
    async send(request, reply, open) {
      const release = slots.acquire(request.caller!.accountId);
      try {
        const { content, contentType, filename } = await open();
        const hasBody = request.method !== "HEAD";
        const body = Readable.from(hasBody ? await withFirstChunk(content) : [], { objectMode: false });
        bodies.add(body);
        const unfollow = request.onCredentialEnd((refusal) => body.destroy(refusal));
        body.once("error", (error) => log.event("download_failed", { err: error, request_id: request.id }));
        body.once("close", () => {
          unfollow();
          bodies.delete(body);
          release();
        });
        reply.raw.setTimeout(STALL_MS);
        reply.headers({ "content-type": contentType, "content-disposition": attachment(filename) });
        return reply.send(body);
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

/** Waits for the first chunk, so that an early failure can still be sent as a problem document. */
async function withFirstChunk<T>(content: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const chunks = content[Symbol.asyncIterator]();
  const first = await chunks.next();
  return {
    async *[Symbol.asyncIterator]() {
      if (first.done) return;
      yield first.value;
      yield* { [Symbol.asyncIterator]: () => chunks };
    },
  };
}

/** Content-Disposition (RFC 6266): an ASCII file name for old clients, and the real one. */
function attachment(filename: string): string {
  const ascii = filename.replaceAll(/[^\w .()+-]/g, "_");
  const encoded = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
