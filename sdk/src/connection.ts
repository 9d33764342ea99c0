/**
 * The way to one service: where it is, how we show who we are, how long we wait. Makes a request, repeats it where
 * that is safe, and hands back the answer or throws one of the two failures.
 */
import { type Answer, readAnswer } from "./answer.ts";
import { MailvetProblem, MailvetUnreachable } from "./failure.ts";
import { withRetries } from "./retry.ts";

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

export type Call = CallOptions & {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below /api/v1; parts that come from outside are encoded already. */
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: object;
  /** Makes a POST safe to repeat: the service does it once and gives the same answer again. */
  idempotencyKey?: string;
  /** Part of a long list, which would rather wait than end when the service is busy. */
  isPatient?: boolean;
};

export type Connection = <T>(call: Call) => Promise<Answer<T>>;

const DEFAULT_TIMEOUT_MS = 75_000;
const DEFAULT_RETRIES = 3;
/** A list comes back this many times as often as a single call before it gives up on a busy service. */
const LIST_PATIENCE = 10;
/** Timers cannot hold more. */
const LONGEST_TIMEOUT_MS = 2_147_483_647;

export function connect(options: ConnectionOptions): Connection {
  const root = apiRootOf(options.baseUrl);
  const identity = identityOf(options.apiKey);
  const send = options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init));
  const timeoutMs = Math.min(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, LONGEST_TIMEOUT_MS);
  const retries = options.retries ?? DEFAULT_RETRIES;

  return async <T>(call: Call): Promise<Answer<T>> => {
    const url = `${root}${call.path}${queryOf(call.query)}`;
    const headers: Record<string, string> = { accept: "application/json", ...identity.headers };
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
    const attempt = () =>
      withinTime(timeoutMs, call.signal, async (signal) =>
        readAnswer<T>(await send(url, { ...init, signal })),
      );
    const isSafeToRepeat = call.method === "GET" || call.idempotencyKey !== undefined;
    if (!isSafeToRepeat || retries === 0) return await attempt();
    const refusals = call.isPatient ? retries * LIST_PATIENCE : retries;
    return await withRetries(attempt, { failures: retries, refusals, inFlightMs: timeoutMs }, call.signal);
  };
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

/** Runs until it is done, takes too long, or the caller wants no more. */
async function withinTime<T>(
  timeoutMs: number,
  wanted: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  wanted?.throwIfAborted();
  const controller = new AbortController();
  const leave = () => controller.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    leave();
  }, timeoutMs);
  wanted?.addEventListener("abort", leave, { once: true });
  try {
    return await work(controller.signal);
  } catch (error) {
    wanted?.throwIfAborted();
    if (isLate) throw new MailvetUnreachable("timeout", `No answer within ${timeoutMs / 1000} s`);
    if (error instanceof MailvetProblem || error instanceof MailvetUnreachable) throw error;
    throw new MailvetUnreachable("no_connection", `No connection: ${causeOf(error)}`, { cause: error });
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
