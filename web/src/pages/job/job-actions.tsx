/** Pause, resume, finish, cancel and delete a job. A button shows a pending transition until the service confirms it. */

import type { Job } from "@mailvet/contract";
import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmDialog } from "../../components/dialog/confirm-dialog.tsx";
import { accountQuery, queries, service } from "../../queries.ts";
import { hasEnded, JOBS_KEY, jobQuery } from "../bulk/job-queries.ts";
import { messages } from "./messages.tsx";

type Transition = "pause" | "resume" | "cancel" | "finish";

export function useJobTransition(jobId: string) {
  return useMutation({
    mutationFn: (transition: Transition) => service.jobs[transition](jobId),
    onSuccess: (job) => queries.setQueryData(jobQuery(jobId).queryKey, job),
    async onSettled() {
      // A refused transition usually means that the job has changed meanwhile.
      await queries.invalidateQueries(jobQuery(jobId));
      void queries.invalidateQueries(accountQuery);
      void queries.invalidateQueries({ queryKey: JOBS_KEY });
    },
  });
}

export type JobTransition = ReturnType<typeof useJobTransition>;

export function JobActions({ job, transition }: { job: Job; transition: JobTransition }) {
  const navigate = useNavigate();
  const [confirming, setConfirming] = useState<"finish" | "cancel" | "delete">();
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
  const isFinishing = job.phase === "finishing";
  const pending = transition.isPending ? transition.variables : undefined;
  const button = (name: Transition, onClick: () => void) => (
    <Button variant="default" disabled={transition.isPending} onClick={onClick}>
      {pending === name ? messages.actions.pending[name] : messages.actions[name]}
    </Button>
  );
  return (
    <>
      {job.status === "processing" && !isFinishing && button("pause", () => transition.mutate("pause"))}
      {job.status === "paused" && button("resume", () => transition.mutate("resume"))}
      {isRunning && !isFinishing && button("finish", () => setConfirming("finish"))}
      {isRunning && button("cancel", () => setConfirming("cancel"))}
      <Button variant="default" onClick={() => setConfirming("delete")}>
        {messages.actions.delete}
      </Button>
      {(["finish", "cancel"] as const).map((name) => (
        <ConfirmDialog
          key={name}
          isOpen={confirming === name}
          title={messages.actions.confirm[name].title}
          confirmLabel={messages.actions.confirm[name].button}
          cancelLabel={messages.actions.keep}
          isBusy={pending === name}
          error={transition.variables === name ? transition.error : undefined}
          onConfirm={() => transition.mutate(name, { onSuccess: () => setConfirming(undefined) })}
          onClose={() => setConfirming(undefined)}
        >
          {messages.actions.confirm[name].text(job.unique_emails - job.processed)}
        </ConfirmDialog>
      ))}
      <ConfirmDialog
        isOpen={confirming === "delete"}
        title={messages.actions.deleteTitle}
        confirmLabel={messages.actions.deleteConfirm}
        cancelLabel={messages.actions.keep}
        isBusy={erase.isPending}
        error={erase.error ?? undefined}
        onConfirm={() => erase.mutate()}
        onClose={() => setConfirming(undefined)}
      >
        {messages.actions.deleteText(isRunning)}
      </ConfirmDialog>
    </>
  );
}
