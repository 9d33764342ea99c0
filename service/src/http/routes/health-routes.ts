/**
 * GET /health/live: the process runs and its event loop turns; says nothing about what it depends on.
 * GET /health/ready: the start is complete and it can do its work, so requests may be sent here.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyPluginAsync } from "fastify";
import { isDatabaseOverloaded } from "../../db/database.ts";
import { Refusal } from "../../refusal.ts";

/** What the rest of the service knows about being ready. */
export type Readiness = {
  /** Whether everything that a start promises is there: tables, the operator's account and key, workers. */
  isStarted(): boolean;
  /** Resolves when the database has answered and can be written (db/database.ts). */
  checkDatabase(): Promise<unknown>;
};

export type HealthRouteDeps = Readiness & {
  isClosing(): boolean;
  /** Whether log lines are lost at the moment. */
  isLogDropping(): boolean;
};

const DATABASE_PATIENCE_MS = 1_000;
const NO_ANSWER = "The database does not answer.";

export const healthRoutes =
  ({ isStarted, checkDatabase, isClosing, isLogDropping }: HealthRouteDeps): FastifyPluginAsync =>
  async (app) => {
    // However many look at once, one question is under way: a database that hangs must not collect them.
    let asking: Promise<string | undefined> | undefined;
    const databaseTrouble = () => {
      asking ??= checkDatabase()
        .then(
          () => undefined,
          (error) => (isDatabaseOverloaded(error) ? "The database has no room left on its disk." : NO_ANSWER),
        )
        .finally(() => {
          asking = undefined;
        });
      return Promise.race([asking, wait(DATABASE_PATIENCE_MS, NO_ANSWER, { ref: false })]);
    };

    app.get("/health/live", async () => ({ status: "live" }));

    app.get("/health/ready", async () => {
      if (isClosing()) throw notReady("This server is being stopped.");
      if (!isStarted()) throw notReady("This server is still starting.");
      const trouble = await databaseTrouble();
      if (trouble) throw notReady(trouble);
      return { status: "ready", ...(isLogDropping() ? { log: "dropping" } : {}) };
    });
  };

function notReady(why: string): Refusal {
  return new Refusal("overloaded", why, { retryAfterSeconds: 1 });
}
