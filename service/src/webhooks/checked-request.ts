/**
 * An HTTP request to a checked destination (destination-check.ts): it connects to the checked addresses only, whatever
 * the name resolves to by then, on a connection of its own. Redirects are not followed.
 */
import { type ClientRequest, request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Destination } from "./destination-check.ts";

/** Per address, when there are several. */
const CONNECT_TIMEOUT_MS = 3000;

export type CheckedRequest = {
  method: "GET" | "POST";
  headers: Readonly<Record<string, string | number>>;
  signal: AbortSignal;
  /** CA certificates trusted instead of the default ones. */
  ca?: string | undefined;
};

/** The caller ends it and handles its events. */
export function requestTo(
  { url, host, addresses }: Destination,
  { method, headers, signal, ca }: CheckedRequest,
): ClientRequest {
  const options: RequestOptions & { servername: string; autoSelectFamilyAttemptTimeout: number } = {
    method,
    host,
    servername: isIP(host) === 0 ? host : "",
    port: url.port || (url.protocol === "https:" ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    headers,
    agent: false, // a new connection that is not reused
    lookup: fixedLookup(addresses),
    autoSelectFamilyAttemptTimeout: CONNECT_TIMEOUT_MS,
    signal,
    ...(ca === undefined ? {} : { ca }),
  };
  return url.protocol === "https:" ? httpsRequest(options) : httpRequest(options);
}

/**
 * Always returns the checked addresses, and never at once: a connection that fails immediately, for want of a route, would
 * report its error before anyone listens, which ends the process.
 */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all: wantsAll }, callback) => {
    process.nextTick(() => {
      if (wantsAll) callback(null, all);
      else callback(null, all[0]!.address, all[0]!.family);
    });
  };
}

export const CONNECTION_CLOSED = "The connection was closed before a response arrived.";
const BAD_CERTIFICATE = /^(?:CERT_|ERR_TLS_CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;

/** By error code; the first match applies. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ECONNRESET|EPIPE)$/, CONNECTION_CLOSED],
  [
    BAD_CERTIFICATE,
    "The TLS certificate is expired, not valid for this name, or not issued by a trusted authority.",
  ],
  [/^(?:ERR_SSL_|EPROTO$)/, "The TLS handshake failed."],
  [/^HPE_HEADER_OVERFLOW$/, "The response headers are too large."],
  [/^HPE_/, "The response is not valid HTTP."],
];

/** Why a request failed, as a sentence. */
export function failureOf(error: Error, timeoutMs: number): string {
  const { code = "" } = firstCause(error);
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? noResponse(timeoutMs);
}

/** The same for refused, unreachable and silent: the difference would make this a port scanner with the operator's address. */
export const noResponse = (timeoutMs: number) =>
  `No connection, or no response within ${timeoutMs / 1000} s.`;

/** When several addresses were tried, the first one's error. */
function firstCause(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  return error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
}
