/**
 * Decides what of a request's charge is returned, when its response is about to be written: everything if it failed or no client
 * can read it, otherwise what is returned by policy (credits/refund-policy.ts). Verdicts that are delivered are counted.
 *
 * With an Idempotency-Key that is decided with the key (idempotency.ts), whose response can be read later.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Ledger } from "../../credits/ledger.ts";
import { RequestCharge } from "../../credits/request-charge.ts";
import type { VerdictCounts } from "../../credits/verdict-counts.ts";
import type { RepeatedWrites } from "../../db/repeated-writes.ts";
import "./idempotency.ts";

declare module "fastify" {
  interface FastifyRequest {
    charge: RequestCharge | undefined;
    /** Called when the client gets its response. */
    onDelivered: (() => void) | undefined;
  }
}

export type SettleChargesDeps = {
  ledger: Pick<Ledger, "refund">;
  verdictCounts: Pick<VerdictCounts, "add">;
  repeatedWrites: Pick<RepeatedWrites, "write">;
};

export function settleCharges(
  api: FastifyInstance,
  { ledger, verdictCounts, repeatedWrites }: SettleChargesDeps,
): void {
  api.decorateRequest("charge", undefined);
  api.decorateRequest("onDelivered", undefined);
  api.addHook("onSend", (request, reply, payload, done) => {
    const { charge, socket, isResponseStored, isRefused, hasLostLease } = request;
    if (hasLostLease) return done(null, payload);
    // Not writable: closed, or half-closed by the client, to which Node reacts by closing.
    const isDelivered = reply.statusCode < 400 && !isRefused && (isResponseStored || socket.writable);
    if (isDelivered) {
      request.onDelivered?.();
      if (charge?.counts) verdictCounts.add(charge.accountId, charge.keyId, charge.counts);
    }
    if (!charge || charge.isSettled) return done(null, payload);
    charge.isSettled = true;
    const what = isDelivered ? "returned" : "all";
    if (charge.amountOf(what) === 0) return done(null, payload);
    const refunded = repeatedWrites.write(() => ledger.refund(charge, what));
    if (reply.statusCode >= 500) return done(null, payload);
    refunded.finally(() => done(null, payload)); // the balance in the header is that after the refund
  });
}

/** For a route that charges. */
export function chargeOf(request: FastifyRequest): RequestCharge {
  request.charge = new RequestCharge(request.caller!, request.id, request.idempotencyKey);
  return request.charge;
}
