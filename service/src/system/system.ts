/**
 * How the installation is doing, put together from the tables that its processes share, and what the doctor says.
 *
 * However many look, the tables are read once a second at the most.
 */
import type { DoctorReport, HostPace, System as SystemReport } from "@mailvet/contract";
import type { Doctor } from "@mailvet/engine";
import type { Adjudicator } from "../adjudication/adjudicator.ts";
import type { Database } from "../db/database.ts";
import { createJobRate } from "../jobs/job-rate.ts";
import type { ProcessRegistry } from "../queue/process-registry.ts";
import { queueDepth } from "../queue/queue-depth.ts";
import { presentAdjudicator } from "./adjudicator-report.ts";
import { createDoctorCache } from "./doctor-cache.ts";
import type { ListRefresh } from "./list-refresh.ts";

export type SystemReporter = {
  report(): Promise<SystemReport>;
  /** Takes up to half a minute. Asked again soon after, it is the same report. */
  runDoctor(): Promise<DoctorReport>;
  /** A doctor who is still at it comes to an end with what is known by now. */
  close(): void;
};

export type SystemDeps = {
  database: Pick<Database, "pool">;
  processes: Pick<ProcessRegistry, "list">;
  openDoctor: () => Doctor;
  /** Hosts that made themselves felt, the worst first: of all processes (shared-throttle-report.ts), or of this one (throttle-report.ts). */
  listPaces: () => HostPace[] | Promise<HostPace[]>;
  /** Undefined when none is set. */
  adjudicator: Pick<Adjudicator, "report"> | undefined;
  lists: Pick<ListRefresh, "report">;
  version: string;
  storage: SystemReport["storage"];
};

const FRESH_MS = 1000;
/** A deployment that is restarted all the time leaves many behind, until they are struck off. */
const MAX_PROCESSES = 200;

export function createSystem(deps: SystemDeps): SystemReporter {
  const { database, processes, listPaces, adjudicator, lists, version, storage } = deps;
  const { pool } = database;
  const jobPulse = createJobRate(pool);
  const doctor = createDoctorCache(deps.openDoctor);
  let lately: { report: Promise<SystemReport>; atMs: number } | undefined;

  const report = async (): Promise<SystemReport> => ({
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
    jobs: await jobPulse.look(),
    pacing: await listPaces(),
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

  return {
    report() {
      const now = performance.now();
      if (lately && now - lately.atMs < FRESH_MS) return lately.report;
      const looking = { report: report(), atMs: now };
      lately = looking;
      looking.report.catch(() => {
        if (lately === looking) lately = undefined;
      });
      return looking.report;
    },
    async runDoctor() {
      const findings = await doctor.run();
      lately = undefined; // whoever looks now wants to see it
      return findings;
    },
    close: () => doctor.close(),
  };
}
