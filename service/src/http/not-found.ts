/** 404 for unknown paths, 405 with Allow for known paths with other methods, 204 for OPTIONS. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../base/refusal.ts";
import type { RouteMethods } from "./route-methods.ts";

export function sendNotFound(
  methods: Pick<RouteMethods, "at">,
  { method, url }: FastifyRequest,
  reply: FastifyReply,
) {
  const { refusal, allow } = missingRoute(methods, method, url);
  if (allow) reply.header("allow", allow);
  if (allow && method === "OPTIONS") return reply.code(204).send();
  throw refusal;
}

/** The refusal of a request without a route; `allow` when its path has routes with other methods. */
export function missingRoute(
  methods: Pick<RouteMethods, "at">,
  method: string,
  url: string,
): { refusal: Refusal; allow?: string } {
  const path = url.split("?", 1)[0] ?? "";
  const allowed = methods.at(path);
  if (!allowed || (allowed.includes(method) && method !== "OPTIONS")) {
    const detail = `${method} ${path.slice(0, MAX_QUOTED_PATH)} does not exist.`;
    return { refusal: new Refusal("not_found", detail) };
  }
  const allow = allowed.join(", ");
  return {
    refusal: new Refusal("method_not_allowed", `${method} is not allowed here. Allowed: ${allow}.`),
    allow,
  };
}

const MAX_QUOTED_PATH = 200;
