/**
 * Rate limits: an authenticated caller by its plan, an anonymous client by its network.
 *
 * Every response carries RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers).
 */
import { HEADERS } from "@mailvet/contract";
import type { FastifyReply } from "fastify";
import { networkOf } from "../../accounts/client-network.ts";
import { PLAN_LIMITS } from "../../accounts/plans.ts";
import type { Caller } from "../../caller.ts";
import { createConcurrencyLimit } from "../../concurrency-limit.ts";
import { Refusal } from "../../refusal.ts";
import type { HttpSettings } from "../http-settings.ts";
import type { RequestLifetime } from "./request-lifetime.ts";
import { TokenBuckets } from "./token-buckets.ts";

export type RateLimits = {
  /** Counts one request of an authenticated caller, whose concurrent requests are limited too. */
  admit(caller: Caller, lifetime: RequestLifetime, reply: FastifyReply): void;
  /** Counts one request without authentication. */
  admitAnonymous(ip: string, reply: FastifyReply): void;
  /** Counts one invalid API key. */
  countInvalidKey(ip: string, reply: FastifyReply): void;
};

export type RateLimitSettings = Pick<HttpSettings, "anonymousRequestsPerMinute" | "invalidKeysPerMinute">;

const MAX_CALLERS = 100_000;
const MAX_NETWORKS = 100_000;

export function createRateLimits(settings: RateLimitSettings): RateLimits {
  const callers = new TokenBuckets(MAX_CALLERS);
  const anonymous = new TokenBuckets(MAX_NETWORKS); // separate: many networks must not evict the callers' buckets
  const invalidKeys = new TokenBuckets(MAX_NETWORKS);
  const concurrent = createConcurrencyLimit({ what: "requests", retryAfterSeconds: 1 });

  function take(
    buckets: TokenBuckets,
    subject: string,
    policy: string,
    perMinute: number,
    reply: FastifyReply,
  ) {
    const taken = buckets.take(subject, perMinute, performance.now());
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
      const subject = caller.by.kind === "key" ? caller.by.keyId : caller.accountId;
      const { requests_per_minute: perMinute, concurrent_requests: perAccount } = PLAN_LIMITS[caller.plan];
      take(callers, subject, "plan", perMinute, reply);
      lifetime.onEnd(concurrent.acquire(caller.accountId, { perAccount }));
    },
    admitAnonymous(ip, reply) {
      take(anonymous, networkOf(ip), "address", settings.anonymousRequestsPerMinute, reply);
    },
    countInvalidKey(ip, reply) {
      take(invalidKeys, networkOf(ip), "wrong-keys", settings.invalidKeysPerMinute, reply);
    },
  };
}
