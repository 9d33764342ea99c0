/**
 * Lifetime of one request: from routing until its handler has finished and its connection is done with it.
 *
 * A client may disconnect while the handler still runs, and a response may be complete while it is still being sent.
 * The lifetime ends after both, so that concurrency limits count work, not connections.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../../base/refusal.ts";

declare module "fastify" {
  interface FastifyRequest {
    lifetime: RequestLifetime;
  }
}

export class RequestLifetime {
  /** Arrival, by performance.now(); the request may have been queued since (request-scheduler.ts). */
  readonly startedAtMs: number;
  #hasResponded = false;
  #isClosed = false;
  #endCallbacks: (() => void)[] = [];

  constructor(startedAt: number) {
    this.startedAtMs = startedAt;
  }

  /** Runs once, at the end. */
  onEnd(callback: () => void): void {
    this.#endCallbacks.push(callback);
  }

  /** Ends it early: an event stream stays open for hours without work. */
  endWork(): void {
    this.#end();
  }

  responded(): void {
    this.#hasResponded = true;
    this.#endWhenDone();
  }

  closed(): void {
    this.#isClosed = true;
    this.#endWhenDone();
  }

  #endWhenDone(): void {
    if (this.#hasResponded && this.#isClosed) this.#end();
  }

  #end(): void {
    for (const callback of this.#endCallbacks.splice(0)) callback();
  }
}

export type RequestEnd = (request: FastifyRequest, reply: FastifyReply, isAborted: boolean) => void;

/** Attaches a lifetime to every routed request. `onClosed` is called when its connection is done with it. */
export function trackRequestLifetimes(app: FastifyInstance, onClosed: RequestEnd): void {
  app.decorateRequest("lifetime", null as never);
  app.addHook("onRequest", (request, reply, done) => {
    const lifetime = new RequestLifetime(request.raw.arrivedAtMs ?? performance.now());
    request.lifetime = lifetime;
    reply.raw.once("close", () => {
      const isAborted = !reply.raw.writableFinished;
      onClosed(request, reply, isAborted);
      if (!isAborted) lifetime.responded(); // also when a response bypassed the hooks below
      lifetime.closed();
    });
    done();
  });
  // When the connection closes during authentication the body never arrives, and Fastify would wait for it forever. No
  // response can be delivered either, so the request ends here, before it has any effect.
  app.addHook("preParsing", (request, _reply, payload, done) => {
    if (!request.socket.destroyed) return done(null, payload);
    done(new Refusal("malformed_request", "The connection was closed before the request was read."));
  });
  app.addHook("onSend", (request, _reply, payload, done) => {
    request.lifetime.responded();
    done(null, payload);
  });
}
