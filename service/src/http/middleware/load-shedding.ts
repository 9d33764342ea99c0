/**
 * Turns new work away while there is too much of it, so that what was begun is finished in time.
 *
 * Bulk requests have a limit of their own, well below the whole, so that single checks get through, and each account
 * gets only a part of that, so that no one takes it all. An event loop that is late once is a hiccup; only when it stays
 * late is new work refused.
 */
import { Refusal } from "../../refusal.ts";
import type { RequestLifetime } from "./request-lifetime.ts";

export type LoadShedding = {
  /** Refuses with `overloaded`; otherwise the request counts until its visit is over. */
  admit(visit: RequestLifetime): void;
  /** A request of many addresses, once it has arrived. Refuses when these places are taken, or the account's share. */
  admitBulk(visit: RequestLifetime, accountId: string): void;
  /** From now on nothing new is begun. */
  startClosing(): void;
  readonly isClosing: boolean;
  readonly underWay: number;
  /** How late the event loop lately was. */
  readonly eventLoopDelayMs: number;
  close(): void;
};

export type LoadSettings = {
  maxRequestsAtOnce: number;
  maxBulkAtOnce: number;
  maxEventLoopDelayMs: number;
  maxWaitMs: number;
};

const SAMPLE_EVERY_MS = 200;
const LATE_SAMPLES_IN_A_ROW = 3;
const BULK_RETRY_SECONDS = 2;
const ACCOUNTS_SHARE_OF_BULK = 1 / 4;

export function createLoadShedding(settings: LoadSettings): LoadShedding {
  let underWay = 0;
  let bulkUnderWay = 0;
  const bulkOfAccount = new Map<string, number>();
  const mostBulkOfAccount = Math.max(1, Math.floor(settings.maxBulkAtOnce * ACCOUNTS_SHARE_OF_BULK));
  let isClosing = false;
  let lateInARow = 0;
  let eventLoopDelayMs = 0;

  // The first sample is measured from the first turn of the loop: whatever blocked before that was the start.
  let sampledAt: number | undefined;
  const sampling = setInterval(() => {
    const now = performance.now();
    eventLoopDelayMs = sampledAt === undefined ? 0 : Math.max(0, now - sampledAt - SAMPLE_EVERY_MS);
    sampledAt = now;
    lateInARow = eventLoopDelayMs > settings.maxEventLoopDelayMs ? lateInARow + 1 : 0;
  }, SAMPLE_EVERY_MS);
  sampling.unref();

  function refuse(why: string, retryAfterSeconds: number): never {
    throw new Refusal("overloaded", why, { retryAfterSeconds });
  }

  return {
    admit(visit) {
      if (isClosing) refuse("This server is being stopped.", 5);
      if (lateInARow >= LATE_SAMPLES_IN_A_ROW) refuse("There is more work than can be done in time.", 2);
      if (performance.now() - visit.startedAt > settings.maxWaitMs)
        refuse("There is more work than can be done in time.", 2);
      if (underWay >= settings.maxRequestsAtOnce) refuse("Too many requests are under way.", 1);
      underWay++;
      visit.onOver(() => underWay--);
    },
    admitBulk(visit, accountId) {
      const ofAccount = bulkOfAccount.get(accountId) ?? 0;
      if (ofAccount >= mostBulkOfAccount) {
        const why = `At most ${mostBulkOfAccount} bulk requests of one account may be under way at once.`;
        throw new Refusal("rate_limited", why, { retryAfterSeconds: BULK_RETRY_SECONDS });
      }
      if (bulkUnderWay >= settings.maxBulkAtOnce)
        refuse("Too many bulk requests are under way.", BULK_RETRY_SECONDS);
      bulkUnderWay++;
      bulkOfAccount.set(accountId, ofAccount + 1);
      visit.onOver(() => {
        bulkUnderWay--;
        const left = (bulkOfAccount.get(accountId) ?? 1) - 1;
        if (left > 0) bulkOfAccount.set(accountId, left);
        else bulkOfAccount.delete(accountId);
      });
    },
    startClosing: () => {
      isClosing = true;
    },
    get isClosing() {
      return isClosing;
    },
    get underWay() {
      return underWay;
    },
    get eventLoopDelayMs() {
      return eventLoopDelayMs;
    },
    close: () => clearInterval(sampling),
  };
}
