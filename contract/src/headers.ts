/** Names of the HTTP headers that are part of the contract. */
export const HEADERS = {
  apiKey: "x-api-key",
  requestId: "x-request-id",
  creditsRemaining: "x-credits-remaining",
  totalCount: "x-total-count",
  idempotencyKey: "idempotency-key",
  rateLimit: "ratelimit",
  rateLimitPolicy: "ratelimit-policy",
  retryAfter: "retry-after",
} as const;

/** Path prefix of version 1 of the API. */
export const API_PREFIX = "/api/v1";
