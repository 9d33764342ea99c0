/** Verdict counts of a job. */
import type { Job } from "@mailvet/contract";
import { Title } from "@mantine/core";
import { formatNumber, formatPercent } from "../../components/number-format.ts";
import { common } from "../../messages.ts";
import { STATUSES, statusColor } from "../../theme.ts";
import { verdictCounts } from "../bulk/verdict-bar.tsx";
import classes from "./job.module.css";

export function VerdictBreakdown({ job }: { job: Job }) {
  const counts = verdictCounts(job);
  const total = job.processed;
  return (
    <>
      <Title order={2} className="visually-hidden">
        {common.verdicts}
      </Title>
      <dl className={classes.verdicts}>
        {STATUSES.map((status) => (
          <div key={status}>
            <dt>
              <span className={classes.dot} style={{ background: statusColor(status) }} aria-hidden="true" />
              {common.status[status]}
            </dt>
            <dd className="tabular">
              {formatNumber(counts[status])}{" "}
              <span className={classes.share}>
                {total === 0 ? common.none : formatPercent(counts[status] / total, 1)}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
