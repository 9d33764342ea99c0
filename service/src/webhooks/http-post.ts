/**
 * One attempt to hand over a message: a POST that is answered with 2xx in time, or a sentence that says why not.
 *
 * It never throws: whatever a stranger's server does is a value. It follows no redirect, keeps no connection, and reads
 * only so much of the answer, which it throws away.
 */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { CheckDestination, Destination } from "./destination-check.ts";

export type Post = (parcel: PostRequest, stop: AbortSignal) => Promise<PostResult>;

export type PostRequest = { url: string; headers: Readonly<Record<string, string>>; body: string };

export type PostResult = {
  hasArrived: boolean;
  /** Of the answer, if there was one. */
  status: number | undefined;
  /** Why it has not arrived. */
  trouble: string | undefined;
};

export type PostDeps = {
  judge: CheckDestination;
  /** For everything: looking up, connecting, sending, and the answer. */
  timeoutMs: number;
  /** Trusted in place of the well-known authorities. */
  ca?: string | undefined;
};

const MAX_ANSWER_BYTES = 64 * 1024;
/** With one of several addresses, before the next is tried. */
const CONNECT_PATIENCE_MS = 3000;
/** When we are told to stop, most answers are only a moment away. */
const STOP_PATIENCE_MS = 1000;

export function createPost({ judge, timeoutMs, ca }: PostDeps): Post {
  return async (parcel, stop) => {
    const end = new AbortController();
    const late = setTimeout(() => end.abort(), timeoutMs);
    const hurry = () => setTimeout(() => end.abort(), STOP_PATIENCE_MS).unref();
    if (stop.aborted) hurry();
    else stop.addEventListener("abort", hurry, { once: true });
    try {
      const destination = await Promise.race([judge(parcel.url), ended(end.signal)]);
      if (destination && "unfit" in destination) return failure(destination.unfit);
      const answer = destination && (await send(destination, parcel, ca, end.signal));
      if (typeof answer === "number") return judgeStatus(answer);
      return failure(
        end.signal.aborted || !answer ? `There was no answer within ${timeoutMs / 1000} s.` : answer,
      );
    } finally {
      clearTimeout(late);
      stop.removeEventListener("abort", hurry);
    }
  };
}

function ended(end: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => end.addEventListener("abort", () => resolve(undefined), { once: true }));
}

/** The status of the answer, or why there is none. */
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
    agent: false, // a connection of its own that nobody uses again
    lookup: only(addresses),
    autoSelectFamilyAttemptTimeout: CONNECT_PATIENCE_MS,
    signal: end,
    ...(ca === undefined ? {} : { ca }),
  };
  return new Promise((resolve) => {
    const request = url.protocol === "https:" ? httpsRequest(options) : httpRequest(options);
    let outcome: number | string = HUNG_UP;
    request.on("error", (error) => {
      if (typeof outcome === "string") outcome = reasonOf(error);
    });
    request.on("response", (answer) => {
      outcome = answer.statusCode ?? 0; // whatever goes wrong from here on does not matter
      swallow(answer, () => request.destroy());
    });
    request.on("close", () => resolve(outcome));
    request.end(body);
  });
}

/** Whatever is asked for, these are the answer: they were judged. */
function only(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all: wantsAll }, callback) => {
    if (wantsAll) callback(null, all);
    else callback(null, all[0]!.address, all[0]!.family);
  };
}

/** Lets the other side get to the end of what it says, if that is not too far. */
function swallow(answer: IncomingMessage, hangUp: () => void): void {
  let sizeBytes = 0;
  answer.on("data", (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_ANSWER_BYTES) hangUp();
  });
  answer.on("error", () => {});
}

function judgeStatus(status: number): PostResult {
  if (status >= 200 && status < 300) return { hasArrived: true, status, trouble: undefined };
  const isRedirect = status >= 300 && status < 400;
  const trouble = isRedirect
    ? `It answered ${status}, a redirect; those are not followed.`
    : `It answered ${status}.`;
  return { hasArrived: false, status, trouble };
}

const failure = (trouble: string): PostResult => ({ hasArrived: false, status: undefined, trouble });

const HUNG_UP = "It hung up without an answer.";
const BAD_CERTIFICATE = /^(?:CERT_|ERR_TLS_CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;

/** By the error's code; the first that matches. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, "The connection was refused."],
  [/^(?:ECONNRESET|EPIPE)$/, HUNG_UP],
  [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, "No connection could be made."],
  [
    BAD_CERTIFICATE,
    "Its TLS certificate is not valid for this name, expired, or not from a known authority.",
  ],
  [/^(?:ERR_SSL_|EPROTO$)/, "No encrypted connection could be made."],
  [/^HPE_HEADER_OVERFLOW$/, "The headers of its answer are too long."],
  [/^HPE_/, "What it answered is not HTTP."],
];

function reasonOf(error: Error): string {
  const { code = "" } = ownCause(error);
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? "The connection failed.";
}

/** When several addresses were tried, the first one's failure speaks for all. */
function ownCause(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  return error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
}
