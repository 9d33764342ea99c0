/**
 * How long a request's body may take to arrive. Node has one such limit for all requests, and a file on a slow line takes
 * as long as it takes; so that one is for files, and everything else is held to its own here.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { HttpSettings } from "../http-settings.ts";
import "../route-config.ts";

export type BodyTimeoutSettings = Pick<
  HttpSettings,
  "requestTimeoutMs" | "uploadTimeoutMs" | "uploadSilenceMs"
>;

type Arrival = {
  raw: IncomingMessage;
  isAnswered: () => boolean;
  /** A file: it may be long in coming, as long as it keeps coming. */
  isUpload: boolean;
  dueAtMs: number;
  bytesHeard: number;
  heardAtMs: number;
};

const LOOK_EVERY_MS = 1_000;

/** As Node calls it when it waits in vain itself. */
const TOO_LATE = "ERR_HTTP_REQUEST_TIMEOUT";

/** `answerBroken` answers on a connection whose request is not going to be complete, and hangs up. */
export function enforceBodyTimeout(
  app: FastifyInstance,
  settings: BodyTimeoutSettings,
  answerBroken: (error: Error & { code: string }, socket: Socket) => void,
): void {
  const arrivals = new Set<Arrival>();

  app.addHook("onRequest", (request, reply, done) => {
    const { raw } = request;
    if (!hasBody(raw)) return done();
    const { consumes, mayBeFile } = request.routeOptions.config;
    const isJson = raw.headers["content-type"]?.startsWith("application/json") ?? false;
    const isUpload = consumes === "multipart/form-data" || (mayBeFile === true && !isJson);
    const now = performance.now();
    const arrival: Arrival = {
      raw,
      isAnswered: () => reply.raw.writableEnded,
      isUpload,
      dueAtMs: now + (isUpload ? settings.uploadTimeoutMs : settings.requestTimeoutMs),
      bytesHeard: raw.socket.bytesRead,
      heardAtMs: now,
    };
    arrivals.add(arrival);
    raw.once("close", () => arrivals.delete(arrival));
    done();
  });

  const looking = setInterval(() => {
    const now = performance.now();
    for (const arrival of arrivals) {
      const { raw, isAnswered } = arrival;
      if (raw.complete) arrivals.delete(arrival);
      else if (isTooSlow(arrival, now)) {
        arrivals.delete(arrival);
        if (isAnswered()) raw.socket.destroy();
        else
          answerBroken(Object.assign(new Error("the body did not arrive"), { code: TOO_LATE }), raw.socket);
      }
    }
  }, LOOK_EVERY_MS);
  looking.unref();
  app.addHook("onClose", async () => clearInterval(looking));

  function isTooSlow(arrival: Arrival, now: number): boolean {
    const { raw } = arrival;
    // What waits to be read by us is not the sender's silence.
    if (raw.socket.bytesRead !== arrival.bytesHeard || raw.readableLength > 0) {
      arrival.bytesHeard = raw.socket.bytesRead;
      arrival.heardAtMs = now;
    }
    const isSilent = arrival.isUpload && now - arrival.heardAtMs >= settings.uploadSilenceMs;
    return isSilent || now >= arrival.dueAtMs;
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
