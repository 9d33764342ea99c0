/**
 * Decides, as the answer is about to be written, whether what the request paid stands or is refunded.
 *
 * It stands when the client gets what it paid for: a success, and either a connection to write it to, or an
 * Idempotency-Key under which it was stored. From here to the socket nothing waits, so no client can read an answer
 * and have its charge refunded.
 */
import type { FastifyInstance } from "fastify";
import type { Ledger } from "../credits/ledger.ts";
import "./idempotency.ts";

export type ChargeOutcomeDeps = Pick<Ledger, "confirm" | "refund">;

/** For the routes of `app`, each of which says by `creditsRemaining` that it has charged. */
export function settleCharges(app: FastifyInstance, { confirm, refund }: ChargeOutcomeDeps): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    if (request.creditsRemaining !== undefined && !request.isTakenOver) {
      const chargeKey = request.onceKey ?? request.id;
      // Not writable: closed, or half closed, which Node answers by closing it. A stored answer is confirmed already.
      if (reply.statusCode >= 400 || !(request.isAnswerStored || request.socket.writable))
        refund({ accountId: request.caller!.accountId, chargeKey });
      else if (!request.isAnswerStored) confirm(chargeKey);
    }
    done(null, payload);
  });
}
