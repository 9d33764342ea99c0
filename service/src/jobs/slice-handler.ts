/**
 * Works on a slice: answers its emails as any others are answered, and saves what comes of it.
 *
 * Mail hosts have their pace, and an email may wait for its turn there for long. So a slice waits in sittings of a few
 * seconds. After each, what is settled is saved; what is still under way is waited for in the next one, here or after
 * somebody else has had the slot.
 */
import type { Status, SubStatus } from "@mailvet/contract";
import type { Calibration, Evidence } from "@mailvet/engine";
import { inTimeSlices, yieldToEventLoop } from "../event-loop-yield.ts";
import { listViewOf } from "../naming/list-view.ts";
import type { Tasks } from "../queue/tasks.ts";
import type { Handler } from "../queue/worker.ts";
import { type Answers, amongList, answerTo, type ValidationAnswer } from "../validations/answer.ts";
import { type CheckRequest, isSettled } from "../validations/in-flight-checks.ts";
import { type DeferredEmail, retryDelayMs } from "../validations/retries.ts";
import { hasEnded } from "./job-record.ts";
import { type ResultRow, reportOn, resultRow } from "./result-rows.ts";
import { loadSlice, type Slice } from "./slice.ts";
import type { SliceEmail } from "./slice-cutter.ts";
import { type SaveDeps, saveSlice } from "./slice-save.ts";

export type SliceRunDeps = SaveDeps & {
  tasks: Pick<Tasks, "add" | "complete" | "postpone">;
  answers: Pick<Answers, "inspect" | "knownAmong" | "begin" | "wait" | "calibrationOf">;
  /** We have a bug, and this is what it said: for the log, with the job it happened to. */
  sayFailure: (jobId: string, failure: string) => void;
  /** A verdict was given, not counting those of the sandbox: for the metrics. */
  countVerdict: (status: Status, subStatus: SubStatus, isCached: boolean) => void;
  sittingMs?: number;
};

/** Short, so that whoever else waits for the slot does not wait for long. */
const SITTING_MS = 5_000;
/** Twenty minutes; then what is still under way is taken as it is. */
const MAX_SITTINGS = 240;
/** When there is no room for more checks, and when we are about to stop. */
const REFUSED_REST_MS = 5_000;
const STOPPED_REST_MS = 500;

/** Kind "slice"; the lane is its job, the subject its number. */
export function sliceHandler(deps: SliceRunDeps): Handler {
  const { database, tasks, processes } = deps;
  return async (task, signal) => {
    const slice = await loadSlice(database.pool, task);
    if (!slice || hasEnded(slice)) {
      await tasks.complete(database.orm, task, processes.id);
      return;
    }
    if (slice.status === "paused") {
      await tasks.postpone(database.orm, task, processes.id, {});
      return;
    }
    const firstAskedAtMs = performance.now() - slice.elapsedMs;
    const all = await begin(deps, slice);
    const calibration = await deps.answers.calibrationOf(slice);
    let open = all;
    for (let sittings = slice.sittings + 1; ; sittings++) {
      const leaveForMs = await sit(deps, open, signal);
      const isLastSitting = sittings >= MAX_SITTINGS;
      const elapsedMs = performance.now() - firstAskedAtMs;
      const way = { attempt: slice.attempt, elapsedMs, isLastSitting };
      const sorted = await sortOut(open, all, calibration, way);
      const isToGoOn = await saveSlice(deps, task, slice, {
        results: sorted.results,
        sentAway: sorted.sentAway,
        rest: sorted.open.map(({ entry }) => entry),
        elapsedMs,
        sittings: open.some(isRefused) ? slice.sittings : sittings,
        leaveForMs,
      });
      if (isToGoOn === undefined) return; // it was no longer ours
      tell(deps, slice.jobId, sorted.answers);
      if (!isToGoOn) return;
      open = sorted.open;
    }
  };
}

/** An email of the slice, with its answer or the question that will bring it. Neither: there was no room to ask. */
type Open = { entry: SliceEmail; answer: ValidationAnswer | undefined; question: CheckRequest | undefined };

async function begin({ answers }: SliceRunDeps, slice: Slice): Promise<Open[]> {
  await yieldToEventLoop(); // whoever asks in person may be in the same round of the event loop
  const asker = { accountId: slice.accountId, isTest: slice.isTest, attempt: slice.attempt };
  const glances = await inTimeSlices(slice.emails, ([, email]) => answers.inspect(email));
  const known = await answers.knownAmong(asker, glances);
  const unknown = glances.filter((_, index) => known[index] === undefined);
  const questions = (await answers.begin(asker, unknown)).values();
  return slice.emails.map((entry, index) => {
    const answer = known[index];
    return { entry, answer, question: answer ? undefined : questions.next().value };
  });
}

function isRefused({ answer, question }: Open): boolean {
  return !answer && !question;
}

/** Waits for those under way. Returns for how long to leave the slice alone, if that is how it is. */
async function sit(
  { answers, sittingMs = SITTING_MS }: SliceRunDeps,
  open: readonly Open[],
  signal: AbortSignal,
): Promise<number | undefined> {
  const questions = open.flatMap(({ question }) => question ?? []);
  const startedAtMs = performance.now();
  await answers.wait(questions, sittingMs, signal);
  if (open.some(isRefused)) return REFUSED_REST_MS;
  // Some are open, and yet it is over early: whoever ended the waiting wants us to stop.
  const isStopped = performance.now() - startedAtMs < sittingMs * 0.9 && !questions.every(isSettled);
  return isStopped ? STOPPED_REST_MS : undefined;
}

type Sorted = {
  results: ResultRow[];
  /** What the results are taken from. */
  answers: ValidationAnswer[];
  /** To be asked for again. */
  sentAway: { email: SliceEmail; delayMs: number }[];
  /** Not settled yet. */
  open: Open[];
};

async function sortOut(
  open: readonly Open[],
  all: readonly Open[],
  calibration: Calibration | undefined,
  { isLastSitting, ...way }: Pick<DeferredEmail, "attempt" | "elapsedMs"> & { isLastSitting: boolean },
): Promise<Sorted> {
  const sorted: Sorted = { results: [], answers: [], sentAway: [], open: [] };
  const view = listViewOf(() => all.flatMap(evidenceSoFar));
  await yieldToEventLoop();
  await inTimeSlices(open, (one) => {
    const { entry, question } = one;
    const isToBeTaken = question && (isLastSitting || isSettled(question));
    const taken = isToBeTaken ? answerTo(question, calibration) : one.answer;
    if (!taken) {
      sorted.open.push(one);
      return;
    }
    const answer = amongList(taken, view);
    const report = reportOn(answer);
    const told = {
      subStatus: report.sub_status,
      retryAfterSeconds: report.metadata.retry_after ?? undefined,
    };
    const delayMs = answer.isFinal ? undefined : retryDelayMs({ ...told, ...way });
    if (delayMs !== undefined) {
      sorted.sentAway.push({ email: entry, delayMs });
      return;
    }
    sorted.results.push(resultRow(entry[0], report));
    sorted.answers.push(answer);
  });
  return sorted;
}

/** Slices are cut by domain: here are the others of its list at the same one, or as many as matter. */
function evidenceSoFar({ answer, question }: Open): Evidence[] {
  const evidence = answer?.evidence ?? question?.running.check.evidence;
  return evidence ? [evidence] : [];
}

/** One bug can hit many emails: the first is told, the others are counted. */
function tell(
  { countVerdict, sayFailure }: SliceRunDeps,
  jobId: string,
  answers: readonly ValidationAnswer[],
): void {
  const real = answers.filter(({ isSandbox }) => !isSandbox);
  for (const { verdict, isCached } of real) countVerdict(verdict.status, verdict.subStatus, isCached);
  const failures = real.flatMap(({ evidence }) => evidence.failure ?? []);
  if (failures[0] !== undefined)
    sayFailure(jobId, `${failures[0]}\n(in ${failures.length} of ${real.length})`);
}
