/** X-Credits-Remaining on every answer to a known caller. */
import { HEADERS } from "@mailvet/contract";
import type { FastifyInstance } from "fastify";
import { LRUCache } from "lru-cache";
import type { Caller } from "../../caller.ts";

export type BalanceOf = (accountId: string) => Promise<{ balance: number }>;

/** A test key never changes the balance, so it may hear one that is a moment old. */
const TOLD_TEST_KEYS_MS = 1_000;
const MAX_REMEMBERED = 10_000;

/** The route's own word where it has one; otherwise the balance is read, unless there is trouble already. */
export function showCredits(api: FastifyInstance, balanceOf: BalanceOf): void {
  const remembered = new LRUCache<string, number>({ max: MAX_REMEMBERED, ttl: TOLD_TEST_KEYS_MS });
  api.decorateRequest("creditsRemaining", undefined);

  async function read({ accountId }: Caller): Promise<number> {
    const { balance } = await balanceOf(accountId);
    remembered.set(accountId, balance);
    return balance;
  }

  api.addHook("onSend", (request, reply, payload, done) => {
    const { caller } = request;
    // Whoever asks too often, or while we struggle, does not get a question to the database out of it.
    if (!caller || reply.statusCode === 429 || reply.statusCode >= 500) return done(null, payload);
    const known = request.creditsRemaining ?? (isTest(caller) ? remembered.get(caller.accountId) : undefined);
    if (known !== undefined) {
      reply.header(HEADERS.creditsRemaining, known);
      return done(null, payload);
    }
    read(caller)
      .then((balance) => {
        reply.header(HEADERS.creditsRemaining, balance); // not returned: a reply can be awaited, until it is sent
      })
      .catch(() => {}) // the answer stands without it
      .finally(() => done(null, payload));
  });
}

function isTest({ by }: Caller): boolean {
  return by.kind === "key" && by.isTest;
}
