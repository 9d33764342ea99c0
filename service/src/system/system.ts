/**
 * State of the installation for the operator: processes, queue, jobs, throttling, diagnostics.
 *
 * The tables are read at most once a second, however many requests there are.
 */
import {
  type DoctorReport,
  type EgressIdentityStatus,
  type HostPace,
  MAX_PACES_SHOWN,
  type SystemAdjudicator,
  type System as SystemReport,
} from "@mailvet/contract";
import { type Doctor, type EgressIdentity, originOf } from "@mailvet/engine";
import type { Adjudicator, AdjudicatorReport } from "../adjudication/adjudicator.ts";
import { createCachedLookup } from "../base/cached-lookup.ts";
import type { Database } from "../db/database.ts";
import { createJobRate } from "../jobs/job-rate.ts";
import type { ProcessRegistry } from "../queue/process-registry.ts";
import { queueDepth } from "../queue/queue-depth.ts";
import { type DeploymentFigureDeps, type IdentityFigures, identityFigures } from "./deployment-figures.ts";
import { createDoctorCache } from "./doctor-cache.ts";
import { listedIdentities } from "./egress-watch.ts";
import type { ListRefresh } from "./list-refresh.ts";
import { providerStates } from "./provider-states.ts";

export type SystemReporter = {
  report(): Promise<SystemReport>;
  /** Takes up to half a minute. Repeated soon after, it returns the same report. */
  runDoctor(): Promise<DoctorReport>;
  /** Ends running diagnostics with the findings so far. */
  close(): void;
};

export type SystemDeps = {
  database: Pick<Database, "pool" | "orm">;
  processes: Pick<ProcessRegistry, "list">;
  openDoctor: () => Doctor;
  /** Throttled hosts, the worst first: of all processes (shared-throttle-report.ts), or of this one (throttle-report.ts). */
  listThrottles: () => HostPace[] | Promise<HostPace[]>;
  countThrottles: DeploymentFigureDeps["countThrottles"];
  /** The egress identities of the deployment. */
  identities: readonly EgressIdentity[];
  /** Whether the last connection of an identity in this process failed on our own side. */
  isIdentityDown(name: string): boolean;
  /** Undefined when none is configured. */
  adjudicator: Pick<Adjudicator, "report"> | undefined;
  lists: Pick<ListRefresh, "report">;
  version: string;
  storage: SystemReport["storage"];
};

const FRESH_MS = 1000;
/** The only key of the cache. */
const REPORT = "report";
/** Frequent restarts leave many registrations behind until they expire. */
const MAX_PROCESSES = 200;

export function createSystem(deps: SystemDeps): SystemReporter {
  const { database, processes, listThrottles, adjudicator, lists, version, storage } = deps;
  const { pool } = database;
  const jobRate = createJobRate(pool);
  const doctor = createDoctorCache(deps.openDoctor);

  const identityStatus = async (pacing: readonly HostPace[]): Promise<EgressIdentityStatus[]> => {
    const figures = await identityFigures({ pool, ...deps });
    return deps.identities.map((identity, index) =>
      presentIdentity(identity, figures[index]!, pacing, deps.isIdentityDown(identity.name)),
    );
  };

  const readReport = async (): Promise<SystemReport> => {
    const pacing = await listThrottles();
    return {
      ...(await basics()),
      pacing: pacing.slice(0, MAX_PACES_SHOWN),
      providers: [...(await listedIdentities(database)), ...providerStates(pacing)],
      identities: await identityStatus(pacing),
    };
  };

  const basics = async (): Promise<Omit<SystemReport, "pacing" | "providers" | "identities">> => ({
    version,
    storage,
    database_bytes: await databaseBytes(),
    processes: (await processes.list()).slice(0, MAX_PROCESSES).map((one) => ({
      id: one.id,
      role: one.role,
      host: one.host,
      pid: one.pid,
      started_at: one.startedAt.toISOString(),
      beat_at: one.beatAt.toISOString(),
    })),
    queue: await queueDepth(pool),
    jobs: await jobRate.sample(),
    adjudicator: adjudicator ? presentAdjudicator(await adjudicator.report()) : null,
    lists: lists.report(),
    egress: doctor.last ?? null,
  });

  const databaseBytes = async (): Promise<number> => {
    const { rows } = await pool.query<{ bytes: number }>(
      "select pg_database_size(current_database()) as bytes",
    );
    return rows[0]!.bytes;
  };

  const reports = createCachedLookup({ load: readReport, max: 1, ttlMs: FRESH_MS });
  return {
    report: async () => reports.find(REPORT),
    async runDoctor() {
      const findings = await doctor.run();
      reports.invalidate(REPORT); // the next report includes the findings
      return findings;
    },
    close: () => doctor.close(),
  };
}

function presentAdjudicator(report: AdjudicatorReport): SystemAdjudicator {
  const { model, askedToday, questionsPerDay, outcomes, restsUntil } = report;
  return {
    model,
    asked_today: askedToday,
    daily_budget: questionsPerDay,
    answered: outcomes.answered,
    remembered: outcomes.remembered,
    failed: outcomes.failed,
    not_asked: outcomes.resting + outcomes.crowded + outcomes.over_budget,
    rests_until: restsUntil?.toISOString() ?? null,
  };
}

function presentIdentity(
  identity: EgressIdentity,
  figures: IdentityFigures,
  pacing: readonly HostPace[],
  isDown: boolean,
): EgressIdentityStatus {
  const { name, ehloName, mailFrom, providers, share, owner, sourceAddress, proxy } = identity;
  const open = pacing.filter((pace) => pace.identity === name && pace.breaker_open_until !== null);
  return {
    name,
    origin: sourceAddress || proxy ? originOf(identity) : null,
    ehlo_name: ehloName,
    mail_from: mailFrom,
    providers: providers ? [...providers] : null,
    share,
    owner: owner ?? null,
    sessions_today: figures.sessionsToday ?? null,
    sessions_per_day: figures.sessionsPerDay ?? null,
    is_down: isDown,
    throttled: figures.throttled,
    open_breakers: figures.openBreakers,
    blocked_at: open.map(({ key }) => key),
  };
}
