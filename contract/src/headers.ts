/** Names of the HTTP headers that are part of the contract. */
export const HEADERS = {
  apiKey: "x-api-key",
  requestId: "x-request-id",
  creditsRemaining: "x-credits-remaining",
  totalCount: "x-total-count",
  /** The job still runs: some rows have no verdict yet. Then also how many unique emails have one, and how many not. */
  partial: "x-partial",
  settled: "x-settled",
  pending: "x-pending",
  idempotencyKey: "idempotency-key",
  rateLimit: "ratelimit",
  rateLimitPolicy: "ratelimit-policy",
  retryAfter: "retry-after",
  /** Live or test mode of a session. An API key has its own mode. */
  mode: "x-mailvet-mode",
} as const;

/** Path prefix of version 1 of the API. */
export const API_PREFIX = "/api/v1";
