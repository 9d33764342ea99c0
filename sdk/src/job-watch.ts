/**
 * Follows a job to its end, through dropped connections, restarts of the service and proxies that hold events back.
 *
 * Events tell every change at once. Whenever they stop, the job itself is asked for, and then the events again: so
 * where no event ever gets through, this is the same as asking now and then.
 */
import type { Job, JobStatus } from "@mailvet/contract";
import type { CallOptions, Opening } from "./connection.ts";
import { eventsIn } from "./event-stream.ts";
import { MailvetProblem, MailvetUnreachable } from "./failure.ts";
import { delayBefore, sleep } from "./retry.ts";

export type WatchOptions = CallOptions & {
  /** How long the service may be out of reach before that is thrown; 10 minutes unless told. */
  patienceMs?: number | undefined;
};

export type WatchDeps = { open: Opening; get: (jobId: string, options: CallOptions) => Promise<Job> };

const DEFAULT_PATIENCE_MS = 10 * 60_000;
/** Events that flowed this long have shown that they can. */
const STEADY_MS = 10_000;
const LONGEST_PAUSE_MS = 60_000;

const ENDS: ReadonlySet<JobStatus> = new Set(["completed", "failed", "cancelled"]);

/** The job's record now, at every change, and at its end. */
export async function* watchJob(
  { open, get }: WatchDeps,
  jobId: string,
  { signal, patienceMs = DEFAULT_PATIENCE_MS }: WatchOptions = {},
): AsyncGenerator<Job, void, undefined> {
  let heardAtMs = performance.now();
  let stops = 0;
  for (;;) {
    const openedAtMs = performance.now();
    const stop: { error?: unknown } = {};
    for await (const job of recordsFrom(eventsOf(open, jobId, signal), stop)) {
      heardAtMs = performance.now();
      yield job;
      if (ENDS.has(job.status)) return;
    }
    if (performance.now() - openedAtMs >= STEADY_MS) stops = 0;
    await pause(stops++, stop.error, heardAtMs, patienceMs, signal);

    for await (const job of recordsFrom(once(get(jobId, { signal })), stop)) {
      heardAtMs = performance.now();
      yield job;
      if (ENDS.has(job.status)) return;
    }
  }
}

async function* eventsOf(open: Opening, jobId: string, signal: AbortSignal | undefined): AsyncGenerator<Job> {
  const path = `/bulk/jobs/${encodeURIComponent(jobId)}/events`;
  const { body } = await open({ method: "GET", path, accept: "text/event-stream, application/json", signal });
  if (!body) return;
  for await (const { data } of eventsIn(body)) {
    const job = jobIn(data);
    if (job) yield job;
  }
}

/** A newer service may send events that we know nothing of. */
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

/** Records until they stop; why they did is left behind, unless asking again cannot help. */
async function* recordsFrom(records: AsyncGenerator<Job>, stop: { error?: unknown }): AsyncGenerator<Job> {
  try {
    yield* records;
    delete stop.error;
  } catch (error) {
    if (!isPassing(error)) throw error;
    stop.error = error;
  }
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof MailvetProblem) && !(error instanceof MailvetUnreachable)) return false;
  if (error.status !== undefined) return error.status >= 500 || error.status === 429;
  return (
    error instanceof MailvetUnreachable && error.reason !== "redirected" && error.reason !== "odd_answer"
  );
}

async function pause(
  stops: number,
  error: unknown,
  heardAtMs: number,
  patienceMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const retryAfterSeconds = (error as { retryAfterSeconds?: number } | undefined)?.retryAfterSeconds ?? 0;
  const delayMs = delayBefore(stops, retryAfterSeconds, Math.random()) ?? LONGEST_PAUSE_MS;
  const isOver = performance.now() + delayMs - heardAtMs > patienceMs;
  if (isOver) throw error ?? new MailvetUnreachable("timeout", `No news within ${patienceMs / 1000} s`);
  await sleep(delayMs, signal);
}
