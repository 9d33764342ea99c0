/** Limits of an account: those of its plan, and those that are the same on every plan. GET /account shows all of them. */
import { MAX_BULK_EMAILS, MAX_OUTCOMES, type Plan, type PlanLimits } from "@mailvet/contract";

type LimitsOfPlan = Pick<
  PlanLimits,
  | "api_access"
  | "requests_per_minute"
  | "concurrent_requests"
  | "emails_per_file"
  | "active_jobs"
  | "stored_bytes"
>;

const GB = 1_000_000_000;

/** No account gets more than half of the concurrent requests of a process (http-settings.ts), so that others get through. */
export const PLAN_LIMITS: Readonly<Record<Plan, LimitsOfPlan>> = {
  free: limits({ api: false, perMinute: 60, atOnce: 5, emailsPerFile: 1_000, jobs: 1, stored: 1 * GB }),
  payg: limits({ api: true, perMinute: 600, atOnce: 50, emailsPerFile: 100_000, jobs: 5, stored: 20 * GB }),
  starter: limits({
    api: true,
    perMinute: 1_200,
    atOnce: 100,
    emailsPerFile: 100_000,
    jobs: 5,
    stored: 20 * GB,
  }),
  growth: limits({
    api: true,
    perMinute: 6_000,
    atOnce: 300,
    emailsPerFile: 100_000,
    jobs: 20,
    stored: 100 * GB,
  }),
  enterprise: limits({
    api: true,
    perMinute: 600_000,
    atOnce: 1_000,
    emailsPerFile: 1_000_000,
    jobs: 100,
    stored: 1_000 * GB,
  }),
};

/** On every plan. The concurrency limits hold per API process. */
export const ACCOUNT_LIMITS = {
  concurrent_bulk_requests: 4,
  concurrent_uploads: 2,
  concurrent_feedback_files: 2,
  concurrent_downloads: 4,
  concurrent_event_streams: 20,
  emails_per_request: MAX_BULK_EMAILS,
  outcomes_per_request: MAX_OUTCOMES,
  unconfirmed_uploads: 20,
  api_keys: 100,
  webhook_endpoints: 10,
  idempotency_keys: 1_000_000,
};

function limits(row: {
  api: boolean;
  perMinute: number;
  atOnce: number;
  emailsPerFile: number;
  jobs: number;
  stored: number;
}): LimitsOfPlan {
  return {
    api_access: row.api,
    requests_per_minute: row.perMinute,
    concurrent_requests: row.atOnce,
    emails_per_file: row.emailsPerFile,
    active_jobs: row.jobs,
    stored_bytes: row.stored,
  };
}
