/** Status of a job as a badge. */
import type { Job, JobStatus } from "@mailvet/contract";
import { Badge } from "@mantine/core";
import { messages } from "./messages.tsx";

const COLORS: Readonly<Record<JobStatus, string>> = {
  queued: "yellow",
  processing: "brand",
  paused: "yellow",
  completed: "gray",
  failed: "red",
  cancelled: "gray",
};

export const JOB_STATUS_OPTIONS = (Object.keys(COLORS) as JobStatus[]).map((status) => ({
  value: status,
  label: messages.jobStatus[status],
}));

/** `label` replaces the name of the status, such as while a transition is pending. */
export function JobStatusBadge({ job, label }: { job: Pick<Job, "status" | "phase">; label?: string }) {
  const phases: Partial<Record<Job["phase"], string>> = job.status === "processing" ? messages.phases : {};
  return (
    <Badge variant="dot" color={COLORS[job.status]}>
      {label ?? phases[job.phase] ?? messages.jobStatus[job.status]}
    </Badge>
  );
}

export function isJobStatus(text: string | undefined): text is JobStatus {
  return text !== undefined && Object.hasOwn(COLORS, text);
}
