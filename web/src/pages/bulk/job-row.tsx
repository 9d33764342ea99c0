/** One job in a list: name, status, progress, counts. */

import type { Job } from "@mailvet/contract";
import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { formatDuration, Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { STATUSES } from "../../theme.ts";
import classes from "./bulk.module.css";
import { isActive } from "./job-queries.ts";
import { JobStatusBadge } from "./job-status-badge.tsx";
import { messages } from "./messages.tsx";
import { VerdictBar, verdictCounts } from "./verdict-bar.tsx";

export function JobRow({ job }: { job: Job }) {
  return (
    <li className={classes.jobRow}>
      <div className={classes.jobName}>
        <Anchor
          renderRoot={(props) => <Link {...props} to="/bulk/$jobId" params={{ jobId: job.id }} />}
          fw={500}
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
              ? common.emailsOf(job.processed, job.unique_emails)
              : common.emails(job.processed)}
          </Text>
          <Text size="sm" c="dimmed" className="tabular">
            {note(job)}
          </Text>
        </Group>
      </div>
    </li>
  );
}

function note(job: Job): string {
  if (isActive(job)) {
    if (job.phase === "retrying") return messages.jobs.waitingForServers;
    return job.eta_seconds === null ? "" : common.timeLeft(formatDuration(job.eta_seconds));
  }
  const counts = verdictCounts(job);
  return STATUSES.filter((status) => counts[status] > 0)
    .map((status) => messages.jobs.count(counts[status], status))
    .join(" · ");
}
