/**
 * Dispatches requests to Fastify in time slices, in their order of arrival (docs/decisions/0002-requests-in-time-slices.md).
 *
 * Node reads every ready connection before it does anything else, and accepts one new connection per event loop iteration
 * (libuv since 1.45). With a thousand busy clients an iteration took hundreds of milliseconds, and a new connection waited
 * up to half a minute to be accepted while others got responses in half a second. Slices keep the iteration short, so that
 * new connections, timers and the database are served, and the queueing time of a request is known: load-shedding.ts
 * refuses it when it is too long.
 *
 * A request that finds an empty queue is dispatched immediately.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { FifoQueue } from "@mailvet/engine";

declare module "node:http" {
  interface IncomingMessage {
    /** By performance.now(). */
    arrivedAtMs?: number;
  }
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const SLICE_MS = 5;

/** Puts the scheduler in front of the server's request listeners. */
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

/** `now` is a clock in milliseconds, `nextTurn` schedules a callback for the next event loop iteration. */
export function createScheduler(
  handle: Handle,
  now: () => number = () => performance.now(),
  nextTurn: (work: () => void) => void = (work) => void setImmediate(work),
): Handle {
  const queue = new FifoQueue<[IncomingMessage, ServerResponse]>();
  let sliceEndsAt: number | undefined;

  /** One slice per iteration, which begins with its first request. */
  function hasTime(): boolean {
    const time = now();
    if (sliceEndsAt === undefined) {
      sliceEndsAt = time + SLICE_MS;
      nextTurn(runSlice);
    }
    return time < sliceEndsAt;
  }

  function runSlice(): void {
    sliceEndsAt = undefined;
    while (queue.size > 0 && hasTime()) {
      const [request, response] = queue.shift()!;
      // Its "close" event has fired already, so nothing that waits for it would ever be notified.
      if (!request.socket.destroyed) handle(request, response);
    }
  }

  return (request, response) => {
    request.arrivedAtMs = now();
    if (queue.size === 0 && hasTime()) handle(request, response);
    else queue.push([request, response]);
  };
}
