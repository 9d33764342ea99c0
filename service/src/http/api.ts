/**
 * Everything under /api/v1: the door that each request passes, then the routes.
 *
 * At the door, in this order: is there room, who asks, how often, is JSON wanted, and may they.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Sessions } from "../accounts/sessions.ts";
import type { Keyring } from "../keys/keyring.ts";
import type { Log } from "../log.ts";
import { Refusal } from "../refusal.ts";
import { acceptsJson } from "./accept.ts";
import { authorise, createAuthenticate, refuseStranger } from "./authenticate.ts";
import { type BalanceOf, showCredits } from "./credits-header.ts";
import { answerElsewhere } from "./elsewhere.ts";
import type { HttpSettings } from "./http-settings.ts";
import { honourIdempotencyKeys } from "./idempotency.ts";
import type { IdempotentAnswers } from "./idempotent-answers.ts";
import type { Load } from "./load.ts";
import { requireSameOrigin } from "./origin.ts";
import { createRateLimits } from "./rate-limit.ts";
import { type RouteMethods, spendsCredits } from "./route-methods.ts";
import type { SessionCookie } from "./session-cookie.ts";

export type ApiDeps = {
  settings: HttpSettings;
  keyring: Pick<Keyring, "recognise">;
  sessions: Pick<Sessions, "find">;
  cookie: SessionCookie;
  balanceOf: BalanceOf;
  answers: IdempotentAnswers;
  log: Log;
  load: Load;
  methods: RouteMethods;
  routes: readonly FastifyPluginAsyncTypebox[];
};

export const apiRoutes =
  (deps: ApiDeps): FastifyPluginAsyncTypebox =>
  async (api) => {
    refuseUnguardedRoutes(api);
    watchTheDoor(api, deps);
    showCredits(api, deps.balanceOf);
    honourIdempotencyKeys(api, deps.answers, deps.log);
    api.setNotFoundHandler((request, reply) => answerElsewhere(deps.methods, request, reply));
    for (const routes of deps.routes) await api.register(routes);
  };

/** A route that does not say who may come in is a mistake, and is found at start. */
function refuseUnguardedRoutes(api: FastifyInstance): void {
  api.addHook("onRoute", ({ method, url, config }) => {
    if (!config?.access) throw new Error(`${method} ${url} does not say who may use it (config.access).`);
  });
}

function watchTheDoor(api: FastifyInstance, deps: ApiDeps): void {
  const { load, methods, settings, keyring, sessions, cookie } = deps;
  const limits = createRateLimits(settings);
  const authenticate = createAuthenticate({
    recogniseKey: (text) => keyring.recognise(text),
    findSession: (token) => sessions.find(token),
    sessionTokenOf: (request) => cookie.read(request),
  });

  api.decorateRequest("caller", undefined);
  api.addHook("onRequest", async (request: FastifyRequest, reply: FastifyReply) => {
    const { access = "open" } = request.routeOptions.config; // a path that is not there is open to everybody
    load.admit(request.visit, isBulk(request));
    if (request.method === "HEAD" && spendsCredits(access)) return answerElsewhere(methods, request, reply);
    if (access === "open") {
      limits.admitStranger(request.ip, reply);
      return requireJsonWanted(request);
    }
    const who = await authenticate(request, access);
    if (typeof who === "string") {
      // A wrong key counts after it was looked up: counting before would lock out those who share the address.
      if (who === "wrong_key") limits.countWrongKey(request.ip, reply);
      else limits.admitStranger(request.ip, reply);
      throw refuseStranger(who);
    }
    request.caller = who;
    limits.admit(who, request.visit, reply);
    requireJsonWanted(request);
    // A link on another page must not spend credits either, although following it is a GET.
    const method = spendsCredits(access) ? "POST" : request.method;
    if (who.by.kind === "session")
      requireSameOrigin({ method, headers: request.headers }, settings.publicUrl);
    authorise(who, access);
  });
}

function requireJsonWanted({ headers }: FastifyRequest): void {
  if (acceptsJson(headers.accept)) return;
  throw new Refusal("not_acceptable", "This API answers in JSON; the Accept header rules that out.");
}

/** Work on many addresses, which must leave room for single checks. */
function isBulk({ method, routeOptions: { config } }: FastifyRequest): boolean {
  return method === "POST" && typeof config.access === "object" && config.access.scope === "bulk";
}
