/** Settings of the HTTP server and their defaults. */
export type HttpSettings = {
  /** Public URL of the service, such as https://mailvet.example; decides cookie attributes and HSTS. */
  publicUrl: string | undefined;
  /** Addresses and ranges of proxies whose X-Forwarded-* headers are trusted. */
  trustedProxies: string[];
  /** Largest request body, unless the route has its own limit. */
  maxBodyBytes: number;
  /** Time for a client to send its headers, and its complete request. */
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** Time for a complete file upload, and longest time without a byte of it. */
  uploadTimeoutMs: number;
  uploadIdleTimeoutMs: number;
  /** How long an idle connection is kept open. */
  keepAliveTimeoutMs: number;
  /** Time for the responses of requests in flight when the server stops. */
  drainTimeoutMs: number;
  /** Requests per minute from one client network to routes without authentication. */
  anonymousRequestsPerMinute: number;
  /** Invalid API keys per minute from one client network. */
  invalidKeysPerMinute: number;
  /** Concurrent requests, and bulk requests among them; beyond that: 503. One account gets a quarter of the bulk ones. */
  maxConcurrentRequests: number;
  maxConcurrentBulk: number;
  /** A request that was queued longer is refused: the client may have given up by then. */
  maxQueueDelayMs: number;
  /** While the event loop is delayed by more than this, new requests are refused. */
  maxEventLoopDelayMs: number;
  /** Successful requests logged per second; refusals and failures are always logged. */
  loggedSuccessesPerSecond: number;
  /** Bearer token of /metrics. Without it, and without a public URL, /metrics is open to this machine. */
  metricsToken: string | undefined;
};

/**
 * Connections waiting to be accepted. Beyond that the kernel drops them, and the client sees seconds of silence or a
 * reset. Linux caps this at net.core.somaxconn (4096 by default).
 */
export const LISTEN_BACKLOG = 4_096;

export const HTTP_DEFAULTS: HttpSettings = {
  publicUrl: undefined,
  trustedProxies: [],
  maxBodyBytes: 16 * 1024,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  uploadTimeoutMs: 15 * 60_000,
  uploadIdleTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000, // longer than the idle timeout of common load balancers, so that they close first
  drainTimeoutMs: 7_000,
  anonymousRequestsPerMinute: 120,
  invalidKeysPerMinute: 30,
  maxConcurrentRequests: 2_000,
  maxConcurrentBulk: 16,
  maxQueueDelayMs: 2_000,
  maxEventLoopDelayMs: 1_000,
  loggedSuccessesPerSecond: 100,
  metricsToken: undefined,
};
