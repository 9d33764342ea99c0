/** One job in the list: its name leads to it. */
import type { Job } from "@mailvet/contract";
import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { formatNumber, plural } from "../../shared/number-format.ts";
import { formatDuration, Timestamp } from "../../shared/timestamp.tsx";
import classes from "./bulk.module.css";
import { isActive } from "./job-queries.ts";
import { JobStatusBadge } from "./job-status-badge.tsx";
import { VerdictBar } from "./verdict-bar.tsx";

export function JobRow({ job }: { job: Job }) {
  return (
    <li className={classes.jobLine}>
      <div className={classes.jobName}>
        <Anchor
          renderRoot={(props) => <Link {...props} to="/bulk/$jobId" params={{ jobId: job.id }} />}
          fw={600}
          className="breaks"
        >
          {job.filename}
        </Anchor>
        <Text size="sm" c="dimmed">
          <Timestamp at={job.created_at} />
        </Text>
      </div>
      <div>
        <JobStatusBadge job={job} />
      </div>
      <div className={classes.jobProgress}>
        <VerdictBar job={job} height={8} />
        <Group justify="space-between" gap="xs" style={{ rowGap: 0 }} mt={6}>
          <Text size="sm" className="tabular">
            {isActive(job) || job.status === "paused"
              ? `${formatNumber(job.processed)} of ${plural(job.unique_emails, "email")}`
              : plural(job.processed, "email")}
          </Text>
          <Text size="sm" c="dimmed" className="tabular">
            {outcome(job)}
          </Text>
        </Group>
      </div>
    </li>
  );
}

function outcome(job: Job): string {
  if (isActive(job)) {
    if (job.phase === "retrying") return "waiting for servers";
    return job.eta_seconds === null ? "" : `about ${formatDuration(job.eta_seconds)} left`;
  }
  if (job.processed === 0) return "";
  const counts = [
    [job.valid_count, "valid"],
    [job.risky_count, "risky"],
    [job.unknown_count, "unknown"],
    [job.invalid_count, "invalid"],
  ] as const;
  return counts
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${formatNumber(count)} ${name}`)
    .join(" · ");
}
