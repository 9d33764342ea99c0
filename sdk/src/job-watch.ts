/**
 * Follows a job to its end, across dropped connections, restarts of the service and proxies that buffer events.
 *
 * Server-sent events report every change at once. When the stream ends, the job is fetched, then the stream is opened
 * again. Where no event gets through, this amounts to polling.
 */
import type { Job, JobStatus } from "@mailvet/contract";
import { MailvetProblem, MailvetUnreachable } from "./errors.ts";
import { eventsIn } from "./event-stream.ts";
import { delayBefore, sleep } from "./retry.ts";
import type { CallOptions, OpenStream } from "./transport.ts";

export type WatchOptions = CallOptions & {
  /** How long the service may be unreachable before the error is thrown. Default: 10 minutes. */
  patienceMs?: number | undefined;
};

export type WatchDeps = { open: OpenStream; get: (jobId: string, options: CallOptions) => Promise<Job> };

const DEFAULT_PATIENCE_MS = 10 * 60_000;
/** A stream that lasted this long resets the back-off. */
const STEADY_MS = 10_000;
const MAX_PAUSE_MS = 60_000;

const FINAL_STATUSES: ReadonlySet<JobStatus> = new Set(["completed", "failed", "cancelled"]);

/** Yields the job now, at every change, and at its end. */
export async function* watchJob(
  { open, get }: WatchDeps,
  jobId: string,
  { signal, patienceMs = DEFAULT_PATIENCE_MS }: WatchOptions = {},
): AsyncGenerator<Job, void, undefined> {
  let lastUpdateMs = performance.now();
  let retries = 0;
  let failure: unknown;
  /** Returns true after the end of the job. Stores a transient error in `failure`; throws any other. */
  async function* updatesOf(source: AsyncGenerator<Job>): AsyncGenerator<Job, boolean, undefined> {
    let isReached = false;
    failure = undefined;
    try {
      for await (const job of source) {
        isReached = true;
        yield job;
        if (FINAL_STATUSES.has(job.status)) return true;
      }
    } catch (error) {
      if (!isTransient(error)) throw error;
      failure = error;
    }
    if (isReached) lastUpdateMs = performance.now(); // a job may not change for hours, heartbeats arrived until now
    return false;
  }
  for (;;) {
    const openedAtMs = performance.now();
    if (yield* updatesOf(eventsOf(open, jobId, signal))) return;
    if (performance.now() - openedAtMs >= STEADY_MS) retries = 0;
    await pause(retries++, failure, lastUpdateMs, patienceMs, signal);
    if (yield* updatesOf(once(get(jobId, { signal })))) return;
  }
}

async function* eventsOf(
  open: OpenStream,
  jobId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Job> {
  const path = `/bulk/jobs/${encodeURIComponent(jobId)}/events`;
  const { body } = await open({ method: "GET", path, accept: "text/event-stream, application/json", signal });
  if (!body) return;
  for await (const { data } of eventsIn(body)) {
    const job = jobIn(data);
    if (job) yield job;
  }
}

/** A newer service may send unknown events, which are ignored. */
function jobIn(data: string): Job | undefined {
  try {
    const document: unknown = JSON.parse(data);
    const isJob =
      typeof document === "object" && document !== null && "id" in document && "status" in document;
    return isJob ? (document as Job) : undefined;
  } catch {
    return undefined;
  }
}

async function* once(record: Promise<Job>): AsyncGenerator<Job> {
  yield await record;
}

function isTransient(error: unknown): boolean {
  if (!(error instanceof MailvetProblem) && !(error instanceof MailvetUnreachable)) return false;
  if (error.status !== undefined) return error.status >= 500 || error.status === 429;
  return (
    error instanceof MailvetUnreachable &&
    error.reason !== "redirected" &&
    error.reason !== "invalid_response"
  );
}

async function pause(
  retries: number,
  error: unknown,
  lastUpdateMs: number,
  patienceMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const retryAfterSeconds = (error as { retryAfterSeconds?: number } | undefined)?.retryAfterSeconds ?? 0;
  const delayMs = delayBefore(retries, retryAfterSeconds, Math.random()) ?? MAX_PAUSE_MS;
  const isOver = performance.now() + delayMs - lastUpdateMs > patienceMs;
  if (isOver) throw error ?? new MailvetUnreachable("timeout", `No update within ${patienceMs / 1000} s`);
  await sleep(delayMs, signal);
}
