/**
 * Notifies followers of a job when its record changes. One instance per process.
 *
 * A notification carries only the job's id. The record is then read once for all followers of the job: at once when the
 * job's state changed, at most every half second while results are saved.
 */
import type { Job } from "@mailvet/contract";
import type { Database } from "../db/database.ts";
import type { PubSub } from "../db/pubsub.ts";
import { readJobRecord } from "./job-record.ts";

export type JobWatch = {
  /** Calls back when the record differs from this one, and at each later change; undefined: the job was deleted. */
  follow(job: Job, onChange: (job: Job | undefined) => void): Unfollow;
  close(): void;
};
export type Unfollow = () => void;

export type JobWatchDeps = { database: Pick<Database, "orm">; pubsub: Pick<PubSub, "on" | "onGap"> };

/** Notified with the job's id when its state changes, and when it is deleted. */
export const JOBS_CHANNEL = "jobs";
/** Notified with the job's id, often, while its results are saved. */
export const JOB_PROGRESS_CHANNEL = "job_progress";

const MIN_READ_INTERVAL_MS = 500;
/** Without a notification: one may have been lost with its connection. */
const MAX_READ_INTERVAL_MS = 5_000;

type Follower = { last: Job; since: number; onChange: (job: Job | undefined) => void };
type WatchedJob = {
  followers: Set<Follower>;
  /** Number of reads started. A follower ignores reads started before it joined: they may be older than its record. */
  reads: number;
  readAtMs: number;
  isReading: boolean;
  isStale: boolean;
  /** Stale for another reason than progress. */
  isUrgent: boolean;
  timer: NodeJS.Timeout | undefined;
};

export function createJobWatch({ database, pubsub }: JobWatchDeps): JobWatch {
  const watchedJobs = new Map<string, WatchedJob>();

  function requestRead(jobId: string, watched: WatchedJob, isUrgent: boolean): void {
    watched.isStale = true;
    watched.isUrgent ||= isUrgent;
    if (watched.isReading) return;
    const dueAtMs = watched.isUrgent ? 0 : watched.readAtMs + MIN_READ_INTERVAL_MS;
    scheduleRead(dueAtMs - performance.now(), jobId, watched);
  }

  function scheduleRead(delayMs: number, jobId: string, watched: WatchedJob): void {
    clearTimeout(watched.timer);
    watched.timer = setTimeout(read, Math.max(0, delayMs), jobId, watched).unref();
  }

  async function read(jobId: string, watched: WatchedJob): Promise<void> {
    watched.isReading = true;
    watched.isStale = false;
    watched.isUrgent = false;
    watched.readAtMs = performance.now();
    const number = ++watched.reads;
    try {
      const job = await readJobRecord(database.orm, jobId);
      for (const follower of watched.followers) if (follower.since < number) notifyFollower(follower, job);
    } catch {
      // The database is unavailable; the next read retries.
    }
    watched.isReading = false;
    if (watched.followers.size === 0) return;
    if (watched.isStale) requestRead(jobId, watched, watched.isUrgent);
    else scheduleRead(MAX_READ_INTERVAL_MS, jobId, watched);
  }

  const onNotification = (isUrgent: boolean) => (jobId: string) => {
    const watched = watchedJobs.get(jobId);
    if (watched) requestRead(jobId, watched, isUrgent);
  };
  pubsub.on(JOBS_CHANNEL, onNotification(true));
  pubsub.on(JOB_PROGRESS_CHANNEL, onNotification(false));
  pubsub.onGap(() => {
    for (const [jobId, watched] of watchedJobs) requestRead(jobId, watched, false);
  });

  return {
    follow(job, onChange) {
      const watched = watchedJobs.get(job.id) ?? newWatchedJob();
      watchedJobs.set(job.id, watched);
      const follower = { last: job, since: watched.reads, onChange };
      watched.followers.add(follower);
      requestRead(job.id, watched, false); // it may have changed since the follower read it
      return () => {
        watched.followers.delete(follower);
        if (watched.followers.size > 0) return;
        clearTimeout(watched.timer);
        if (watchedJobs.get(job.id) === watched) watchedJobs.delete(job.id);
      };
    },
    close() {
      for (const watched of watchedJobs.values()) {
        clearTimeout(watched.timer);
        watched.followers.clear();
      }
      watchedJobs.clear();
    },
  };
}

function newWatchedJob(): WatchedJob {
  return {
    followers: new Set(),
    reads: 0,
    readAtMs: Number.NEGATIVE_INFINITY,
    isReading: false,
    isStale: false,
    isUrgent: false,
    timer: undefined,
  };
}

function notifyFollower(follower: Follower, job: Job | undefined): void {
  if (job && !hasChanged(follower.last, job)) return;
  if (job) follower.last = job;
  follower.onChange(job);
}

/** Rates and estimates change every second and are not compared. */
const COMPARED_FIELDS = [
  "status",
  "phase",
  "processed",
  "completed_at",
  "expires_at",
  "credits_used",
  "results_url",
] as const;

function hasChanged(before: Job, after: Job): boolean {
  return COMPARED_FIELDS.some((field) => before[field] !== after[field]);
}
