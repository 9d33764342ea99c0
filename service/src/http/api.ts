/**
 * Everything under /api/v1: the checks that every request passes, then the routes.
 *
 * In this order: load shedding, authentication, rate limit, Accept header, origin (for sessions), authorisation.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from "fastify";
import { Type } from "typebox";
import type { Sessions } from "../accounts/sessions.ts";
import type { Caller } from "../base/caller.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Ledger } from "../credits/ledger.ts";
import type { VerdictCounts } from "../credits/verdict-counts.ts";
import type { RepeatedWrites } from "../db/repeated-writes.ts";
import type { IdempotentResponses } from "../idempotency/idempotent-responses.ts";
import type { ApiKeys } from "../keys/api-keys.ts";
import type { OperatorKeys } from "../keys/operator-keys.ts";
import type { HttpSettings } from "./http-settings.ts";
import { acceptsOneOf } from "./middleware/accept-header.ts";
import {
  type AuthenticationFailure,
  authenticationRefusal,
  authorise,
  createAuthenticate,
} from "./middleware/authenticate.ts";
import type { CredentialWatch } from "./middleware/credential-watch.ts";
import { sendCreditsHeader } from "./middleware/credits-header.ts";
import { honourIdempotencyKeys } from "./middleware/idempotency.ts";
import type { LoadShedding } from "./middleware/load-shedding.ts";
import type { RateLimits } from "./middleware/rate-limit.ts";
import { requireSameOrigin, requireSameOriginForSpending } from "./middleware/same-origin.ts";
import type { SessionCookie } from "./middleware/session-cookie.ts";
import { settleCharges } from "./middleware/settle-charges.ts";
import { sendNotFound } from "./not-found.ts";
import type { Access } from "./route-config.ts";
import { type RouteMethods, spendsCredits } from "./route-methods.ts";

export type ApiDeps = {
  settings: HttpSettings;
  apiKeys: Pick<ApiKeys, "recognise">;
  operatorKeys: Pick<OperatorKeys, "recognise">;
  sessions: Pick<Sessions, "find">;
  credentialWatch: CredentialWatch;
  cookie: SessionCookie;
  ledger: Pick<Ledger, "balanceOf" | "refund" | "refundWithin">;
  verdictCounts: Pick<VerdictCounts, "add">;
  repeatedWrites: Pick<RepeatedWrites, "write">;
  idempotentResponses: IdempotentResponses;
  log: Log;
  loadShedding: LoadShedding;
  rateLimits: RateLimits;
  routeMethods: RouteMethods;
  routes: readonly FastifyPluginAsyncTypebox[];
};

export const apiRoutes =
  (deps: ApiDeps): FastifyPluginAsyncTypebox =>
  async (api) => {
    requireAccessOnRoutes(api);
    refuseUnknownParameters(api);
    guardRequests(api, deps);
    limitBulkRequests(api, deps.loadShedding);
    // In this order when a response is sent: the header has the balance after a refund.
    honourIdempotencyKeys(api, deps);
    settleCharges(api, deps);
    sendCreditsHeader(api, deps.ledger.balanceOf);
    for (const routes of deps.routes) await api.register(routes);
  };

/** A route without `config.access` is a mistake, and fails at start. */
function requireAccessOnRoutes(api: FastifyInstance): void {
  api.addHook("onRoute", ({ method, url, config }) => {
    if (!config?.access) throw new Error(`${method} ${url} has no config.access.`);
  });
}

/** Query strings are as strict as bodies: a misspelt filter would return something else than was asked for. */
function refuseUnknownParameters(api: FastifyInstance): void {
  api.addHook("onRoute", (route) => {
    const schema = (route.schema ?? {}) as { querystring?: { additionalProperties?: boolean } };
    route.schema = { ...schema, querystring: schema.querystring ?? NO_PARAMETERS };
    if (schema.querystring && schema.querystring.additionalProperties !== false)
      throw new Error(`${route.method} ${route.url} accepts unknown query parameters.`);
  });
}

const NO_PARAMETERS = Type.Object({}, { additionalProperties: false });

function guardRequests(api: FastifyInstance, deps: ApiDeps): void {
  const { loadShedding, rateLimits, routeMethods, settings, apiKeys, sessions, cookie, credentialWatch } =
    deps;
  const authenticate = createAuthenticate({
    recogniseKey: (text) => apiKeys.recognise(text),
    recogniseOperatorKey: (text, ip) => deps.operatorKeys.recognise(text, ip),
    findSession: (token) => sessions.find(token),
    sessionTokenOf: (request) => cookie.read(request),
  });

  api.decorateRequest("caller", undefined);
  api.decorateRequest("onCredentialEnd", function (this: FastifyRequest, onEnd) {
    const { access = "open" } = this.routeOptions.config;
    const { accountId } = this.caller!;
    return credentialWatch.follow({ accountId, refusal: () => refusalOf(this, access) }, onEnd);
  });
  api.addHook("onRequest", (request, reply, done) => {
    const { access = "open" } = request.routeOptions.config;
    loadShedding.admit(request.lifetime);
    if (request.method === "HEAD" && spendsCredits(access)) return sendNotFound(routeMethods, request, reply);
    const { url: pattern } = request.routeOptions;
    if (pattern?.includes(":") && routeMethods.has(request.url.split("?", 1)[0]!))
      return sendNotFound(routeMethods, request, reply);
    if (access === "open") {
      rateLimits.admitAnonymous(request.ip, reply);
      requireAcceptable(request);
      return done();
    }
    const result = authenticate(request, access);
    if (result instanceof Promise) return result.then((awaited) => admit(awaited, access, request, reply));
    admit(result, access, request, reply);
    done();
  });

  /** Throws if the database is unavailable. */
  async function refusalOf(request: FastifyRequest, access: Access): Promise<Refusal | undefined> {
    if (access === "open") return undefined;
    const caller = await authenticate(request, access);
    if (typeof caller === "string") return authenticationRefusal(caller);
    try {
      authorise(caller, access);
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
    return undefined;
  }

  function admit(
    result: Caller | AuthenticationFailure,
    access: Exclude<Access, "open">,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (typeof result === "string") {
      // Counted after the lookup: counting before would lock out valid keys behind the same address.
      if (result === "invalid_key") rateLimits.countInvalidKey(request.ip, reply);
      else rateLimits.admitAnonymous(request.ip, reply);
      throw authenticationRefusal(result);
    }
    request.caller = result;
    rateLimits.admit(result, request.lifetime, reply);
    requireAcceptable(request);
    if (result.by.kind === "session") {
      const checkOrigin = spendsCredits(access) ? requireSameOriginForSpending : requireSameOrigin;
      checkOrigin(request, settings.publicUrl);
    }
    authorise(result, access);
  }
}

const JSON_ONLY: readonly string[] = ["application/json"];

function requireAcceptable({ headers, routeOptions, query }: FastifyRequest): void {
  const { produces = JSON_ONLY } = routeOptions.config;
  if (headers.accept === "application/json" && produces === JSON_ONLY) return; // the common case
  if (produces !== JSON_ONLY && (query as { format?: unknown }).format !== undefined) return; // explicit, so it wins
  if (acceptsOneOf(headers.accept, produces)) return;
  throw new Refusal(
    "not_acceptable",
    `The response is ${produces.join(" or ")}, which the Accept header excludes.`,
  );
}

/**
 * Bulk requests must leave room for single checks. Their slots are few, so one is acquired only after authentication and
 * once the body has arrived: a slow body holds none.
 */
function limitBulkRequests(api: FastifyInstance, loadShedding: LoadShedding): void {
  api.decorateRequest("acquireBulkSlot", function (this: FastifyRequest) {
    loadShedding.admitBulk(this.lifetime, this.caller!.accountId);
  });
  api.addHook("onRoute", (route) => {
    if (!route.config?.isBulk) return;
    const acquireSlot: preValidationHookHandler = (request, _reply, done) => {
      request.acquireBulkSlot();
      done();
    };
    route.preValidation = [acquireSlot, ...[route.preValidation ?? []].flat()];
  });
}
