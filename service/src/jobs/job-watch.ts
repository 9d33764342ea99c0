/**
 * Tells whoever follows a job when its record has changed. One for each process.
 *
 * A notice says only that something changed; the record is then read once for all who follow that job, and not more
 * often than every half a second, however fast it changes.
 */
import type { Job } from "@mailvet/contract";
import type { Database } from "../db/database.ts";
import type { PubSub } from "../db/pubsub.ts";
import { readJobRecord } from "./job-record.ts";

export type JobWatch = {
  /** Calls when the record is not this one any more, and at each change after that; undefined: the job is gone. */
  follow(job: Job, onChange: (job: Job | undefined) => void): Unfollow;
  close(): void;
};
export type Unfollow = () => void;

export type JobWatchDeps = { database: Pick<Database, "orm">; notices: Pick<PubSub, "on" | "onGap"> };

/** Sent, with the job's id, by whoever changes a job's row. */
export const JOBS_CHANNEL = "jobs";

const READ_GAP_MS = 500;
/** Without a notice: one may have been lost with its connection. */
const READ_ANYWAY_MS = 5_000;

type Follower = { last: Job; since: number; tell: (job: Job | undefined) => void };
type Scene = {
  followers: Set<Follower>;
  /** How many reads were begun. A follower hears only of those begun after it came: an earlier one may know less. */
  reads: number;
  readAtMs: number;
  isReading: boolean;
  isStale: boolean;
  timer: NodeJS.Timeout | undefined;
};

export function createJobWatch({ database, notices }: JobWatchDeps): JobWatch {
  const scenes = new Map<string, Scene>();

  function wake(jobId: string, scene: Scene): void {
    scene.isStale = true;
    if (!scene.isReading) readIn(scene.readAtMs + READ_GAP_MS - performance.now(), jobId, scene);
  }

  function readIn(delayMs: number, jobId: string, scene: Scene): void {
    clearTimeout(scene.timer);
    scene.timer = setTimeout(read, Math.max(0, delayMs), jobId, scene).unref();
  }

  async function read(jobId: string, scene: Scene): Promise<void> {
    scene.isReading = true;
    scene.isStale = false;
    scene.readAtMs = performance.now();
    const number = ++scene.reads;
    try {
      const job = await readJobRecord(database.orm, jobId);
      for (const follower of scene.followers) if (follower.since < number) tell(follower, job);
    } catch {
      // The database is away; there will be another try.
    }
    scene.isReading = false;
    if (scene.followers.size === 0) return;
    if (scene.isStale) wake(jobId, scene);
    else readIn(READ_ANYWAY_MS, jobId, scene);
  }

  notices.on(JOBS_CHANNEL, (jobId) => {
    const scene = scenes.get(jobId);
    if (scene) wake(jobId, scene);
  });
  notices.onGap(() => {
    for (const [jobId, scene] of scenes) wake(jobId, scene);
  });

  return {
    follow(job, onChange) {
      const scene = scenes.get(job.id) ?? newScene();
      scenes.set(job.id, scene);
      const follower = { last: job, since: scene.reads, tell: onChange };
      scene.followers.add(follower);
      wake(job.id, scene); // it may have changed since the follower looked
      return () => {
        scene.followers.delete(follower);
        if (scene.followers.size > 0) return;
        clearTimeout(scene.timer);
        if (scenes.get(job.id) === scene) scenes.delete(job.id);
      };
    },
    close() {
      for (const scene of scenes.values()) {
        clearTimeout(scene.timer);
        scene.followers.clear();
      }
      scenes.clear();
    },
  };
}

function newScene(): Scene {
  return {
    followers: new Set(),
    reads: 0,
    readAtMs: Number.NEGATIVE_INFINITY,
    isReading: false,
    isStale: false,
    timer: undefined,
  };
}

function tell(follower: Follower, job: Job | undefined): void {
  if (job && !hasChanged(follower.last, job)) return;
  if (job) follower.last = job;
  follower.tell(job);
}

/** Rates and estimates change with every second that passes; that alone is no news. */
const NEWS = [
  "status",
  "phase",
  "processed",
  "completed_at",
  "expires_at",
  "credits_used",
  "results_url",
] as const;

function hasChanged(before: Job, after: Job): boolean {
  return NEWS.some((field) => before[field] !== after[field]);
}
