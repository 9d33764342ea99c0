/** 404 for unknown paths, 405 with Allow for known paths with other methods, 204 for OPTIONS. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../refusal.ts";
import type { RouteMethods } from "./route-methods.ts";

export function sendNotFound(methods: RouteMethods, request: FastifyRequest, reply: FastifyReply) {
  const path = request.url.split("?", 1)[0] ?? "";
  const allowed = methods.at(path);
  if (!allowed || (allowed.includes(request.method) && request.method !== "OPTIONS")) {
    throw new Refusal("not_found", `${request.method} ${path.slice(0, MAX_QUOTED_PATH)} does not exist.`);
  }
  reply.header("allow", allowed.join(", "));
  if (request.method === "OPTIONS") return reply.code(204).send();
  throw new Refusal(
    "method_not_allowed",
    `${request.method} is not allowed here. Allowed: ${allowed.join(", ")}.`,
  );
}

const MAX_QUOTED_PATH = 200;
