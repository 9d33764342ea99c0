/**
 * Confirms or refunds the charge of a request when its response is about to be written.
 *
 * Confirmed when the client gets the result: a success, and either a writable connection, or an Idempotency-Key under
 * which the response was stored. There is no await between here and the socket, so a client cannot read a response
 * whose charge is refunded.
 */
import type { FastifyInstance } from "fastify";
import type { Ledger } from "../../credits/ledger.ts";
import "./idempotency.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Called when the client gets its response. */
    onDelivered: (() => void) | undefined;
  }
}

export type SettleChargesDeps = Pick<Ledger, "confirm" | "refund">;

/** For the routes of `app`; a route that has charged sets `creditsRemaining`. */
export function settleCharges(app: FastifyInstance, { confirm, refund }: SettleChargesDeps): void {
  app.decorateRequest("onDelivered", undefined);
  app.addHook("onSend", (request, reply, payload, done) => {
    if (!request.hasLostLease) {
      const isCharged = request.creditsRemaining !== undefined;
      const chargeKey = request.idempotencyKey ?? request.id;
      // Not writable: closed, or half-closed by the client, to which Node reacts by closing.
      const isDelivered = reply.statusCode < 400 && (request.isResponseStored || request.socket.writable);
      if (!isDelivered && isCharged) refund({ accountId: request.caller!.accountId, chargeKey });
      // A stored response has confirmed it already.
      if (isDelivered && isCharged && !request.isResponseStored) confirm(chargeKey);
      if (isDelivered) request.onDelivered?.();
    }
    done(null, payload);
  });
}
