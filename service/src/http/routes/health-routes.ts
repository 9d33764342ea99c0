/**
 * GET /health/live: the process runs and its event loop responds, whatever the state of its dependencies.
 * GET /health/ready: startup is complete and the database is usable, so traffic may be routed here.
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
};

export type HealthRouteDeps = Readiness & {
  isClosing(): boolean;
  /** Whether log lines are currently lost. */
  isLogDropping(): boolean;
};

const DATABASE_TIMEOUT_MS = 1_000;
const NO_RESPONSE = "The database does not respond.";

export const healthRoutes =
  ({ isStarted, checkDatabase, isClosing, isLogDropping }: HealthRouteDeps): FastifyPluginAsync =>
  async (app) => {
    // One query at a time, however many probes arrive: they must not pile up on a database that hangs.
    let checking: Promise<string | undefined> | undefined;
    const databaseProblem = () => {
      checking ??= checkDatabase()
        .then(
          () => undefined,
          (error) => (isDatabaseOverloaded(error) ? "The database is out of disk space." : NO_RESPONSE),
        )
        .finally(() => {
          checking = undefined;
        });
      return Promise.race([checking, wait(DATABASE_TIMEOUT_MS, NO_RESPONSE, { ref: false })]);
    };

    app.get("/health/live", async () => ({ status: "live" }));

    app.get("/health/ready", async () => {
      if (isClosing()) throw notReady("The server is shutting down.");
      if (!isStarted()) throw notReady("The server is still starting.");
      const problem = await databaseProblem();
      if (problem) throw notReady(problem);
      return { status: "ready", ...(isLogDropping() ? { log: "dropping" } : {}) };
    });
  };

function notReady(detail: string): Refusal {
  return new Refusal("overloaded", detail, { retryAfterSeconds: 1 });
}
