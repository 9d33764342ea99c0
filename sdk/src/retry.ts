/**
 * Retries a request after a network failure, when the service is busy, and while an earlier attempt with the same
 * idempotency key is still in progress.
 *
 * transport.ts decides whether a request is safe to retry at all.
 */
import { MailvetProblem, MailvetUnreachable } from "./errors.ts";

export type RetryLimits = {
  /** Retries after a missing or invalid response. */
  failures: number;
  /** Retries after 429 and 503. */
  refusals: number;
  /** How long to wait for an earlier attempt to finish. */
  inFlightMs: number;
};

export async function withRetries<T>(
  attempt: () => Promise<T>,
  limits: RetryLimits,
  signal: AbortSignal | undefined,
): Promise<T> {
  const count = { failures: 0, refusals: 0, inFlight: 0 };
  let inFlightSince: number | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const kind = kindOf(error);
      if (!kind) throw error;
      const retries = count[kind]++;
      if (kind === "inFlight") inFlightSince ??= performance.now();
      const isOver =
        kind === "inFlight"
          ? performance.now() - inFlightSince! >= limits.inFlightMs
          : retries >= limits[kind];
      const delayMs = delayBefore(retries, (error as Failure).retryAfterSeconds ?? 0, Math.random());
      if (isOver || delayMs === undefined) throw error;
      await sleep(delayMs, signal);
    }
  }
}

type Failure = MailvetProblem | MailvetUnreachable;
type Kind = "failures" | "refusals" | "inFlight";

/** Sent by proxies while the service restarts or is busy. */
const TRANSIENT_STATUSES: readonly (number | undefined)[] = [429, 502, 503, 504];

function kindOf(error: unknown): Kind | undefined {
  if (error instanceof MailvetUnreachable) {
    const isTransient =
      error.reason === "no_connection" ||
      error.reason === "timeout" ||
      TRANSIENT_STATUSES.includes(error.status);
    return isTransient ? "failures" : undefined;
  }
  if (!(error instanceof MailvetProblem)) return undefined;
  if (error.code === "idempotency_in_flight") return "inFlight";
  return error.status === 429 || error.status === 503 ? "refusals" : undefined;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;

/** Above this Retry-After, the error is thrown instead of waiting. */
const MAX_RETRY_AFTER_SECONDS = 60;

/**
 * Delay before a retry: Retry-After plus exponential back-off with up to 50 % jitter, so that clients rejected together
 * do not return together. Undefined when Retry-After is too long to wait.
 */
export function delayBefore(retries: number, retryAfterSeconds: number, random: number): number | undefined {
  if (retryAfterSeconds > MAX_RETRY_AFTER_SECONDS) return undefined;
  const growingMs = Math.min(FIRST_DELAY_MS * 2 ** retries, MAX_DELAY_MS);
  return retryAfterSeconds * 1000 + growingMs * (1 - random / 2);
}

export function sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/**
 * A random Idempotency-Key: requests with the same key are executed and charged once.
 *
 * Not crypto.randomUUID, which browsers provide only in secure contexts: pages served over plain http lack it.
 */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
