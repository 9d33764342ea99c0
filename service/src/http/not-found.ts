/** What is said about a path that is not there, or one that has other methods. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../refusal.ts";
import type { RouteMethods } from "./route-methods.ts";

export function answerNotFound(methods: RouteMethods, request: FastifyRequest, reply: FastifyReply) {
  const path = request.url.split("?", 1)[0] ?? "";
  const allowed = methods.at(path);
  if (!allowed || (allowed.includes(request.method) && request.method !== "OPTIONS")) {
    throw new Refusal("not_found", `${request.method} ${path.slice(0, MAX_QUOTED)} is not part of this API.`);
  }
  reply.header("allow", allowed.join(", "));
  if (request.method === "OPTIONS") return reply.code(204).send();
  throw new Refusal(
    "method_not_allowed",
    `${request.method} is not supported here, only ${allowed.join(", ")}.`,
  );
}

const MAX_QUOTED = 200;
