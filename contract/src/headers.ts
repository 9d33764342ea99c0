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
  /** Live or test mode of a session. An API key has its own mode. */
  mode: "x-mailvet-mode",
} as const;

/** Path prefix of version 1 of the API. */
export const API_PREFIX = "/api/v1";
