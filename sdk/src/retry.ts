/**
 * Asks again where that is safe and may help: after a failure of the network, when the service asks us to come
 * back later, and while our own first attempt is still being worked on there.
 *
 * Whether a request may be repeated at all is known to connection.ts, which makes it.
 */
import { MailvetProblem, MailvetUnreachable } from "./failure.ts";

export type Patience = {
  /** How often a request is sent again that had no proper answer. */
  failures: number;
  /** How often one is sent again that the service was too busy for. */
  refusals: number;
  /** How long to wait for an earlier attempt of ours to be finished. */
  inFlightMs: number;
};

export async function withRetries<T>(
  attempt: () => Promise<T>,
  patience: Patience,
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
      const times = count[kind]++;
      if (kind === "inFlight") inFlightSince ??= performance.now();
      const isOver =
        kind === "inFlight"
          ? performance.now() - inFlightSince! >= patience.inFlightMs
          : times >= patience[kind];
      const delayMs = delayBefore(times, (error as Failure).retryAfterSeconds ?? 0, Math.random());
      if (isOver || delayMs === undefined) throw error;
      await sleep(delayMs, signal);
    }
  }
}

type Failure = MailvetProblem | MailvetUnreachable;
type Kind = "failures" | "refusals" | "inFlight";

/** What proxies answer with while the service behind them restarts or is busy. */
const PASSING_STATUSES: readonly (number | undefined)[] = [429, 502, 503, 504];

function kindOf(error: unknown): Kind | undefined {
  if (error instanceof MailvetUnreachable) {
    const isPassing =
      error.reason === "no_connection" ||
      error.reason === "timeout" ||
      PASSING_STATUSES.includes(error.status);
    return isPassing ? "failures" : undefined;
  }
  if (!(error instanceof MailvetProblem)) return undefined;
  if (error.code === "idempotency_in_flight") return "inFlight";
  return error.status === 429 || error.status === 503 ? "refusals" : undefined;
}

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8_000;

/** When the service names a longer time than this, the caller is told instead of kept waiting. */
const LONGEST_RETRY_AFTER_SECONDS = 60;

/**
 * How long to wait before asking again: what the service asked for, and on top of it a time that doubles with every
 * try, of which chance takes up to a half, so that those who were turned away together do not come back together.
 */
export function delayBefore(times: number, retryAfterSeconds: number, chance: number): number | undefined {
  if (retryAfterSeconds > LONGEST_RETRY_AFTER_SECONDS) return undefined;
  const growingMs = Math.min(FIRST_DELAY_MS * 2 ** times, LONGEST_DELAY_MS);
  return retryAfterSeconds * 1000 + growingMs * (1 - chance / 2);
}

export function sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const leave = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", leave);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", leave, { once: true });
  });
}
