/**
 * Hands requests to the framework in time slices, in their order of arrival.
 *
 * Node reads every connection that is ready before it does anything else, and accepts one new connection in each turn of
 * its event loop (libuv since 1.45). With a thousand busy clients a turn took hundreds of milliseconds, and a connection
 * waited up to half a minute to be accepted, while others were answered in half a second. With slices a turn stays short,
 * so that new connections, timers and the database get theirs, and how long a request has waited is known: load-shedding.ts
 * refuses it when that is too long.
 *
 * A request that finds nothing waiting is handed on at once.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";

declare module "node:http" {
  interface IncomingMessage {
    /** When it was read, by the clock of performance.now(). */
    arrivedAt?: number;
  }
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const SLICE_MS = 5;
/** Of the requests that were handed on, while others wait. */
const MAX_HANDLED_KEPT = 1_000;

/** From now on the server's requests pass through here. */
export function scheduleRequests(server: Server): void {
  const handlers = server.listeners("request") as Handle[];
  server.removeAllListeners("request");
  server.on(
    "request",
    createScheduler((request, response) => {
      for (const handle of handlers) handle.call(server, request, response);
    }),
  );
}

/** `now` is a clock in milliseconds, `nextTurn` runs something in the next turn of the event loop. */
export function createScheduler(
  handle: Handle,
  now: () => number = () => performance.now(),
  nextTurn: (work: () => void) => void = (work) => void setImmediate(work),
): Handle {
  let waiting: [IncomingMessage, ServerResponse][] = [];
  let next = 0;
  let sliceEndsAt: number | undefined;

  /** One slice in each turn: it begins with its first request. */
  function hasTime(): boolean {
    const time = now();
    if (sliceEndsAt === undefined) {
      sliceEndsAt = time + SLICE_MS;
      nextTurn(startTurn);
    }
    return time < sliceEndsAt;
  }

  function startTurn(): void {
    sliceEndsAt = undefined;
    while (next < waiting.length && hasTime()) {
      const [request, response] = waiting[next++]!;
      // Its "close" event is over: nothing that waits for it would ever be told.
      if (!request.socket.destroyed) handle(request, response);
    }
    if (next < waiting.length && next < MAX_HANDLED_KEPT) return;
    waiting = waiting.slice(next);
    next = 0;
  }

  return (request, response) => {
    request.arrivedAt = now();
    if (next === waiting.length && hasTime()) handle(request, response);
    else waiting.push([request, response]);
  };
}
