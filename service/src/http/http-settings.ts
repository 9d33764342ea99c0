/** What the operator may set about the HTTP side, and what holds when nothing is said. */
export type HttpSettings = {
  /** Where the service is reached from outside, such as https://mailvet.example; decides cookies and HSTS. */
  publicUrl: string | undefined;
  /** Whose X-Forwarded-* headers are believed: addresses and ranges of proxies. */
  trustedProxies: string[];
  /** Largest request body where a route does not say otherwise. */
  maxBodyBytes: number;
  /** How long a client may take to send its headers, and its whole request. */
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** How long a file may take to arrive, and how long nothing of it may come. */
  uploadTimeoutMs: number;
  uploadSilenceMs: number;
  /** How long an idle connection is kept for the next request. */
  keepAliveMs: number;
  /** Requests per minute from one address to what is open to everybody. */
  openRequestsPerMinute: number;
  /** Wrong API keys per minute from one address. */
  wrongKeysPerMinute: number;
  /** Requests under way at once, and among them the bulk ones; beyond that: 503. One account gets a quarter of these. */
  maxRequestsAtOnce: number;
  maxBulkAtOnce: number;
  /** A request that has waited this long for its turn is refused: the client may have given up by then. */
  maxWaitMs: number;
  /** When the event loop is late by this much for a while, new work is turned away. */
  maxEventLoopDelayMs: number;
  /** Log lines for successes per second; refusals and failures are always logged. */
  loggedSuccessesPerSecond: number;
  /** Opens /metrics to whoever sends it as a bearer token; without it and a public address this machine may look. */
  metricsToken: string | undefined;
};

/**
 * Connections that may wait to be accepted. Beyond that the kernel drops them, and clients that came at once hear nothing
 * for seconds, or a reset. Linux takes no more than net.core.somaxconn (4096 by default).
 */
export const LISTEN_BACKLOG = 4_096;

export const HTTP_DEFAULTS: HttpSettings = {
  publicUrl: undefined,
  trustedProxies: [],
  maxBodyBytes: 16 * 1024,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  uploadTimeoutMs: 15 * 60_000,
  uploadSilenceMs: 30_000,
  keepAliveMs: 72_000, // longer than the idle time of common load balancers, so that they hang up first
  openRequestsPerMinute: 120,
  wrongKeysPerMinute: 30,
  maxRequestsAtOnce: 2_000,
  maxBulkAtOnce: 16,
  maxWaitMs: 2_000,
  maxEventLoopDelayMs: 1_000,
  loggedSuccessesPerSecond: 100,
  metricsToken: undefined,
};
