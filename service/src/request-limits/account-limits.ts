/**
 * Request limits of accounts: requests per minute and concurrent requests, for all keys and sessions of an account.
 *
 * Requests are admitted from memory. Where several API processes share a database, each reports its use in the
 * background, and takes over what the others have used (usage-exchange.ts).
 */
import { createConcurrencyLimit } from "../base/concurrency-limit.ts";
import { type TakeResult, TokenBuckets } from "./token-buckets.ts";
import type { UsageExchange } from "./usage-exchange.ts";

export type AccountLimits = {
  /** Counts one request. */
  take(accountId: string, perMinute: number): TakeResult;
  /** Counts a request in progress until the result is called; refuses with `rate_limited` beyond `concurrent`. */
  begin(accountId: string, concurrent: number): () => void;
};

const MAX_ACCOUNTS = 100_000;

/** `exchange` is for several API processes on one database; without it this process is the only one. */
export function createAccountLimits(exchange?: UsageExchange): AccountLimits {
  const buckets = new TokenBuckets(MAX_ACCOUNTS);
  const inProgress = createConcurrencyLimit({ what: "requests", retryAfterSeconds: 1 });
  exchange?.start(({ accountId, tokens }) => buckets.fill(accountId, tokens, performance.now()));
  return {
    take(accountId, perMinute) {
      const taken = buckets.take(accountId, perMinute, performance.now());
      if (taken.isGranted) exchange?.countRequest(accountId, perMinute);
      return taken;
    },
    begin(accountId, concurrent) {
      const elsewhere = exchange?.inProgressElsewhere(accountId) ?? 0;
      const release = inProgress.acquire(accountId, { perAccount: concurrent, elsewhere });
      if (!exchange) return release;
      exchange.countInProgress(accountId, 1, concurrent);
      return () => {
        release();
        exchange.countInProgress(accountId, -1, concurrent);
      };
    },
  };
}
