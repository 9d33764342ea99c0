/** A limited number of places for what takes long, in all and for each account. */
import { Refusal } from "./refusal.ts";

export type ConcurrencyLimit = {
  /** Refuses when there is none left. What is given back is for leaving; leaving twice changes nothing. */
  take(accountId: string): () => void;
};

export type ConcurrencyLimitOptions = {
  /** What they are for, in the plural. */
  what: string;
  perAccount: number;
  inAll: number;
};

const RETRY_SECONDS = 5;

export function createConcurrencyLimit({
  what,
  perAccount,
  inAll,
}: ConcurrencyLimitOptions): ConcurrencyLimit {
  const takenBy = new Map<string, number>();
  let taken = 0;
  return {
    take(accountId) {
      const own = takenBy.get(accountId) ?? 0;
      if (own >= perAccount) {
        throw new Refusal(
          "rate_limited",
          `At most ${perAccount} ${what} of one account may be open at once.`,
          {
            retryAfterSeconds: RETRY_SECONDS,
          },
        );
      }
      if (taken >= inAll) {
        throw new Refusal("overloaded", `Too many ${what} are open.`, { retryAfterSeconds: RETRY_SECONDS });
      }
      taken++;
      takenBy.set(accountId, own + 1);
      let hasLeft = false;
      return () => {
        if (hasLeft) return;
        hasLeft = true;
        taken--;
        const left = (takenBy.get(accountId) ?? 1) - 1;
        if (left > 0) takenBy.set(accountId, left);
        else takenBy.delete(accountId);
      };
    },
  };
}
