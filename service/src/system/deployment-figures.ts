/**
 * Figures of the whole deployment for the metrics: tasks, dead letters, active jobs, throttled hosts.
 *
 * Read from the database at most every few seconds, however often the metrics are scraped. A scrape never fails and never
 * waits for long because of the database.
 */
import { abortable } from "@mailvet/embedded-postgres";
import { createCachedLookup } from "../base/cached-lookup.ts";
import type { Database } from "../db/database.ts";
import { createJobRate } from "../jobs/job-rate.ts";
import { countTasks, type QueueCounts } from "../queue/queue-depth.ts";

export type DeploymentFigures = {
  queues: QueueCounts[];
  /** Active jobs. */
  jobs: Record<"queued" | "processing" | "paused", number>;
  throttles: ThrottleCounts;
};

export type ThrottleCounts = { throttled: number; openBreakers: number };

export type DeploymentFigureDeps = {
  database: Pick<Database, "pool" | "check">;
  /** Of all processes (shared-throttle-report.ts), or of this one (throttle-report.ts). */
  countThrottles: () => ThrottleCounts | Promise<ThrottleCounts>;
};

const FRESH_MS = 5_000;
/** Below the default limit of a scrape, 10 seconds. */
const TIMEOUT_MS = 5_000;

/** Returns a function that resolves to undefined while the database does not respond or is not writable. */
export function createDeploymentFigures({
  database,
  countThrottles,
}: DeploymentFigureDeps): () => Promise<DeploymentFigures | undefined> {
  const { pool } = database;
  const jobRate = createJobRate(pool);

  const read = async (): Promise<DeploymentFigures> => {
    await database.check();
    const queues = await countTasks(pool);
    const { queued, processing, paused } = await jobRate.sample();
    return { queues, jobs: { queued, processing, paused }, throttles: await countThrottles() };
  };

  const figures = createCachedLookup({
    load: () => abortable(read(), AbortSignal.timeout(TIMEOUT_MS)).catch(() => undefined),
    max: 1,
    ttlMs: FRESH_MS,
  });
  return async () => figures.find("figures");
}
