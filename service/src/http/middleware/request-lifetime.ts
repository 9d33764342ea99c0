/**
 * One request from the moment it is routed until nothing of it is left to do.
 *
 * A client may hang up while its work still runs, and an answer may be finished while it still travels. The visit is
 * over when both have happened, so whoever counts what is under way counts work, not connections.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../../refusal.ts";

declare module "fastify" {
  interface FastifyRequest {
    visit: RequestLifetime;
  }
}

export class RequestLifetime {
  /** By the clock of performance.now(); it may have waited for its turn since. */
  readonly startedAt: number;
  #isAnswered = false;
  #isClosed = false;
  #atEnd: (() => void)[] = [];

  constructor(startedAt: number) {
    this.startedAt = startedAt;
  }

  /** Runs once, when the visit is over. */
  onOver(then: () => void): void {
    this.#atEnd.push(then);
  }

  /** From here on it is a connection that waits for news. That is no work, and may go on for hours. */
  onlyListens(): void {
    this.#end();
  }

  answered(): void {
    this.#isAnswered = true;
    this.#endWhenOver();
  }

  closed(): void {
    this.#isClosed = true;
    this.#endWhenOver();
  }

  #endWhenOver(): void {
    if (this.#isAnswered && this.#isClosed) this.#end();
  }

  #end(): void {
    for (const then of this.#atEnd.splice(0)) then();
  }
}

export type RequestEnd = (request: FastifyRequest, reply: FastifyReply, isAborted: boolean) => void;

/** Gives every routed request its visit. `onClosed` hears of each one when its connection is done with it. */
export function trackRequestLifetimes(app: FastifyInstance, onClosed: RequestEnd): void {
  app.decorateRequest("visit", null as never);
  app.addHook("onRequest", (request, reply, done) => {
    const visit = new RequestLifetime(request.raw.arrivedAt ?? performance.now());
    request.visit = visit;
    reply.raw.once("close", () => {
      const isAborted = !reply.raw.writableFinished;
      onClosed(request, reply, isAborted);
      if (!isAborted) visit.answered(); // also when an answer bypassed the hooks below
      visit.closed();
    });
    done();
  });
  // A body whose connection closed while the caller was being authenticated never arrives, and Fastify would wait for it
  // for ever. No answer can be delivered either, so the request ends here, before it has any effect.
  app.addHook("preParsing", (request, _reply, payload, done) => {
    if (!request.socket.destroyed) return done(null, payload);
    done(new Refusal("malformed_request", "The connection was closed before the request was read."));
  });
  app.addHook("onSend", (request, _reply, payload, done) => {
    request.visit.answered();
    done(null, payload);
  });
}
