/**
 * The way to one service: where it is, how we show who we are, how long we wait. Makes a request, repeats it where
 * that is safe, and hands back the answer or throws one of the two failures.
 */
import { type Answer, readAnswer, refuseOdd } from "./answer.ts";
import { MailvetProblem, MailvetUnreachable } from "./failure.ts";
import { withRetries } from "./retry.ts";
import type { UploadBody } from "./upload-body.ts";

export type ConnectionOptions = {
  /**
   * Where the service is, such as https://mailvet.example.com, with or without /api/v1. A path, such as "/", is
   * enough in a page that the service itself has sent.
   */
  baseUrl: string;
  /** Shows who is asking. Without one the browser's cookie of a signed-in user does. */
  apiKey?: string | undefined;
  /** Takes the place of the global fetch. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** How long to wait for each answer; 75 seconds unless told, as a bulk request may well take 50. */
  timeoutMs?: number | undefined;
  /** How often a request that is safe to repeat is sent again; 3 times unless told. */
  retries?: number | undefined;
};

/** What every call may be given besides its own arguments. */
export type CallOptions = {
  /** Ends the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
};

export type OnceOptions = CallOptions & {
  /** The same key and arguments are charged once within 24 hours; every call has a fresh key of its own unless told. */
  idempotencyKey?: string | undefined;
};

export type Call = CallOptions & {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below /api/v1; parts that come from outside are encoded already. */
  path: string;
  query?: Record<string, string | number | undefined>;
  /** Sent as JSON. */
  body?: object;
  /** A file, which is sent as a form. */
  upload?: UploadBody;
  /** What the answer may be; JSON unless told. */
  accept?: string;
  /** Time for the answer on top of the usual. */
  extraMs?: number;
  /** Makes a POST safe to repeat: the service does it once and gives the same answer again. */
  idempotencyKey?: string;
  /** Part of a long list, which would rather wait than end when the service is busy. */
  isPatient?: boolean;
};

/** Asks, and hands back the document that answers. */
export type Connection = <T>(call: Call) => Promise<Answer<T>>;

/** Asks, and hands back the answer while it still comes in: each piece of it has the time of a whole answer. */
export type Opening = (call: Call) => Promise<Response>;

const DEFAULT_TIMEOUT_MS = 75_000;
const DEFAULT_RETRIES = 3;
/** A list comes back this many times as often as a single call before it gives up on a busy service. */
const LIST_PATIENCE = 10;
/** Timers cannot hold more. */
const LONGEST_TIMEOUT_MS = 2_147_483_647;

export function connect(options: ConnectionOptions): { ask: Connection; open: Opening } {
  const root = apiRootOf(options.baseUrl);
  const identity = identityOf(options.apiKey);
  const send = options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init));
  const usualMs = Math.min(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, LONGEST_TIMEOUT_MS);
  const retries = options.retries ?? DEFAULT_RETRIES;

  const request = async <T>(call: Call, read: (response: Response) => T | Promise<T>): Promise<T> => {
    const url = `${root}${call.path}${queryOf(call.query)}`;
    const headers: Record<string, string> = {
      accept: call.accept ?? "application/json",
      ...identity.headers,
    };
    if (call.idempotencyKey) headers["idempotency-key"] = call.idempotencyKey;
    if (call.body) headers["content-type"] = "application/json";
    const init: RequestInit = {
      method: call.method,
      headers,
      credentials: identity.credentials,
      redirect: "manual",
      cache: "no-store",
      ...(call.body ? { body: JSON.stringify(call.body) } : {}),
    };
    const timeoutMs = Math.min(usualMs + (call.extraMs ?? 0), LONGEST_TIMEOUT_MS);
    const attempt = () =>
      withinTime(timeoutMs, call.signal, async (signal, startAgain) =>
        read(await send(url, { ...withUpload(init, call.upload, startAgain), signal })),
      );
    const isSafeToRepeat =
      (call.method === "GET" || call.idempotencyKey !== undefined) && call.upload?.isRepeatable !== false;
    if (!isSafeToRepeat || retries === 0) return await attempt();
    const refusals = call.isPatient ? retries * LIST_PATIENCE : retries;
    return await withRetries(attempt, { failures: retries, refusals, inFlightMs: timeoutMs }, call.signal);
  };

  return {
    ask: <T>(call: Call) => request(call, (response) => readAnswer<T>(response)),
    async open(call) {
      const response = await request(call, refuseOdd);
      return new Response(bodyOf(response, usualMs, call.signal), response);
    },
  };
}

/** Some of what a body needs is known to its sender only: the boundary of a form, and that it streams. */
function withUpload(init: RequestInit, upload: UploadBody | undefined, onPiece: () => void): RequestInit {
  if (!upload) return init;
  const { body, ...more } = upload.open(onPiece);
  return {
    ...init,
    ...more,
    headers: { ...(init.headers as Record<string, string>), ...more.headers },
    body,
  };
}

/** Whoever reads slowly is not hurried: only the time that a piece is waited for counts. */
function bodyOf(
  { body }: Response,
  timeoutMs: number,
  wanted: AbortSignal | undefined,
): ReadableStream<Uint8Array> | null {
  if (!body) return null;
  const reader = body.getReader();
  const leave = () => void reader.cancel().catch(() => {});
  wanted?.addEventListener("abort", leave, { once: true });
  const nextPiece = () =>
    withinTime(timeoutMs, wanted, (signal) => {
      const isLate = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
      return Promise.race([reader.read(), isLate]);
    });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await nextPiece();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
          leave();
        }
        wanted?.removeEventListener("abort", leave);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The address below which the API's paths are, without a slash at its end. */
export function apiRootOf(baseUrl: string): string {
  const text = baseUrl.trim();
  const isPath = /^\/(?![/\\])[^?#]*$/.test(text);
  if (!isPath && !isPlainWebAddress(text))
    throw new TypeError(
      "baseUrl must be an address such as https://mailvet.example.com, or a path such as /",
    );
  const root = text.replace(/\/+$/, "");
  return root.endsWith("/api/v1") ? root : `${root}/api/v1`;
}

function isPlainWebAddress(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

/** A key is checked here, because fetch would repeat a bad one in its complaint. */
function identityOf(apiKey: string | undefined) {
  if (apiKey === undefined) return { headers: {}, credentials: "same-origin" as const };
  const key = apiKey.trim();
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new TypeError("apiKey must be visible ASCII characters without spaces");
  return { headers: { "x-api-key": key }, credentials: "omit" as const };
}

function queryOf(query: Call["query"] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length > 0 ? `?${new URLSearchParams(given)}` : "";
}

/** Runs until it is done, takes too long, or the caller wants no more. The work may start its time again. */
async function withinTime<T>(
  timeoutMs: number,
  wanted: AbortSignal | undefined,
  work: (signal: AbortSignal, startAgain: () => void) => Promise<T>,
): Promise<T> {
  wanted?.throwIfAborted();
  const controller = new AbortController();
  const leave = () => controller.abort();
  let isLate = false;
  const start = () =>
    setTimeout(() => {
      isLate = true;
      leave();
    }, timeoutMs);
  let timer = start();
  wanted?.addEventListener("abort", leave, { once: true });
  try {
    return await work(controller.signal, () => {
      clearTimeout(timer);
      timer = start();
    });
  } catch (error) {
    wanted?.throwIfAborted();
    if (isLate) throw new MailvetUnreachable("timeout", `No answer within ${timeoutMs / 1000} s`);
    if (error instanceof MailvetProblem || error instanceof MailvetUnreachable) throw error;
    const why = causeOf(error);
    // Uploads have redirects refused by fetch itself, which says so in Node at least.
    if (/redirect/i.test(why))
      throw new MailvetUnreachable("redirected", "The service is at another address");
    throw new MailvetUnreachable("no_connection", `No connection: ${why}`, { cause: error });
  } finally {
    clearTimeout(timer);
    wanted?.removeEventListener("abort", leave);
  }
}

/** Node says "fetch failed" and hides the reason one level below; browsers have no more to say. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const below = error.cause as { code?: unknown; message?: unknown } | undefined;
  return String(below?.message || below?.code || error.message);
}
