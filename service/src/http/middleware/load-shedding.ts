/**
 * Load shedding: refuses new requests under overload, so that requests in flight finish in time.
 *
 * Bulk requests have their own lower limit, so that single checks get through, and each account gets a share of it. The
 * event loop must be delayed in several consecutive samples: a single late sample (a long GC) refuses nothing. Without
 * requests it is sampled less often: an idle process should not wake up.
 */
import { createConcurrencyLimit } from "../../base/concurrency-limit.ts";
import { Refusal } from "../../base/refusal.ts";
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
const IDLE_SAMPLE_EVERY_MS = 2_000;
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

  // The first sample is due at once and not counted, so that startup is not either.
  let isIdle = false;
  let dueAtMs = 0;
  let sampling = setTimeout(startSample, 0, SAMPLE_EVERY_MS).unref();

  function startSample(afterMs: number): void {
    dueAtMs = performance.now() + afterMs;
    sampling = setTimeout(sample, afterMs).unref();
  }

  function sample(): void {
    eventLoopDelayMs = Math.max(0, performance.now() - dueAtMs);
    lateSamples = eventLoopDelayMs > settings.maxEventLoopDelayMs ? lateSamples + 1 : 0;
    isIdle = inFlight === 0;
    startSample(isIdle ? IDLE_SAMPLE_EVERY_MS : SAMPLE_EVERY_MS);
  }

  /** Ends the long wait for the next sample, unless it is overdue. What the earlier samples have shown is kept. */
  function sampleOften(): void {
    isIdle = false;
    if (performance.now() >= dueAtMs) return;
    clearTimeout(sampling);
    startSample(SAMPLE_EVERY_MS);
  }

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
      if (isIdle) sampleOften();
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
    close: () => clearTimeout(sampling),
  };
}
