/** X-Credits-Remaining on every response to an authenticated caller. */
import { HEADERS } from "@mailvet/contract";
import type { FastifyInstance } from "fastify";
import { TEST_CREDITS } from "../../credits/test-credits.ts";

export type BalanceOf = (accountId: string) => Promise<{ balance: number }>;

/** From the route when it has read the balance; otherwise read here, except for 429 and 5xx. In test mode simulated. */
export function sendCreditsHeader(api: FastifyInstance, balanceOf: BalanceOf): void {
  api.decorateRequest("creditsRemaining", undefined);

  api.addHook("onSend", (request, reply, payload, done) => {
    const { caller, charge, creditsRemaining } = request;
    // A rate-limited or failed request must not cause a database query.
    if (!caller || reply.statusCode === 429 || reply.statusCode >= 500) return done(null, payload);
    const known = caller.isTest ? TEST_CREDITS.balance : (charge?.balance ?? creditsRemaining);
    if (known !== undefined) {
      reply.header(HEADERS.creditsRemaining, known);
      return done(null, payload);
    }
    balanceOf(caller.accountId)
      .then(({ balance }) => {
        reply.header(HEADERS.creditsRemaining, balance); // not returned: a reply is thenable and resolves only when sent
      })
      .catch(() => {}) // the response is valid without it
      .finally(() => done(null, payload));
  });
}
