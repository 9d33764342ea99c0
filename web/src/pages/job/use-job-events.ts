/** Keeps a job in the query cache up to date from the service's event stream, and what its end changes. */
import type { Job } from "@mailvet/contract";
import { useCallback, useEffect, useState } from "react";
import { accountQuery, queries, service } from "../../queries.ts";
import { hasEnded, JOBS_KEY, jobQuery } from "../bulk/job-queries.ts";

export type JobEvents = {
  /** Why the stream ended early. */
  error: unknown;
  reconnect: () => void;
};

export function useJobEvents(jobId: string, job: Job | undefined): JobEvents {
  const isRunning = job !== undefined && !hasEnded(job);
  const isOver = job !== undefined && hasEnded(job);
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt reconnects
  useEffect(() => {
    if (!isRunning) return;
    const controller = new AbortController();
    setError(undefined);
    follow(jobId, controller.signal)
      .catch((failure: unknown) => {
        if (!controller.signal.aborted) setError(failure);
      })
      .finally(() => {
        // The job may have ended or be deleted, or the session ended; the refetch shows which.
        if (!controller.signal.aborted) void queries.invalidateQueries(jobQuery(jobId));
      });
    return () => controller.abort();
  }, [jobId, isRunning, attempt]);

  // Not by the stream alone: the end may be learned by fetching the job.
  useEffect(() => {
    if (!isOver) return;
    void queries.invalidateQueries(accountQuery); // finishing settles the credits
    void queries.invalidateQueries({ queryKey: JOBS_KEY });
  }, [isOver]);

  const reconnect = useCallback(() => setAttempt((count) => count + 1), []);
  return { error, reconnect };
}

async function follow(jobId: string, signal: AbortSignal): Promise<void> {
  for await (const job of service.jobs.events(jobId, { signal })) {
    queries.setQueryData(jobQuery(jobId).queryKey, job);
  }
}
