/**
 * GET /health/live: the process runs and its event loop responds, whatever the state of its dependencies.
 * GET /health/ready: startup is complete and the database is usable, so traffic may be routed here. A blob store that is down
 * is reported but does not change the status: only lists need it, and a proxy would also stop single checks.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyPluginAsync } from "fastify";
import { Refusal } from "../../base/refusal.ts";
import { isDatabaseOverloaded } from "../../db/database.ts";

/** Provided by assembly.ts. */
export type Readiness = {
  /** Startup is complete: migrations, the operator's account and key, workers. */
  isStarted(): boolean;
  /** Resolves when the database responds and is writable (db/database.ts). */
  checkDatabase(): Promise<unknown>;
  /** Resolves when the blob store responds and is the right one (blobs/claimed-store.ts). */
  checkBlobs(): Promise<unknown>;
};

export type HealthRouteDeps = Readiness & {
  isClosing(): boolean;
  /** Whether log lines are currently lost. */
  isLogDropping(): boolean;
};

const TIMEOUT_MS = 1_000;
/** A request to an object storage costs money and a round trip, so that its answer is used for a while. */
const BLOBS_CHECKED_EVERY_MS = 5_000;

export const healthRoutes =
  ({ isStarted, checkDatabase, checkBlobs, isClosing, isLogDropping }: HealthRouteDeps): FastifyPluginAsync =>
  async (app) => {
    const databaseProblem = createProbe({
      check: checkDatabase,
      noResponse: "The database does not respond.",
      problemOf: (error) => (isDatabaseOverloaded(error) ? "The database is out of disk space." : undefined),
    });
    const blobsProblem = createProbe({
      check: checkBlobs,
      noResponse: "The blob store does not respond.",
      keptMs: BLOBS_CHECKED_EVERY_MS,
    });

    app.get("/health/live", async () => ({ status: "live" }));

    app.get("/health/ready", async () => {
      if (isClosing()) throw notReady("The server is shutting down.");
      if (!isStarted()) throw notReady("The server is still starting.");
      const problem = await databaseProblem();
      if (problem) throw notReady(problem);
      const isWithoutBlobs = (await blobsProblem()) !== undefined;
      return {
        status: "ready",
        ...(isWithoutBlobs ? { blobs: "unavailable" } : {}),
        ...(isLogDropping() ? { log: "dropping" } : {}),
      };
    });
  };

type ProbeOptions = {
  check(): Promise<unknown>;
  noResponse: string;
  /** A more specific text for an error. */
  problemOf?(error: unknown): string | undefined;
  /** How long an answer is used. */
  keptMs?: number;
};

/**
 * What is wrong with a dependency, if anything. One check at a time, however many requests arrive: they must not pile up on a
 * dependency that hangs.
 */
function createProbe({ check, noResponse, problemOf, keptMs = 0 }: ProbeOptions) {
  let answer: Promise<string | undefined> | undefined;
  let answeredAtMs: number | undefined;
  return (): Promise<string | undefined> => {
    if (answeredAtMs !== undefined && performance.now() - answeredAtMs >= keptMs) answer = undefined;
    if (answer === undefined) {
      answeredAtMs = undefined;
      answer = check()
        .then(
          () => undefined,
          (error) => problemOf?.(error) ?? noResponse,
        )
        .finally(() => {
          answeredAtMs = performance.now();
        });
    }
    return Promise.race([answer, wait(TIMEOUT_MS, noResponse, { ref: false })]);
  };
}

function notReady(detail: string): Refusal {
  return new Refusal("overloaded", detail, { retryAfterSeconds: 1 });
}
