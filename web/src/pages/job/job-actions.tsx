/** What the owner of a job can do with it. A button says what is under way until the service has said that it is done. */
import type { Job } from "@mailvet/contract";
import { Button, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { accountQuery, queries, service } from "../../queries.ts";
import { ConfirmDialog } from "../../shared/confirm-dialog.tsx";
import { plural } from "../../shared/number-format.ts";
import { hasEnded, JOBS_KEY, jobQuery } from "../bulk/job-queries.ts";

type Move = "pause" | "resume" | "cancel";

export const MOVE_UNDER_WAY: Readonly<Record<Move, string>> = {
  pause: "Pausing…",
  resume: "Resuming…",
  cancel: "Cancelling…",
};

export function useJobTransition(jobId: string) {
  return useMutation({
    mutationFn: (move: Move) => service.jobs[move](jobId),
    onSuccess: (job) => queries.setQueryData(jobQuery(jobId).queryKey, job),
    async onSettled() {
      // A refusal mostly means that the job has changed meanwhile.
      await queries.invalidateQueries(jobQuery(jobId));
      void queries.invalidateQueries(accountQuery);
      void queries.invalidateQueries({ queryKey: JOBS_KEY });
    },
  });
}

export function JobActions({ job, move }: { job: Job; move: ReturnType<typeof useJobTransition> }) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<"cancel" | "delete">();
  const erase = useMutation({
    mutationFn: () => service.jobs.delete(job.id),
    async onSuccess() {
      await navigate({ to: "/bulk" });
      queries.removeQueries({ queryKey: jobQuery(job.id).queryKey });
      queries.removeQueries({ queryKey: ["job-results", job.id] });
      void queries.invalidateQueries(accountQuery);
      void queries.invalidateQueries({ queryKey: JOBS_KEY });
    },
  });
  const isRunning = !hasEnded(job);
  const underWay = move.isPending ? move.variables : undefined;
  const button = (name: Move, label: string) => (
    <Button variant="default" disabled={move.isPending} onClick={() => move.mutate(name)}>
      {underWay === name ? MOVE_UNDER_WAY[name] : label}
    </Button>
  );
  return (
    <Group gap="xs">
      {job.status === "processing" && button("pause", "Pause")}
      {job.status === "paused" && button("resume", "Resume")}
      {isRunning && (
        <Button variant="default" disabled={move.isPending} onClick={() => setAsked("cancel")}>
          {underWay === "cancel" ? MOVE_UNDER_WAY.cancel : "Cancel"}
        </Button>
      )}
      <Button variant="default" onClick={() => setAsked("delete")}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={asked === "cancel"}
        title="Cancel this job?"
        confirmLabel="Cancel the job"
        isBusy={underWay === "cancel"}
        error={move.variables === "cancel" ? move.error : undefined}
        onConfirm={() => move.mutate("cancel", { onSuccess: () => setAsked(undefined) })}
        onClose={() => setAsked(undefined)}
      >
        It ends with the verdicts it has, and you can download them at once. What is left (
        {plural(job.unique_emails - job.processed, "email")}) gets none and costs nothing. It cannot be
        continued later.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === "delete"}
        title="Delete this job?"
        confirmLabel="Delete the job"
        isBusy={erase.isPending}
        error={erase.error ?? undefined}
        onConfirm={() => erase.mutate()}
        onClose={() => setAsked(undefined)}
      >
        {isRunning ? "It is cancelled first. " : ""}The file and all results are erased for good. Download
        what you want to keep before.
      </ConfirmDialog>
    </Group>
  );
}
