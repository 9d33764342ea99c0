/** The authenticated caller of a request, as the audit log records it. */
import type { FastifyRequest } from "fastify";
import type { Actor } from "../audit/audit-writer.ts";
import { isForOperator } from "./route-config.ts";

export function actorOf({ caller, ip, routeOptions }: FastifyRequest): Actor {
  const isOperator = isForOperator(routeOptions.config.access);
  return { accountId: caller?.accountId, by: caller?.by, ip, isOperator };
}
