/**
 * Everything under /api/v1: the door that each request passes, then the routes.
 *
 * At the door, in this order: is there room, who asks, how often, is the answer's form wanted, and may they.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from "fastify";
import type { Sessions } from "../accounts/sessions.ts";
import type { Caller } from "../caller.ts";
import type { IdempotentResponses } from "../idempotency/idempotent-responses.ts";
import type { ApiKeys } from "../keys/api-keys.ts";
import type { Log } from "../log.ts";
import { Refusal } from "../refusal.ts";
import type { HttpSettings } from "./http-settings.ts";
import { acceptsOneOf } from "./middleware/accept-header.ts";
import {
  authorise,
  createAuthenticate,
  refuseUnauthenticated,
  type UnauthenticatedCaller,
} from "./middleware/authenticate.ts";
import { type BalanceOf, showCredits } from "./middleware/credits-header.ts";
import { type ConfirmCharge, honourIdempotencyKeys } from "./middleware/idempotency.ts";
import type { LoadShedding } from "./middleware/load-shedding.ts";
import type { RateLimits } from "./middleware/rate-limit.ts";
import { requireOwnPage, requireSameOrigin } from "./middleware/same-origin.ts";
import type { SessionCookie } from "./middleware/session-cookie.ts";
import { answerNotFound } from "./not-found.ts";
import type { Access } from "./route-config.ts";
import { type RouteMethods, spendsCredits } from "./route-methods.ts";

export type ApiDeps = {
  settings: HttpSettings;
  keyring: Pick<ApiKeys, "recognise">;
  sessions: Pick<Sessions, "find">;
  cookie: SessionCookie;
  balanceOf: BalanceOf;
  idempotentResponses: IdempotentResponses;
  confirmCharge: ConfirmCharge;
  log: Log;
  load: LoadShedding;
  limits: RateLimits;
  methods: RouteMethods;
  routes: readonly FastifyPluginAsyncTypebox[];
};

export const apiRoutes =
  (deps: ApiDeps): FastifyPluginAsyncTypebox =>
  async (api) => {
    refuseUnguardedRoutes(api);
    watchTheDoor(api, deps);
    limitBulk(api, deps.load);
    showCredits(api, deps.balanceOf);
    honourIdempotencyKeys(api, deps);
    api.setNotFoundHandler((request, reply) => answerNotFound(deps.methods, request, reply));
    for (const routes of deps.routes) await api.register(routes);
  };

/** A route that does not say who may come in is a mistake, and is found at start. */
function refuseUnguardedRoutes(api: FastifyInstance): void {
  api.addHook("onRoute", ({ method, url, config }) => {
    if (!config?.access) throw new Error(`${method} ${url} does not say who may use it (config.access).`);
  });
}

function watchTheDoor(api: FastifyInstance, deps: ApiDeps): void {
  const { load, limits, methods, settings, keyring, sessions, cookie } = deps;
  const authenticate = createAuthenticate({
    recogniseKey: (text) => keyring.recognise(text),
    findSession: (token) => sessions.find(token),
    sessionTokenOf: (request) => cookie.read(request),
  });

  api.decorateRequest("caller", undefined);
  api.addHook("onRequest", (request, reply, done) => {
    const { access = "open" } = request.routeOptions.config; // a path that is not there is open to everybody
    load.admit(request.visit);
    if (request.method === "HEAD" && spendsCredits(access)) return answerNotFound(methods, request, reply);
    if (access === "open") {
      limits.admitStranger(request.ip, reply);
      requireWanted(request);
      return done();
    }
    const who = authenticate(request, access);
    if (who instanceof Promise) return who.then((one) => letIn(one, access, request, reply));
    letIn(who, access, request, reply);
    done();
  });

  function letIn(
    who: Caller | UnauthenticatedCaller,
    access: Exclude<Access, "open">,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (typeof who === "string") {
      // A wrong key counts after it was looked up: counting before would lock out those who share the address.
      if (who === "wrong_key") limits.countWrongKey(request.ip, reply);
      else limits.admitStranger(request.ip, reply);
      throw refuseUnauthenticated(who);
    }
    request.caller = who;
    limits.admit(who, request.visit, reply);
    requireWanted(request);
    if (who.by.kind === "session") {
      const requireOurs = spendsCredits(access) ? requireOwnPage : requireSameOrigin;
      requireOurs(request, settings.publicUrl);
    }
    authorise(who, access);
  }
}

const JSON_ONLY: readonly string[] = ["application/json"];

function requireWanted({ headers, routeOptions }: FastifyRequest): void {
  const { produces = JSON_ONLY } = routeOptions.config;
  if (headers.accept === "application/json" && produces === JSON_ONLY) return; // as most programs say it
  if (acceptsOneOf(headers.accept, produces)) return;
  const form = produces === JSON_ONLY ? "in JSON" : `as ${produces.join(" or ")}`;
  throw new Refusal("not_acceptable", `This is answered ${form}; the Accept header rules that out.`);
}

/**
 * Work on many addresses must leave room for single checks. Its places are few, so one is taken by somebody known and
 * when the body is here: a body that trickles in holds none.
 */
function limitBulk(api: FastifyInstance, load: LoadShedding): void {
  api.addHook("onRoute", (route) => {
    if (!route.config?.isBulk) return;
    const takePlace: preValidationHookHandler = (request, _reply, done) => {
      load.admitBulk(request.visit, request.caller!.accountId);
      done();
    };
    route.preValidation = [takePlace, ...[route.preValidation ?? []].flat()];
  });
}
