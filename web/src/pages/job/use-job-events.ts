/** Keeps a job in the query cache up to date from the service's event stream. */
import { useCallback, useEffect, useState } from "react";
import { accountQuery, queries, service } from "../../queries.ts";
import { hasEnded, JOBS_KEY, jobQuery } from "../bulk/job-queries.ts";

export type JobEvents = {
  /** Why the stream ended early. */
  error: unknown;
  reconnect: () => void;
};

export function useJobEvents(jobId: string, isEnabled: boolean): JobEvents {
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt reconnects
  useEffect(() => {
    if (!isEnabled) return;
    const controller = new AbortController();
    setError(undefined);
    follow(jobId, controller.signal).catch((failure: unknown) => {
      if (controller.signal.aborted) return;
      setError(failure);
      // The job may be deleted or the session ended; the refetch shows which.
      void queries.invalidateQueries(jobQuery(jobId));
    });
    return () => controller.abort();
  }, [jobId, isEnabled, attempt]);

  const reconnect = useCallback(() => setAttempt((count) => count + 1), []);
  return { error, reconnect };
}

async function follow(jobId: string, signal: AbortSignal): Promise<void> {
  for await (const job of service.jobs.events(jobId, { signal })) {
    queries.setQueryData(jobQuery(jobId).queryKey, job);
    if (!hasEnded(job)) continue;
    // Finishing settles the credits.
    void queries.invalidateQueries(accountQuery);
    void queries.invalidateQueries({ queryKey: JOBS_KEY });
  }
}
