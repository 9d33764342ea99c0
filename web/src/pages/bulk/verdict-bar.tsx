/** Progress bar of a job with one segment per verdict. */
import type { Job, Status } from "@mailvet/contract";
import { STATUSES, statusFill } from "../../theme.ts";
import classes from "./bulk.module.css";
import { messages } from "./messages.tsx";

export function VerdictBar({ job, height = 12 }: { job: Job; height?: number }) {
  return (
    <div
      role="progressbar"
      aria-label={messages.jobs.progress}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={job.progress_percent}
      className={classes.bar}
      style={{ height }}
    >
      {STATUSES.map((status) => (
        <span
          key={status}
          className={classes.segment}
          style={{
            width: share(verdictCounts(job)[status], job.unique_emails),
            background: statusFill(status),
          }}
        />
      ))}
    </div>
  );
}

export function verdictCounts(job: Job): Record<Status, number> {
  return {
    valid: job.valid_count,
    invalid: job.invalid_count,
    risky: job.risky_count,
    unknown: job.unknown_count,
  };
}

export function share(count: number, total: number): string {
  return total === 0 ? "0" : `${(count / total) * 100}%`;
}
