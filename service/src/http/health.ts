/**
 * GET /health/live: the process runs and its event loop turns; says nothing about what it depends on.
 * GET /health/ready: it can do its work, so requests may be sent here.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyPluginAsync } from "fastify";
import { Refusal } from "../refusal.ts";

export type HealthRouteDeps = {
  isClosing(): boolean;
  /** Settles when the database has answered. */
  askDatabase(): Promise<unknown>;
  /** Whether log lines are lost at the moment. */
  isLogDropping(): boolean;
};

const DATABASE_PATIENCE_MS = 1_000;

export const healthRoutes =
  ({ isClosing, askDatabase, isLogDropping }: HealthRouteDeps): FastifyPluginAsync =>
  async (app) => {
    // However many look at once, one question is under way: a database that hangs must not collect them.
    let asking: Promise<boolean> | undefined;
    const databaseAnswers = () => {
      asking ??= askDatabase()
        .then(
          () => true,
          () => false,
        )
        .finally(() => {
          asking = undefined;
        });
      return Promise.race([asking, wait(DATABASE_PATIENCE_MS, false, { ref: false })]);
    };

    app.get("/health/live", async () => ({ status: "live" }));

    app.get("/health/ready", async () => {
      if (isClosing()) throw notReady("This server is being stopped.");
      if (!(await databaseAnswers())) throw notReady("The database does not answer.");
      return { status: "ready", ...(isLogDropping() ? { log: "dropping" } : {}) };
    });
  };

function notReady(why: string): Refusal {
  return new Refusal("overloaded", why, { retryAfterSeconds: 1 });
}
