/** Aborts requests that may take minutes when the server stops. */
import type { FastifyInstance } from "fastify";
import { Refusal } from "../base/refusal.ts";

const RETRY_SECONDS = 5;

/** Aborted when the server begins to stop; the reason is the refusal to send. */
export function shutdownSignal(app: Pick<FastifyInstance, "addHook">): AbortSignal {
  const stopping = new AbortController();
  app.addHook("preClose", async () => {
    const detail = "The server is shutting down.";
    stopping.abort(new Refusal("overloaded", detail, { retryAfterSeconds: RETRY_SECONDS }));
  });
  return stopping.signal;
}
