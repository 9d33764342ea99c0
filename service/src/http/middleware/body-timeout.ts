/**
 * Timeouts of request bodies. Node has one request timeout for the whole server, which must be long enough for file
 * uploads; all other bodies get a shorter one here, and uploads an idle timeout.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { HttpSettings } from "../http-settings.ts";
import "../route-config.ts";

export type BodyTimeoutSettings = Pick<
  HttpSettings,
  "requestTimeoutMs" | "uploadTimeoutMs" | "uploadIdleTimeoutMs"
>;

type PendingBody = {
  raw: IncomingMessage;
  isResponseSent: () => boolean;
  /** A file: it may take long, as long as bytes keep arriving. */
  isUpload: boolean;
  dueAtMs: number;
  bytesRead: number;
  lastReadAtMs: number;
};

const CHECK_EVERY_MS = 1_000;

/** The code of Node's own request timeout. */
const TIMEOUT_CODE = "ERR_HTTP_REQUEST_TIMEOUT";

/** `rejectRequest` (malformed-request.ts) responds on a connection whose request stays incomplete, and closes it. */
export function enforceBodyTimeout(
  app: FastifyInstance,
  settings: BodyTimeoutSettings,
  rejectRequest: (error: Error & { code: string }, socket: Socket) => void,
): void {
  const pending = new Set<PendingBody>();
  /** Only while bodies are pending. */
  let checking: NodeJS.Timeout | undefined;

  app.addHook("onRequest", (request, reply, done) => {
    const { raw } = request;
    if (!hasBody(raw)) return done();
    const { consumes, acceptsFile, streamsJson } = request.routeOptions.config;
    const isJson = raw.headers["content-type"]?.startsWith("application/json") ?? false;
    const isUpload = streamsJson || consumes === "multipart/form-data" || (acceptsFile === true && !isJson);
    const now = performance.now();
    const body: PendingBody = {
      raw,
      isResponseSent: () => reply.raw.writableEnded,
      isUpload,
      dueAtMs: now + (isUpload ? settings.uploadTimeoutMs : settings.requestTimeoutMs),
      bytesRead: raw.socket.bytesRead,
      lastReadAtMs: now,
    };
    pending.add(body);
    checking ??= setInterval(check, CHECK_EVERY_MS).unref();
    raw.once("close", () => pending.delete(body));
    done();
  });

  function check(): void {
    const now = performance.now();
    for (const body of pending) {
      const { raw, isResponseSent } = body;
      if (raw.complete) pending.delete(body);
      else if (isTimedOut(body, now)) {
        pending.delete(body);
        if (isResponseSent()) raw.socket.destroy();
        else
          rejectRequest(
            Object.assign(new Error("the body did not arrive"), { code: TIMEOUT_CODE }),
            raw.socket,
          );
      }
    }
    if (pending.size > 0) return;
    clearInterval(checking);
    checking = undefined;
  }
  app.addHook("onClose", async () => clearInterval(checking));

  function isTimedOut(body: PendingBody, now: number): boolean {
    const { raw } = body;
    // Bytes that wait in our own buffer do not count as the sender being idle.
    if (raw.socket.bytesRead !== body.bytesRead || raw.readableLength > 0) {
      body.bytesRead = raw.socket.bytesRead;
      body.lastReadAtMs = now;
    }
    const isIdle = body.isUpload && now - body.lastReadAtMs >= settings.uploadIdleTimeoutMs;
    return isIdle || now >= body.dueAtMs;
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
