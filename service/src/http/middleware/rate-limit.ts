/**
 * Rate limits: an authenticated caller by the plan of its account, an anonymous client by its network.
 *
 * Every response carries RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers).
 */
import { HEADERS } from "@mailvet/contract";
import type { FastifyReply } from "fastify";
import { PLAN_LIMITS } from "../../accounts/plans.ts";
import type { Caller } from "../../base/caller.ts";
import { networkOf } from "../../base/client-network.ts";
import { Refusal } from "../../base/refusal.ts";
import type { AccountLimits } from "../../request-limits/account-limits.ts";
import { type TakeResult, TokenBuckets } from "../../request-limits/token-buckets.ts";
import type { HttpSettings } from "../http-settings.ts";
import type { RequestLifetime } from "./request-lifetime.ts";

export type RateLimits = {
  /** Counts one request of an authenticated caller, whose concurrent requests are limited too. */
  admit(caller: Caller, lifetime: RequestLifetime, reply: FastifyReply): void;
  /** Counts one request without authentication. */
  admitAnonymous(ip: string, reply: FastifyReply): void;
  /** Counts one invalid API key. */
  countInvalidKey(ip: string, reply: FastifyReply): void;
};

export type RateLimitSettings = Pick<HttpSettings, "anonymousRequestsPerMinute" | "invalidKeysPerMinute">;

const MAX_NETWORKS = 100_000;

export function createRateLimits(settings: RateLimitSettings, accountLimits: AccountLimits): RateLimits {
  const anonymous = new TokenBuckets(MAX_NETWORKS);
  const invalidKeys = new TokenBuckets(MAX_NETWORKS);

  function enforce(taken: TakeResult, policy: string, perMinute: number, reply: FastifyReply) {
    reply.header(HEADERS.rateLimitPolicy, `"${policy}";q=${perMinute};w=60`);
    reply.header(HEADERS.rateLimit, `"${policy}";r=${taken.remaining};t=${taken.fullInSeconds}`);
    if (!taken.isGranted) {
      throw new Refusal("rate_limited", `At most ${perMinute} requests per minute are allowed.`, {
        retryAfterSeconds: taken.nextInSeconds,
      });
    }
  }

  return {
    admit(caller, lifetime, reply) {
      const { requests_per_minute: perMinute, concurrent_requests: concurrent } = PLAN_LIMITS[caller.plan];
      enforce(accountLimits.take(caller.accountId, perMinute), "plan", perMinute, reply);
      lifetime.onEnd(accountLimits.begin(caller.accountId, concurrent));
    },
    admitAnonymous(ip, reply) {
      const perMinute = settings.anonymousRequestsPerMinute;
      enforce(anonymous.take(networkOf(ip), perMinute, performance.now()), "address", perMinute, reply);
    },
    countInvalidKey(ip, reply) {
      const perMinute = settings.invalidKeysPerMinute;
      enforce(invalidKeys.take(networkOf(ip), perMinute, performance.now()), "wrong-keys", perMinute, reply);
    },
  };
}
