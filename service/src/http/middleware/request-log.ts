/**
 * One line per request, when it is over: which, how it ended, how long it took, and for whom.
 *
 * Never what was sent or answered, nor the address that was asked for. Refusals and failures are always written; of
 * successes only so many per second, and the next line says how many were left out.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "../../log.ts";

export type RequestLog = (request: FastifyRequest, reply: FastifyReply, isAborted: boolean) => void;

export function createRequestLog(log: Log, loggedSuccessesPerSecond: number): RequestLog {
  let second = 0;
  let successes = 0;
  let leftOut = 0;

  function isWorthALine(): boolean {
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
    if (!isAborted && status < 400 && !isWorthALine()) return;
    const { caller } = request;
    const line = {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url, // the pattern, because paths and queries can hold addresses
      status: isAborted ? undefined : status,
      ms: Math.round((performance.now() - request.visit.startedAt) * 10) / 10,
      account_id: caller?.accountId,
      key_id: caller?.by.kind === "key" ? caller.by.keyId : undefined,
      left_out: leftOut || undefined,
    };
    leftOut = 0;
    log.write.info(line, isAborted ? "aborted" : "answered");
  };
}
