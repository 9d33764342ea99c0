/** Limits of each plan. */
import type { Plan, PlanLimits } from "@mailvet/contract";

export const PLAN_LIMITS: Readonly<Record<Plan, PlanLimits>> = {
  free: limits({ api: false, perMinute: 60, atOnce: 5, emailsPerFile: 1_000, jobs: 1 }),
  payg: limits({ api: true, perMinute: 600, atOnce: 50, emailsPerFile: 100_000, jobs: 5 }),
  starter: limits({ api: true, perMinute: 1_200, atOnce: 100, emailsPerFile: 100_000, jobs: 5 }),
  growth: limits({ api: true, perMinute: 6_000, atOnce: 300, emailsPerFile: 100_000, jobs: 20 }),
  enterprise: limits({ api: true, perMinute: 600_000, atOnce: 2_000, emailsPerFile: 1_000_000, jobs: 100 }),
};

function limits(row: {
  api: boolean;
  perMinute: number;
  atOnce: number;
  emailsPerFile: number;
  jobs: number;
}): PlanLimits {
  return {
    api_access: row.api,
    requests_per_minute: row.perMinute,
    concurrent_requests: row.atOnce,
    emails_per_file: row.emailsPerFile,
    active_jobs: row.jobs,
  };
}
