/**
 * HTTP transport to one service: URL, authentication, timeouts and retries. Sends a request, retries it where that is
 * safe, and returns the response or throws one of the two errors (errors.ts).
 */

import { MailvetProblem, MailvetUnreachable } from "./errors.ts";
import { type ApiResponse, readResponse, rejectForeign } from "./response.ts";
import { withRetries } from "./retry.ts";
import type { UploadBody } from "./upload-body.ts";

export type ClientOptions = {
  /**
   * URL of the service, such as https://mailvet.example.com, with or without /api/v1. In a page served by the service
   * itself, a path such as "/" is enough.
   */
  baseUrl: string;
  /** Without a key, the session cookie of the browser authenticates. */
  apiKey?: string | undefined;
  /** For a session: live data (default), or the sandbox. A key has its own mode. */
  mode?: "live" | "test" | undefined;
  /** Replaces the global fetch. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Timeout for each response. Default: 75 seconds, because a bulk request may take 50. */
  timeoutMs?: number | undefined;
  /** Number of retries of a request that is safe to repeat. Default: 3. */
  retries?: number | undefined;
};

/** Accepted by every call. */
export type CallOptions = {
  /** Aborts the call, which then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
};

export type IdempotentOptions = CallOptions & {
  /** Calls with the same key and arguments are charged once within 24 hours. Default: a random key per call. */
  idempotencyKey?: string | undefined;
};

export type ApiRequest = CallOptions & {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below /api/v1, with parameters already encoded. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  /** Sent as JSON. */
  body?: object | undefined;
  /** A file, sent as a multipart form. */
  upload?: UploadBody;
  /** Accept header. Default: JSON. */
  accept?: string;
  /** Added to the response timeout. */
  extraMs?: number;
  /** Makes a POST safe to retry: the service executes it once and repeats the response. */
  idempotencyKey?: string | undefined;
  /** For parts of a long list: retry more often while the service is busy. */
  waitWhenBusy?: boolean;
};

/** Sends a request and returns the parsed response. */
export type SendRequest = <T>(call: ApiRequest) => Promise<ApiResponse<T>>;

/** Sends a request and returns the response as a stream. The timeout applies to each chunk. */
export type OpenStream = (call: ApiRequest) => Promise<Response>;

const DEFAULT_TIMEOUT_MS = 75_000;
const DEFAULT_RETRIES = 3;
/** A request with `waitWhenBusy` is retried this many times as often. */
const BUSY_RETRY_FACTOR = 10;
/** Limit of setTimeout. */
const MAX_TIMEOUT_MS = 2_147_483_647;

export function createTransport(options: ClientOptions): { send: SendRequest; open: OpenStream } {
  const root = apiRootOf(options.baseUrl);
  const authentication = authenticationOf(options);
  const fetch = options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init));
  const defaultMs = Math.min(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS);
  const retries = options.retries ?? DEFAULT_RETRIES;

  const request = async <T>(call: ApiRequest, read: (response: Response) => T | Promise<T>): Promise<T> => {
    // URLs have no such segments, so the request would reach another endpoint.
    if (/\/\.{0,2}(\/|$)/.test(call.path)) throw new RangeError(`Invalid ID: ${call.path}`);
    const url = `${root}${call.path}${queryOf(call.query)}`;
    const headers: Record<string, string> = {
      accept: call.accept ?? "application/json",
      ...authentication.headers,
    };
    if (call.idempotencyKey) headers["idempotency-key"] = call.idempotencyKey;
    if (call.body) headers["content-type"] = "application/json";
    const init: RequestInit = {
      method: call.method,
      headers,
      credentials: authentication.credentials,
      redirect: "manual",
      cache: "no-store",
      ...(call.body && { body: JSON.stringify(call.body) }),
    };
    const timeoutMs = Math.min(defaultMs + (call.extraMs ?? 0), MAX_TIMEOUT_MS);
    const attempt = () =>
      withTimeout(timeoutMs, call.signal, async (signal, restart) =>
        read(await fetch(url, { ...withUpload(init, call.upload, restart), signal })),
      );
    const isSafeToRepeat =
      (call.method === "GET" || call.idempotencyKey !== undefined) && call.upload?.isRepeatable !== false;
    if (!isSafeToRepeat || retries === 0) return await attempt();
    const refusals = call.waitWhenBusy ? retries * BUSY_RETRY_FACTOR : retries;
    return await withRetries(attempt, { failures: retries, refusals, inFlightMs: timeoutMs }, call.signal);
  };

  return {
    send: <T>(call: ApiRequest) => request(call, (response) => readResponse<T>(response)),
    async open(call) {
      for (;;) {
        const response = await request(call, rejectForeign);
        // The file is being written, and each of these answers takes a while.
        if (response.status === 202) await response.text();
        else return new Response(bodyOf(response, defaultMs, call.signal), response);
      }
    },
  };
}

/** Adds the body with its own headers (form boundary) and fetch options (streaming). */
function withUpload(init: RequestInit, upload: UploadBody | undefined, onChunk: () => void): RequestInit {
  if (!upload) return init;
  const { body, ...more } = upload.open(onChunk);
  return {
    ...init,
    ...more,
    headers: { ...(init.headers as Record<string, string>), ...more.headers },
    body,
  };
}

/** The timeout covers waiting for a chunk, not the time a slow reader takes between chunks. */
function bodyOf(
  { body }: Response,
  timeoutMs: number,
  callerSignal: AbortSignal | undefined,
): ReadableStream<Uint8Array> | null {
  if (!body) return null;
  const reader = body.getReader();
  const abort = () => void reader.cancel().catch(() => {});
  callerSignal?.addEventListener("abort", abort);
  const nextChunk = () => withTimeout(timeoutMs, callerSignal, () => reader.read());
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await nextChunk();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
          abort();
        }
        callerSignal?.removeEventListener("abort", abort);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Root URL of the API, without a trailing slash. */
export function apiRootOf(baseUrl: string): string {
  const text = baseUrl.trim();
  const isPath = /^\/(?![/\\])[^?#]*$/.test(text);
  if (!isPath && !isPlainHttpUrl(text))
    throw new TypeError("baseUrl must be a URL such as https://mailvet.example.com, or a path");
  const root = text.replace(/\/+$/, "");
  return root.endsWith("/api/v1") ? root : `${root}/api/v1`;
}

function isPlainHttpUrl(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

/** Validates the key here, because the error of fetch would contain it. */
function authenticationOf({ apiKey, mode }: ClientOptions) {
  if (apiKey === undefined) {
    return {
      headers: (mode === "test" ? { "x-mailvet-mode": "test" } : {}) as Record<string, string>,
      credentials: "same-origin" as const,
    };
  }
  const key = apiKey.trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError("apiKey must be printable ASCII without spaces");
  return { headers: { "x-api-key": key }, credentials: "omit" as const };
}

function queryOf(query: ApiRequest["query"] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length > 0 ? `?${new URLSearchParams(given)}` : "";
}

/** Runs the work with a timeout and the signal of the caller. The work may restart the timeout. */
async function withTimeout<T>(
  timeoutMs: number,
  callerSignal: AbortSignal | undefined,
  work: (signal: AbortSignal, restart: () => void) => Promise<T>,
): Promise<T> {
  callerSignal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort();
  let isTimedOut = false;
  const start = () =>
    setTimeout(() => {
      isTimedOut = true;
      abort();
    }, timeoutMs);
  let timer = start();
  callerSignal?.addEventListener("abort", abort);
  const { signal } = controller;
  // The signal may not end the work: Node loses it after the headers of an upload's response, when garbage is collected.
  const aborted = new Promise<never>((_, reject) => {
    signal.onabort = reject;
  });
  const restart = () => {
    clearTimeout(timer);
    timer = start();
  };
  try {
    return await Promise.race([work(signal, restart), aborted]);
  } catch (error) {
    callerSignal?.throwIfAborted();
    if (isTimedOut) throw new MailvetUnreachable("timeout", `No response within ${timeoutMs / 1000} s`);
    if (error instanceof MailvetProblem || error instanceof MailvetUnreachable) throw error;
    const why = causeOf(error);
    // Uploads use redirect: "error", which Node reports in the message.
    if (/redirect/i.test(why))
      throw new MailvetUnreachable("redirected", "The service redirects to another URL");
    throw new MailvetUnreachable("no_connection", `No connection: ${why}`, { cause: error });
  } finally {
    clearTimeout(timer);
    callerSignal?.removeEventListener("abort", abort);
  }
}

/** Node reports "fetch failed" with the reason in `cause`; browsers give no reason. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as { code?: unknown; message?: unknown } | undefined;
  return String(cause?.message || cause?.code || error.message);
}
