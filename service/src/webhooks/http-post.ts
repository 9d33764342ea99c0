/**
 * One delivery attempt: a POST answered with 2xx in time, or a sentence saying what went wrong.
 *
 * Never throws: whatever the remote server does is returned as a value. Redirects are not followed, connections are not
 * reused, and the response body is read up to a limit and discarded.
 */
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { CheckDestination, Destination } from "./destination-check.ts";

export type Post = (message: PostRequest, stop: AbortSignal) => Promise<PostResult>;

export type PostRequest = { url: string; headers: Readonly<Record<string, string>>; body: string };

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
/** Per address, when there are several. */
const CONNECT_TIMEOUT_MS = 3000;
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
      const destination = await Promise.race([checkDestination(message.url), ended]);
      if (destination && "rejection" in destination) return failure(destination.rejection);
      const outcome = destination && (await send(destination, message, ca, end.signal));
      if (typeof outcome === "number") return resultOf(outcome);
      return failure(end.signal.aborted || !outcome ? `No response within ${timeoutMs / 1000} s.` : outcome);
    } finally {
      clearTimeout(timeout);
      stop.removeEventListener("abort", endSoon);
    }
  };
}

/** The HTTP status, or why there is none. */
function send(
  { url, host, addresses }: Destination,
  { headers, body }: PostRequest,
  ca: string | undefined,
  end: AbortSignal,
): Promise<number | string> {
  const options: RequestOptions & { servername: string; autoSelectFamilyAttemptTimeout: number } = {
    method: "POST",
    host,
    servername: isIP(host) === 0 ? host : "",
    port: url.port || (url.protocol === "https:" ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    agent: false, // a new connection that is not reused
    lookup: fixedLookup(addresses),
    autoSelectFamilyAttemptTimeout: CONNECT_TIMEOUT_MS,
    signal: end,
    ...(ca === undefined ? {} : { ca }),
  };
  return new Promise((resolve) => {
    const request = url.protocol === "https:" ? httpsRequest(options) : httpRequest(options);
    let outcome: number | string = CONNECTION_CLOSED;
    request.on("error", (error) => {
      if (typeof outcome === "string") outcome = reasonOf(error);
    });
    request.on("response", (response) => {
      outcome = response.statusCode ?? 0; // later errors do not matter
      discard(response, () => request.destroy());
    });
    request.on("close", () => resolve(outcome));
    request.end(body);
  });
}

/** Always returns the checked addresses. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all: wantsAll }, callback) => {
    if (wantsAll) callback(null, all);
    else callback(null, all[0]!.address, all[0]!.family);
  };
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

const CONNECTION_CLOSED = "The connection was closed before a response arrived.";
const BAD_CERTIFICATE = /^(?:CERT_|ERR_TLS_CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;

/** By error code; the first match applies. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, "The connection was refused."],
  [/^(?:ECONNRESET|EPIPE)$/, CONNECTION_CLOSED],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/,
    "The connection could not be established.",
  ],
  [
    BAD_CERTIFICATE,
    "The TLS certificate is expired, not valid for this name, or not issued by a trusted authority.",
  ],
  [/^(?:ERR_SSL_|EPROTO$)/, "The TLS handshake failed."],
  [/^HPE_HEADER_OVERFLOW$/, "The response headers are too large."],
  [/^HPE_/, "The response is not valid HTTP."],
];

function reasonOf(error: Error): string {
  const { code = "" } = firstCause(error);
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? "The connection failed.";
}

/** When several addresses were tried, the first one's error. */
function firstCause(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  return error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
}
