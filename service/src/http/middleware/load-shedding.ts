/**
 * Load shedding: refuses new requests under overload, so that requests in flight finish in time.
 *
 * Bulk requests have their own lower limit, so that single checks get through, and each account gets a share of it. The
 * event loop must be delayed in several consecutive samples: a single late sample (a long GC) refuses nothing.
 */
import { createConcurrencyLimit } from "../../concurrency-limit.ts";
import { Refusal } from "../../refusal.ts";
import type { HttpSettings } from "../http-settings.ts";
import type { RequestLifetime } from "./request-lifetime.ts";

export type LoadShedding = {
  /** Refuses with `overloaded`; otherwise the request counts as in flight until its lifetime ends. */
  admit(lifetime: RequestLifetime): void;
  /** For a bulk request whose body has arrived. Refuses beyond the bulk limit, or the account's share of it. */
  admitBulk(lifetime: RequestLifetime, accountId: string): void;
  /** From now on every request is refused. */
  startClosing(): void;
  readonly isClosing: boolean;
  readonly inFlight: number;
  /** In the latest sample. */
  readonly eventLoopDelayMs: number;
  close(): void;
};

export type LoadSheddingSettings = Pick<
  HttpSettings,
  "maxConcurrentRequests" | "maxConcurrentBulk" | "maxEventLoopDelayMs" | "maxQueueDelayMs"
>;

const SAMPLE_EVERY_MS = 200;
const MIN_LATE_SAMPLES = 3;
const BULK_RETRY_SECONDS = 2;
const ACCOUNT_SHARE_OF_BULK = 1 / 4;

export function createLoadShedding(settings: LoadSheddingSettings): LoadShedding {
  let inFlight = 0;
  const bulk = createConcurrencyLimit({
    what: "bulk requests",
    perAccount: Math.max(1, Math.floor(settings.maxConcurrentBulk * ACCOUNT_SHARE_OF_BULK)),
    total: settings.maxConcurrentBulk,
    retryAfterSeconds: BULK_RETRY_SECONDS,
  });
  let isClosing = false;
  let lateSamples = 0;
  let eventLoopDelayMs = 0;

  // The first sample is measured from the first turn of the loop, so that startup does not count.
  let sampledAt: number | undefined;
  const sampling = setInterval(() => {
    const now = performance.now();
    eventLoopDelayMs = sampledAt === undefined ? 0 : Math.max(0, now - sampledAt - SAMPLE_EVERY_MS);
    sampledAt = now;
    lateSamples = eventLoopDelayMs > settings.maxEventLoopDelayMs ? lateSamples + 1 : 0;
  }, SAMPLE_EVERY_MS);
  sampling.unref();

  function refuse(detail: string, retryAfterSeconds: number): never {
    throw new Refusal("overloaded", detail, { retryAfterSeconds });
  }

  return {
    admit(lifetime) {
      if (isClosing) refuse("The server is shutting down.", 5);
      const queuedMs = performance.now() - lifetime.startedAtMs;
      if (lateSamples >= MIN_LATE_SAMPLES || queuedMs > settings.maxQueueDelayMs)
        refuse("The server is overloaded.", 2);
      if (inFlight >= settings.maxConcurrentRequests) refuse("Too many concurrent requests.", 1);
      inFlight++;
      lifetime.onEnd(() => inFlight--);
    },
    admitBulk: (lifetime, accountId) => lifetime.onEnd(bulk.acquire(accountId)),
    startClosing: () => {
      isClosing = true;
    },
    get isClosing() {
      return isClosing;
    },
    get inFlight() {
      return inFlight;
    },
    get eventLoopDelayMs() {
      return eventLoopDelayMs;
    },
    close: () => clearInterval(sampling),
  };
}
