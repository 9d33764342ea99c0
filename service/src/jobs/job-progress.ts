/**
 * Notifies the followers of a job that results were saved, outside the transaction that saves them and at most twice a
 * second per job. PostgreSQL serializes the commits of all transactions that notify.
 */
import type pg from "pg";
import { notify } from "../db/pubsub.ts";
import { JOB_PROGRESS_CHANNEL } from "./job-watch.ts";

export type JobProgress = {
  note(jobId: string): void;
  /** Sends what is pending. */
  close(): Promise<void>;
};

const MIN_INTERVAL_MS = 500;

export function createJobProgress(pool: Pick<pg.Pool, "query">): JobProgress {
  /** Jobs notified less than the interval ago, and whether there is news since. */
  const recent = new Map<string, { timer: NodeJS.Timeout; hasNews: boolean }>();

  const send = (jobId: string) => {
    recent.set(jobId, { timer: setTimeout(onInterval, MIN_INTERVAL_MS, jobId).unref(), hasNews: false });
    // A lost notification does not matter: followers read the job every few seconds anyway.
    return notify(pool, JOB_PROGRESS_CHANNEL, jobId).catch(() => {});
  };
  const onInterval = (jobId: string) => {
    const hasNews = recent.get(jobId)?.hasNews;
    recent.delete(jobId);
    if (hasNews) void send(jobId);
  };

  return {
    note(jobId) {
      const sent = recent.get(jobId);
      if (sent) sent.hasNews = true;
      else void send(jobId);
    },
    async close() {
      const jobIds = [...recent].flatMap(([jobId, { hasNews }]) => (hasNews ? jobId : []));
      for (const { timer } of recent.values()) clearTimeout(timer);
      recent.clear();
      await Promise.all(jobIds.map((jobId) => notify(pool, JOB_PROGRESS_CHANNEL, jobId).catch(() => {})));
    },
  };
}
