/**
 * Figures of the whole deployment for the metrics: tasks, dead letters, active jobs, throttled hosts, egress identities.
 *
 * Read from the database at most every few seconds, however often the metrics are scraped. A scrape never fails and never
 * waits for long because of the database.
 */

import type { HostPace, ProviderState } from "@mailvet/contract";
import { abortable } from "@mailvet/embedded-postgres";
import type { EgressIdentity } from "@mailvet/engine";
import type pg from "pg";
import { createCachedLookup } from "../base/cached-lookup.ts";
import type { Database } from "../db/database.ts";
import { createJobRate } from "../jobs/job-rate.ts";
import { countSessionsToday } from "../pacing/session-gates.ts";
import { countTasks, type QueueCounts } from "../queue/queue-depth.ts";
import { listedIdentities } from "./egress-watch.ts";
import { providerStates } from "./provider-states.ts";

export type DeploymentFigures = {
  queues: QueueCounts[];
  /** Active jobs. */
  jobs: Record<"queued" | "processing" | "paused", number>;
  identities: IdentityFigures[];
  /** Those that refuse or slow down, and blocklists. */
  providers: ProviderState[];
};

export type ThrottleCounts = { identity: string; throttled: number; openBreakers: number };

/** Of one egress identity. */
export type IdentityFigures = ThrottleCounts & {
  /** Undefined where sessions are not counted. */
  sessionsToday: number | undefined;
  sessionsPerDay: number | undefined;
};

export type DeploymentFigureDeps = {
  database: Pick<Database, "pool" | "orm" | "check">;
  /** Of all processes (shared-throttle-report.ts), or of this one (throttle-report.ts). */
  countThrottles: () => ThrottleCounts[] | Promise<ThrottleCounts[]>;
  listThrottles: () => HostPace[] | Promise<HostPace[]>;
  identities: readonly EgressIdentity[];
};

const FRESH_MS = 5_000;
/** Below the default limit of a scrape, 10 seconds. */
const TIMEOUT_MS = 5_000;

/** Returns a function that resolves to undefined while the database does not respond or is not writable. */
export function createDeploymentFigures({
  database,
  countThrottles,
  listThrottles,
  identities,
}: DeploymentFigureDeps): () => Promise<DeploymentFigures | undefined> {
  const { pool } = database;
  const jobRate = createJobRate(pool);

  const read = async (): Promise<DeploymentFigures> => {
    await database.check();
    const queues = await countTasks(pool);
    const { queued, processing, paused } = await jobRate.sample();
    const figures = await identityFigures({ pool, countThrottles, identities });
    const providers = [...(await listedIdentities(database)), ...providerStates(await listThrottles())];
    return { queues, jobs: { queued, processing, paused }, identities: figures, providers };
  };

  const figures = createCachedLookup({
    load: () => abortable(read(), AbortSignal.timeout(TIMEOUT_MS)).catch(() => undefined),
    max: 1,
    ttlMs: FRESH_MS,
  });
  return async () => figures.find("figures");
}

/** In the order of `identities`. */
export async function identityFigures({
  pool,
  countThrottles,
  identities,
}: Omit<DeploymentFigureDeps, "database" | "listThrottles"> & { pool: Pick<pg.Pool, "query"> }): Promise<
  IdentityFigures[]
> {
  const isCounted = identities.some((identity) => identity.isCounted);
  const sessions = isCounted ? await countSessionsToday(pool) : new Map<string, number>();
  const throttles = new Map((await countThrottles()).map((counts) => [counts.identity, counts]));
  return identities.map(({ name, isCounted, sessionsPerDay }) => {
    const { throttled = 0, openBreakers = 0 } = throttles.get(name) ?? {};
    const asked = isCounted ? (sessions.get(name) ?? 0) : undefined;
    const sessionsToday = asked && Math.min(asked, sessionsPerDay ?? asked);
    return { identity: name, throttled, openBreakers, sessionsToday, sessionsPerDay };
  });
}
