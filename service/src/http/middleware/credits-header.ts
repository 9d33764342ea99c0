/** X-Credits-Remaining on every response to an authenticated caller. */
import { HEADERS } from "@mailvet/contract";
import { entriesUpTo } from "@mailvet/engine";
import type { FastifyInstance } from "fastify";
import { LRUCache } from "lru-cache";
import type { Caller } from "../../base/caller.ts";

export type BalanceOf = (accountId: string) => Promise<{ balance: number }>;

/** Requests with a test key never change the balance, so a slightly old one is good enough for them. */
const TEST_KEY_TTL_MS = 1_000;
const MAX_CACHED = 10_000;

/** From the route when it has read the balance; otherwise read here, except for 429 and 5xx. */
export function sendCreditsHeader(api: FastifyInstance, balanceOf: BalanceOf): void {
  const cache = new LRUCache<string, number>({ ...entriesUpTo(MAX_CACHED), ttl: TEST_KEY_TTL_MS });
  api.decorateRequest("creditsRemaining", undefined);

  async function read({ accountId }: Caller): Promise<number> {
    const { balance } = await balanceOf(accountId);
    cache.set(accountId, balance);
    return balance;
  }

  api.addHook("onSend", (request, reply, payload, done) => {
    const { caller } = request;
    // A rate-limited or failed request must not cause a database query.
    if (!caller || reply.statusCode === 429 || reply.statusCode >= 500) return done(null, payload);
    const known = request.creditsRemaining ?? (caller.isTest ? cache.get(caller.accountId) : undefined);
    if (known !== undefined) {
      reply.header(HEADERS.creditsRemaining, known);
      return done(null, payload);
    }
    read(caller)
      .then((balance) => {
        reply.header(HEADERS.creditsRemaining, balance); // not returned: a reply is thenable and resolves only when sent
      })
      .catch(() => {}) // the response is valid without it
      .finally(() => done(null, payload));
  });
}
