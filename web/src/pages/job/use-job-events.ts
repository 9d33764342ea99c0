/** Keeps a job's record up to date while it is looked at: every change arrives by itself. */
import { useCallback, useEffect, useState } from "react";
import { accountQuery, queries, service } from "../../queries.ts";
import { hasEnded, JOBS_KEY, jobQuery } from "../bulk/job-queries.ts";

export type JobEvents = {
  /** Why nothing more arrives. */
  error: unknown;
  again: () => void;
};

export function useJobEvents(jobId: string, isWanted: boolean): JobEvents {
  const [error, setError] = useState<unknown>();
  const [round, setRound] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round is another try
  useEffect(() => {
    if (!isWanted) return;
    const leaving = new AbortController();
    setError(undefined);
    follow(jobId, leaving.signal).catch((failure: unknown) => {
      if (leaving.signal.aborted) return;
      setError(failure);
      // It may be gone, or somebody signed out: the record itself tells which.
      void queries.invalidateQueries(jobQuery(jobId));
    });
    return () => leaving.abort();
  }, [jobId, isWanted, round]);

  const again = useCallback(() => setRound((count) => count + 1), []);
  return { error, again };
}

async function follow(jobId: string, signal: AbortSignal): Promise<void> {
  for await (const job of service.jobs.events(jobId, { signal })) {
    queries.setQueryData(jobQuery(jobId).queryKey, job);
    if (!hasEnded(job)) continue;
    // Its credits are settled now.
    void queries.invalidateQueries(accountQuery);
    void queries.invalidateQueries({ queryKey: JOBS_KEY });
  }
}
