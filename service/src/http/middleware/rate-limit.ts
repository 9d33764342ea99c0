/**
 * How often anybody may ask: a key or a session by its plan, a stranger by where it comes from.
 *
 * Every answer says where one stands, in the fields of draft-ietf-httpapi-ratelimit-headers.
 */
import { HEADERS } from "@mailvet/contract";
import type { FastifyReply } from "fastify";
import { networkOf } from "../../accounts/client-network.ts";
import { PLAN_LIMITS } from "../../accounts/plans.ts";
import type { Caller } from "../../caller.ts";
import { Refusal } from "../../refusal.ts";
import type { RequestLifetime } from "./request-lifetime.ts";
import { TokenBuckets } from "./token-buckets.ts";

export type RateLimits = {
  /** One request of a known caller, who must not have too many under way either. */
  admit(caller: Caller, visit: RequestLifetime, reply: FastifyReply): void;
  /** One request of somebody unknown. */
  admitStranger(ip: string, reply: FastifyReply): void;
  /** One wrong key. */
  countWrongKey(ip: string, reply: FastifyReply): void;
};

export type RateLimitSettings = { openRequestsPerMinute: number; wrongKeysPerMinute: number };

const MAX_CALLERS = 100_000;
const MAX_NETWORKS = 100_000;

export function createRateLimits(settings: RateLimitSettings): RateLimits {
  const callers = new TokenBuckets(MAX_CALLERS);
  const strangers = new TokenBuckets(MAX_NETWORKS); // apart, so that no crowd of strangers makes us forget a caller
  const wrongKeys = new TokenBuckets(MAX_NETWORKS);
  const underWay = new Map<string, number>();

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
      throw new Refusal("rate_limited", `At most ${perMinute} requests per minute are allowed here.`, {
        retryAfterSeconds: taken.nextInSeconds,
      });
    }
  }

  function enter({ accountId, plan }: Caller, visit: RequestLifetime): void {
    const limit = PLAN_LIMITS[plan].concurrent_requests;
    const count = underWay.get(accountId) ?? 0;
    if (count >= limit) {
      throw new Refusal("rate_limited", `At most ${limit} requests at once are allowed on this plan.`, {
        retryAfterSeconds: 1,
      });
    }
    underWay.set(accountId, count + 1);
    visit.onOver(() => {
      const left = (underWay.get(accountId) ?? 1) - 1;
      if (left > 0) underWay.set(accountId, left);
      else underWay.delete(accountId);
    });
  }

  return {
    admit(caller, visit, reply) {
      const subject = caller.by.kind === "key" ? caller.by.keyId : caller.accountId;
      take(callers, subject, "plan", PLAN_LIMITS[caller.plan].requests_per_minute, reply);
      enter(caller, visit);
    },
    admitStranger(ip, reply) {
      take(strangers, networkOf(ip), "address", settings.openRequestsPerMinute, reply);
    },
    countWrongKey(ip, reply) {
      take(wrongKeys, networkOf(ip), "wrong-keys", settings.wrongKeysPerMinute, reply);
    },
  };
}
