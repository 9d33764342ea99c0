/** The numbers of a job that do not change with every verdict. */
import type { Job } from "@mailvet/contract";
import { formatNumber } from "../../shared/number-format.ts";
import { Timestamp } from "../../shared/timestamp.tsx";
import classes from "../bulk/bulk.module.css";
import { hasEnded } from "../bulk/job-queries.ts";

export function JobFacts({ job }: { job: Job }) {
  const facts = [
    ["Rows in the file", formatNumber(job.total_rows)],
    ["With an email", formatNumber(job.total_emails)],
    ["Different emails", formatNumber(job.unique_emails)],
    ["Duplicates", formatNumber(job.duplicate_count)],
    ["Credits used", formatNumber(job.credits_used)],
    hasEnded(job)
      ? (["Ended", <Timestamp key="ended" at={job.completed_at} />] as const)
      : (["Credits held until it ends", formatNumber(job.credits_reserved)] as const),
  ] as const;
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
