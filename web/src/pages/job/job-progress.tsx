/** Outcome of a job, or its progress while it runs: share that is safe to send, verdicts, status text and counts. */

import type { Job } from "@mailvet/contract";
import { Group, Paper, Stack, Text, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import { formatNumber, formatPercent } from "../../components/number-format.ts";
import { providerName } from "../../components/provider-name.ts";
import { formatDuration, Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { hasEnded } from "../bulk/job-queries.ts";
import { JobStatusBadge } from "../bulk/job-status-badge.tsx";
import { VerdictBar } from "../bulk/verdict-bar.tsx";
import classes from "./job.module.css";
import { messages, subStatusText } from "./messages.tsx";
import { VerdictBreakdown } from "./verdict-breakdown.tsx";

export function JobProgress({ job, pending }: { job: Job; pending?: string | undefined }) {
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }} component="section" aria-label={messages.outcome.title}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="xs">
          <Headline job={job} />
          <JobStatusBadge job={job} {...(pending ? { label: pending } : {})} />
        </Group>
        <VerdictBar job={job} height={10} />
        <VerdictBreakdown job={job} />
        <Text size="sm" c="dimmed">
          {statusText(job)}
          {job.expires_at !== null && job.results_url !== null && (
            <> {messages.progress.keptUntil(<Timestamp at={job.expires_at} isExact />)}</>
          )}
        </Text>
        <ProviderWaits job={job} />
        <RetriesText job={job} />
        <Announcement job={job} />
        <JobFacts job={job} />
      </Stack>
    </Paper>
  );
}

/** The answer of the page: the outcome when the job has ended, else the progress with the outcome so far. */
function Headline({ job }: { job: Job }) {
  const { outcome } = messages;
  const of = (count: number) => formatPercent(count / Math.max(1, job.processed));
  const safe = outcome.safe(of(job.valid_count));
  const bounce = outcome.bounce(of(job.invalid_count));
  const hasOutcome = hasEnded(job) && job.processed > 0;
  return (
    <div>
      <Text component="p" m={0} className="display">
        {hasOutcome ? safe : outcome.done(formatPercent(Math.floor(job.progress_percent) / 100))}
      </Text>
      <Text mt={4} c="dimmed" className="tabular">
        {hasOutcome
          ? [bounce, common.emailsOf(job.processed, job.unique_emails)].join(" · ")
          : [progressText(job), ...(job.processed > 0 ? [outcome.soFar(safe)] : [])].join(" · ")}
      </Text>
    </div>
  );
}

function progressText(job: Job): string {
  const parts = [common.emailsOf(job.processed, job.unique_emails)];
  if (job.phase === "validating" && job.rate_per_second > 0) {
    parts.push(messages.progress.rate(job.rate_per_second));
  }
  if (job.eta_seconds !== null) parts.push(common.timeLeft(formatDuration(job.eta_seconds)));
  else if (job.eta_reason === "waiting_for_servers") parts.push(messages.progress.waitingForServers);
  return parts.join(" · ");
}

function statusText(job: Job): ReactNode {
  const { progress } = messages;
  switch (job.status) {
    case "queued":
      return progress.queued;
    case "processing":
      if (job.phase === "finishing") return progress.finishing;
      return job.phase === "retrying"
        ? progress.retrying(job.unique_emails - job.processed)
        : progress.processing;
    case "paused":
      return progress.paused;
    case "completed":
      return progress.completed(took(job));
    case "cancelled":
      return progress.cancelled(<Timestamp at={job.completed_at} />);
    case "failed":
      return progress.failed;
  }
}

function took({ started_at, completed_at, created_at }: Job): string {
  return formatDuration(
    (Date.parse(completed_at ?? created_at) - Date.parse(started_at ?? created_at)) / 1000,
  );
}

/** Mail providers that refuse this installation, and the emails that wait for them. */
function ProviderWaits({ job }: { job: Job }) {
  return job.waiting_for?.map(({ provider, since, emails }) => (
    <Text size="sm" key={provider}>
      {messages.progress.refuses(providerName(provider), <Timestamp at={since} isExact />, emails)}
    </Text>
  ));
}

/** Which emails wait for a retry, and until when. */
function RetriesText({ job }: { job: Job }) {
  const waiting = Object.entries(job.retrying).map(
    ([name, count]) => [subStatusText(name).name, count] as const,
  );
  if (waiting.length === 0) return null;
  const { progress } = messages;
  const { next_attempt_at: at } = job;
  return (
    <Text size="sm" c="dimmed">
      {progress.retries(waiting)}{" "}
      {at !== null &&
        (Date.parse(at) - Date.now() < 60_000
          ? progress.nextAttemptSoon
          : progress.nextAttempt(<Timestamp at={at} />))}
    </Text>
  );
}

/** For screen readers, in steps of 10 percent. */
function Announcement({ job }: { job: Job }) {
  const tenths = Math.floor(job.progress_percent / 10) * 10;
  return (
    <VisuallyHidden role="status">
      {hasEnded(job) || job.status === "paused"
        ? messages.progress.announceEnd(job.status)
        : messages.progress.announcePercent(tenths)}
    </VisuallyHidden>
  );
}

/** Numbers that do not change with every verdict. */
function JobFacts({ job }: { job: Job }) {
  const { facts } = messages;
  const rows = [
    [facts.rows, formatNumber(job.total_rows)],
    [facts.emails, formatNumber(job.total_emails)],
    [facts.unique, formatNumber(job.unique_emails)],
    [facts.duplicates, formatNumber(job.duplicate_count)],
    [facts.creditsUsed, facts.used(job.credits_used, job.credits_refunded)],
    hasEnded(job)
      ? ([facts.finished, <Timestamp key="finished" at={job.completed_at} />] as const)
      : ([facts.creditsReserved, formatNumber(job.credits_reserved)] as const),
  ] as const;
  return (
    <dl className={classes.facts}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
