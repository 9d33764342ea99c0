/**
 * Limits how many operations run concurrently, per account and in total. Beyond the limit they are refused, not queued.
 */
import { Refusal } from "./refusal.ts";

export type ConcurrencyLimit = {
  /**
   * Refuses with `rate_limited` beyond the account's limit, with `overloaded` beyond the total. `limits` replaces those
   * of the options, where they depend on the caller. The result releases the slot; calling it twice has no effect.
   */
  acquire(accountId: string, limits?: Limits): () => void;
  readonly active: number;
};

export type Limits = {
  perAccount?: number;
  /** Operations of the account in other processes, which count against `perAccount`. */
  elsewhere?: number;
  total?: number;
};

export type ConcurrencyLimitOptions = Limits & {
  /** Plural noun of the operation, for the refusal: "uploads". */
  what: string;
  retryAfterSeconds?: number;
};

const RETRY_SECONDS = 5;

export function createConcurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimit {
  const { what, retryAfterSeconds = RETRY_SECONDS } = options;
  const activeOf = new Map<string, number>();
  let active = 0;
  return {
    acquire(accountId, { perAccount = options.perAccount, elsewhere = 0, total = options.total } = {}) {
      const ofAccount = activeOf.get(accountId) ?? 0;
      if (perAccount !== undefined && ofAccount + elsewhere >= perAccount) {
        const detail = `At most ${perAccount} concurrent ${what} are allowed per account.`;
        throw new Refusal("rate_limited", detail, { retryAfterSeconds });
      }
      if (total !== undefined && active >= total) {
        throw new Refusal("overloaded", `Too many concurrent ${what}.`, { retryAfterSeconds });
      }
      active++;
      activeOf.set(accountId, ofAccount + 1);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        active--;
        const left = activeOf.get(accountId)! - 1;
        if (left > 0) activeOf.set(accountId, left);
        else activeOf.delete(accountId);
      };
    },
    get active() {
      return active;
    },
  };
}
