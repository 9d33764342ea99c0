/** Where a job stands, in a word and in a sentence. */
import type { Job, JobStatus } from "@mailvet/contract";
import { Badge } from "@mantine/core";

/** Name and colour. */
const STATES: Readonly<Record<JobStatus, readonly [name: string, color: string]>> = {
  queued: ["Queued", "gray"],
  processing: ["Validating", "cyan"],
  paused: ["Paused", "yellow"],
  completed: ["Completed", "teal"],
  failed: ["Failed", "red"],
  cancelled: ["Cancelled", "gray"],
};

export const JOB_STATUS_OPTIONS = Object.entries(STATES).map(([status, [name]]) => ({
  value: status as JobStatus,
  label: name,
}));

export function JobStatusBadge({ job, instead }: { job: Pick<Job, "status" | "phase">; instead?: string }) {
  const [name, color] = STATES[job.status];
  const isRetrying = job.status === "processing" && job.phase === "retrying";
  return (
    <Badge variant="dot" color={color}>
      {instead ?? (isRetrying ? "Retrying" : name)}
    </Badge>
  );
}

export function isJobStatus(text: string | undefined): text is JobStatus {
  return text !== undefined && Object.hasOwn(STATES, text);
}
