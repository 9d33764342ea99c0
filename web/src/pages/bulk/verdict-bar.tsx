/** How far a job is, and in the same stroke what it has found: one bar, a stretch of it for each verdict. */
import type { Job, Status } from "@mailvet/contract";
import { STATUS_CHART_COLORS } from "../../theme.ts";
import classes from "./bulk.module.css";

const ORDER = ["valid", "risky", "unknown", "invalid"] as const satisfies readonly Status[];

export function VerdictBar({ job, height = 12 }: { job: Job; height?: number }) {
  return (
    <div
      role="progressbar"
      aria-label="Emails with a verdict"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={job.progress_percent}
      className={classes.bar}
      style={{ height }}
    >
      {ORDER.map((status) => (
        <span
          key={status}
          className={classes.stretch}
          style={{ width: share(verdictCounts(job)[status], job.unique_emails), background: colorOf(status) }}
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

/** As CSS wants it: "teal.7" is a variable of the theme. */
export function colorOf(status: Status): string {
  return `var(--mantine-color-${STATUS_CHART_COLORS[status].replace(".", "-")})`;
}

export function share(count: number, total: number): string {
  return total === 0 ? "0" : `${(count / total) * 100}%`;
}
