/**
 * One delivery attempt: a POST answered with 2xx in time, or a sentence saying what went wrong.
 *
 * Never throws: whatever the remote server does is returned as a value. Redirects are not followed, connections are not
 * reused, and the response body is read up to a limit and discarded.
 */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { CONNECTION_CLOSED, failureOf, noResponse, requestTo } from "./checked-request.ts";
import type { CheckDestination, Destination, UrlUse } from "./destination-check.ts";

export type Post = (message: PostRequest, stop: AbortSignal) => Promise<PostResult>;

export type PostRequest = {
  url: string;
  use: UrlUse;
  headers: Readonly<Record<string, string>>;
  body: string;
};

export type PostResult = {
  isDelivered: boolean;
  /** HTTP status of the response, if any. */
  status: number | undefined;
  /** Why it was not delivered. */
  error: string | undefined;
};

export type PostDeps = {
  checkDestination: CheckDestination;
  /** For the whole attempt: resolve, connect, send, receive. */
  timeoutMs: number;
  /** CA certificates trusted instead of the default ones. */
  ca?: string | undefined;
};

const MAX_RESPONSE_BYTES = 64 * 1024;
/** Time left to a running attempt at shutdown. */
const SHUTDOWN_GRACE_MS = 1000;

export function createPost({ checkDestination, timeoutMs, ca }: PostDeps): Post {
  return async (message, stop) => {
    const end = new AbortController();
    const timeout = setTimeout(() => end.abort(), timeoutMs);
    const endSoon = () => setTimeout(() => end.abort(), SHUTDOWN_GRACE_MS).unref();
    if (stop.aborted) endSoon();
    else stop.addEventListener("abort", endSoon, { once: true });
    try {
      const ended = once(end.signal, "abort").then(() => undefined);
      const destination = await Promise.race([checkDestination(message.url, message.use), ended]);
      if (destination && "rejection" in destination) return failure(destination.rejection);
      const outcome = destination && (await send(destination, message, { ca, timeoutMs, end: end.signal }));
      if (typeof outcome === "number") return resultOf(outcome);
      return failure(end.signal.aborted || !outcome ? noResponse(timeoutMs) : outcome);
    } finally {
      clearTimeout(timeout);
      stop.removeEventListener("abort", endSoon);
    }
  };
}

/** The HTTP status, or why there is none. */
function send(
  destination: Destination,
  { headers, body }: PostRequest,
  { ca, timeoutMs, end }: Pick<PostDeps, "ca" | "timeoutMs"> & { end: AbortSignal },
): Promise<number | string> {
  return new Promise((resolve) => {
    const request = requestTo(destination, {
      method: "POST",
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      signal: end,
      ca,
    });
    let outcome: number | string = CONNECTION_CLOSED;
    request.on("error", (error) => {
      if (typeof outcome === "string") outcome = failureOf(error, timeoutMs);
    });
    request.on("response", (response) => {
      outcome = response.statusCode ?? 0; // later errors do not matter
      discard(response, () => request.destroy());
    });
    request.on("close", () => resolve(outcome));
    request.end(body);
  });
}

/** Reads the response to its end, so that the server can finish; closes the connection above the limit. */
function discard(response: IncomingMessage, close: () => void): void {
  let sizeBytes = 0;
  response.on("data", (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_RESPONSE_BYTES) close();
  });
  response.on("error", () => {});
}

function resultOf(status: number): PostResult {
  if (status >= 200 && status < 300) return { isDelivered: true, status, error: undefined };
  const isRedirect = status >= 300 && status < 400;
  const error = isRedirect
    ? `The endpoint answered ${status}. Redirects are not followed.`
    : `The endpoint answered ${status}.`;
  return { isDelivered: false, status, error };
}

const failure = (error: string): PostResult => ({ isDelivered: false, status: undefined, error });
