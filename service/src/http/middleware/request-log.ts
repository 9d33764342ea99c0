/**
 * Logs one event per request when it ends: route, status, duration, account.
 *
 * Never bodies or addresses. Refusals and failures are always logged; successes up to a rate, and the next event says in
 * `left_out` how many were not logged.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "../../base/log.ts";

export type RequestLog = (request: FastifyRequest, reply: FastifyReply, isAborted: boolean) => void;

export function createRequestLog(log: Pick<Log, "event">, loggedSuccessesPerSecond: number): RequestLog {
  let second = 0;
  let successes = 0;
  let leftOut = 0;

  function isWithinRate(): boolean {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      second = now;
      successes = 0;
    }
    if (successes++ < loggedSuccessesPerSecond) return true;
    leftOut++;
    return false;
  }

  return (request, reply, isAborted) => {
    const status = reply.statusCode;
    if (!isAborted && status < 400 && !isWithinRate()) return;
    const { caller } = request;
    const fields = {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url, // the pattern: paths and queries can contain addresses
      status: isAborted ? undefined : status,
      ms: Math.round((performance.now() - request.lifetime.startedAtMs) * 10) / 10,
      account_id: caller?.accountId,
      key_id: caller && "keyId" in caller.by ? caller.by.keyId : undefined,
      left_out: leftOut || undefined,
    };
    leftOut = 0;
    log.event(isAborted ? "request_aborted" : "request_completed", fields);
  };
}
