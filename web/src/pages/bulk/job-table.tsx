/** Jobs with their progress and outcome. */

import type { Job } from "@mailvet/contract";
import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { formatNumber, formatPercent } from "../../components/number-format.ts";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
import { formatDuration, Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { STATUSES } from "../../theme.ts";
import { isActive } from "./job-queries.ts";
import { JobStatusBadge } from "./job-status-badge.tsx";
import { messages } from "./messages.tsx";
import { VerdictBar, verdictCounts } from "./verdict-bar.tsx";

export function JobTable({ jobs, label }: { jobs: readonly Job[]; label: string }) {
  return <DataTable label={label} rows={jobs} rowKey={({ id }) => id} columns={COLUMNS} />;
}

const { columns } = messages.jobs;

const COLUMNS: readonly Column<Job>[] = [
  { name: columns.file, width: "28%", cell: (job) => <File job={job} />, sortBy: ({ filename }) => filename },
  { name: columns.status, width: 152, cell: (job) => <JobStatusBadge job={job} /> },
  { name: columns.verdicts, cell: (job) => <Verdicts job={job} />, isWide: true },
  {
    name: columns.emails,
    width: 130,
    cell: (job) => <Emails job={job} />,
    sortBy: ({ unique_emails }) => unique_emails,
    first: "desc",
    isNumber: true,
  },
  {
    name: columns.safe,
    width: 90,
    cell: ({ valid_count, processed }) =>
      processed === 0 ? common.none : formatPercent(valid_count / processed),
    sortBy: ({ valid_count, processed }) => valid_count / Math.max(1, processed),
    first: "desc",
    isNumber: true,
  },
  {
    name: columns.created,
    width: 140,
    cell: ({ created_at }) => <Timestamp at={created_at} />,
    sortBy: ({ created_at }) => created_at,
    first: "desc",
    isNumber: true,
  },
];

function File({ job: { id, filename } }: { job: Job }) {
  return (
    <Anchor
      inherit
      title={filename}
      renderRoot={(props) => <Link {...props} to="/bulk/$jobId" params={{ jobId: id }} />}
    >
      {filename}
    </Anchor>
  );
}

function Verdicts({ job }: { job: Job }) {
  const counts = verdictCounts(job);
  const text = STATUSES.filter((status) => counts[status] > 0)
    .map((status) => messages.jobs.count(counts[status], status))
    .join(" · ");
  return (
    <div title={text}>
      <VerdictBar job={job} height={6} />
    </div>
  );
}

function Emails({ job }: { job: Job }) {
  const isOpen = isActive(job) || job.status === "paused";
  return (
    <span title={note(job)}>
      {isOpen ? messages.jobs.ofEmails(job.processed, job.unique_emails) : formatNumber(job.processed)}
    </span>
  );
}

function note(job: Job): string {
  if (!isActive(job)) return common.emails(job.processed);
  if (job.phase === "retrying") return messages.jobs.waitingForServers;
  return job.eta_seconds === null ? "" : common.timeLeft(formatDuration(job.eta_seconds));
}
