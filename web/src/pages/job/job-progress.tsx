/** How far the job is, how fast it goes and how long it still takes, in words. */
import type { Job } from "@mailvet/contract";
import { Group, Paper, Stack, Text, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import { formatNumber, formatPercent, plural } from "../../shared/number-format.ts";
import { formatDuration, Timestamp } from "../../shared/timestamp.tsx";
import { hasEnded } from "../bulk/job-queries.ts";
import { JobStatusBadge } from "../bulk/job-status-badge.tsx";
import { VerdictBar } from "../bulk/verdict-bar.tsx";
import { JobFacts } from "./job-facts.tsx";

export function JobProgress({ job, instead }: { job: Job; instead?: string | undefined }) {
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }} radius="md">
      <Stack gap="md">
        <Group justify="space-between" align="flex-end" gap="xs">
          <Group gap="sm" align="center">
            <Text fz={40} fw={650} lh={1} className="tabular">
              {formatPercent(Math.floor(job.progress_percent) / 100)}
            </Text>
            <JobStatusBadge job={job} {...(instead ? { instead } : {})} />
          </Group>
          <Text c="dimmed" size="sm" className="tabular">
            {pace(job)}
          </Text>
        </Group>
        <VerdictBar job={job} height={14} />
        <Text size="sm">
          {story(job)}
          {job.expires_at !== null && job.results_url !== null && (
            <>
              {" "}
              The results are kept until <Timestamp at={job.expires_at} />.
            </>
          )}
        </Text>
        <Announcement job={job} />
        <JobFacts job={job} />
      </Stack>
    </Paper>
  );
}

function pace(job: Job): string {
  const parts = [`${formatNumber(job.processed)} of ${plural(job.unique_emails, "email")}`];
  if (job.phase === "validating" && job.rate_per_second > 0) {
    parts.push(`${rate(job.rate_per_second)} on average`);
  }
  if (job.eta_seconds !== null) parts.push(`about ${formatDuration(job.eta_seconds)} left`);
  return parts.join(" · ");
}

function rate(perSecond: number): string {
  if (perSecond >= 1) return `${formatNumber(Math.round(perSecond))} a second`;
  return `${formatNumber(Math.max(1, Math.round(perSecond * 60)))} a minute`;
}

/** What is going on, in a sentence or two. */
function story(job: Job): ReactNode {
  switch (job.status) {
    case "queued":
      return "Waiting for its turn. You can leave this page; the job runs without it.";
    case "processing":
      return job.phase === "retrying"
        ? `${plural(job.unique_emails - job.processed, "email is", "emails are")} left: waiting for servers that asked us to come back later. This may take a while; you can leave this page.`
        : "You can leave this page; the job runs without it.";
    case "paused":
      return "Paused. What was already asked is still saved, then nothing more happens until you resume. The credits stay held.";
    case "completed":
      return (
        <>
          Done in {took(job)}. {formatPercent(job.valid_count / Math.max(1, job.unique_emails))} of the emails
          are valid and safe to write to.
        </>
      );
    case "cancelled":
      return (
        <>
          Cancelled on <Timestamp at={job.completed_at} />. What had a verdict by then is kept; the other
          credits were given back.
        </>
      );
    case "failed":
      return "The job ended early. What had a verdict by then is kept; the other credits were given back.";
  }
}

function took({ started_at, completed_at, created_at }: Job): string {
  return formatDuration(
    (Date.parse(completed_at ?? created_at) - Date.parse(started_at ?? created_at)) / 1000,
  );
}

/** For those who listen: every tenth, not every email. */
function Announcement({ job }: { job: Job }) {
  const tenths = Math.floor(job.progress_percent / 10) * 10;
  return (
    <VisuallyHidden role="status">
      {hasEnded(job) || job.status === "paused"
        ? `The job is ${job.status}.`
        : `${tenths} percent of the emails have a verdict.`}
    </VisuallyHidden>
  );
}
