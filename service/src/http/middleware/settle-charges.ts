/**
 * Decides, as the answer is about to be written, whether what the request paid stands or is refunded.
 *
 * It stands when the client gets what it paid for: a success, and either a connection to write it to, or an
 * Idempotency-Key under which it was stored. From here to the socket nothing waits, so no client can read an answer
 * and have its charge refunded.
 */
import type { FastifyInstance } from "fastify";
import type { Ledger } from "../../credits/ledger.ts";
import "./idempotency.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What follows when the client gets its answer. */
    onDelivered: (() => void) | undefined;
  }
}

export type ChargeOutcomeDeps = Pick<Ledger, "confirm" | "refund">;

/** For the routes of `app`, each of which says by `creditsRemaining` that it has charged. */
export function settleCharges(app: FastifyInstance, { confirm, refund }: ChargeOutcomeDeps): void {
  app.decorateRequest("onDelivered", undefined);
  app.addHook("onSend", (request, reply, payload, done) => {
    if (!request.hasLostKey) {
      const isCharged = request.creditsRemaining !== undefined;
      const chargeKey = request.idempotencyKey ?? request.id;
      // Not writable: closed, or half closed, which Node answers by closing it.
      const isDelivered = reply.statusCode < 400 && (request.isAnswerStored || request.socket.writable);
      if (!isDelivered && isCharged) refund({ accountId: request.caller!.accountId, chargeKey });
      // With a stored answer it is confirmed already.
      if (isDelivered && isCharged && !request.isAnswerStored) confirm(chargeKey);
      if (isDelivered) request.onDelivered?.();
    }
    done(null, payload);
  });
}
