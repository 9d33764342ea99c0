/** The numbers of a job that do not change with every verdict. */
import type { Job } from "@mailvet/contract";
import { grouped } from "../../parts/counted.ts";
import { Moment } from "../../parts/moment.tsx";
import classes from "./bulk.module.css";
import { hasEnded } from "./job-queries.ts";

export function JobFacts({ job }: { job: Job }) {
  const facts = [
    ["Rows in the file", grouped(job.total_rows)],
    ["With an email", grouped(job.total_emails)],
    ["Different emails", grouped(job.unique_emails)],
    ["Duplicates", grouped(job.duplicate_count)],
    ["Credits used", grouped(job.credits_used)],
    hasEnded(job)
      ? (["Ended", <Moment key="ended" at={job.completed_at} />] as const)
      : (["Credits held until it ends", grouped(job.credits_reserved)] as const),
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
