/** For requests that may go on for minutes: nobody waits that long for a server to stop. */
import type { FastifyInstance } from "fastify";
import { Refusal } from "../../refusal.ts";

const RETRY_SECONDS = 5;

/** Comes when the server begins to stop, with what to tell whoever is still sending. */
export function shutdownSignal(app: Pick<FastifyInstance, "addHook">): AbortSignal {
  const stopping = new AbortController();
  app.addHook("preClose", async () => {
    const why = "This server is being stopped.";
    stopping.abort(new Refusal("overloaded", why, { retryAfterSeconds: RETRY_SECONDS }));
  });
  return stopping.signal;
}
