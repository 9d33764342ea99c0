/**
 * Task handler for slices: checks the emails like single requests and saves the results.
 *
 * Mail hosts limit the rate, so an email may be in flight for long. The handler waits a few seconds at a time. After each
 * wait settled emails are saved; the others are continued, by this claim or after another job had the slot. Meanwhile the
 * slice occupies only as much of its slot as it has emails in flight, so that a few silent hosts do not hold up a list.
 */
import type { Status, SubStatus } from "@mailvet/contract";
import { type Calibration, type Evidence, refusalOfUs } from "@mailvet/engine";
import { inTimeSlices, yieldToEventLoop } from "../base/event-loop-yield.ts";
import type { LogEvent } from "../base/log-events.ts";
import { isRefusalOfUs, type UnknownRefund } from "../credits/refund-policy.ts";
import { listViewOf } from "../naming/list-evidence.ts";
import type { Occupy, TaskHandler } from "../queue/task.ts";
import { type Answers, amongList, answerTo, type ValidationAnswer } from "../validations/answer.ts";
import type { CheckContext } from "../validations/check-options.ts";
import { type CheckRequest, isSettled } from "../validations/in-flight-checks.ts";
import { type DeferredEmail, providerWaitMs, retryDelayMs } from "../validations/retries.ts";
import { hasEnded } from "./job-state.ts";
import { type ResultRow, reportOn, resultRow } from "./result-rows.ts";
import { storedEvidence } from "./results/result-evidence.ts";
import { loadSlice, type Slice } from "./slice.ts";
import { MAX_SLICE_EMAILS, type SliceEmail } from "./slice-cutter.ts";
import { type DeferredRow, type RefusingProvider, type SaveDeps, saveSlice } from "./slice-save.ts";

export type SliceHandlerDeps = SaveDeps & {
  answers: Pick<Answers, "inspect" | "knownAmong" | "begin" | "wait" | "calibrationOf">;
  log: LogEvent;
  /** For the metrics: every verdict except those of the sandbox. */
  countVerdict: (status: Status, subStatus: SubStatus, isCached: boolean) => void;
  countRows?: (rows: number, isSandbox: boolean) => void;
  countDeferred?: (subStatus: SubStatus) => void;
  waitMs?: number;
  unknownRefund: UnknownRefund;
  /** The longest that a row waits for a provider that refuses this installation. */
  providerWaitMs: number;
};

/** Short, because other jobs may be waiting for the slot. */
const WAIT_MS = 5_000;
/** How often the emails in flight are counted. */
const COUNT_EVERY_MS = 500;
/** Twenty minutes; then checks in flight are reported with the evidence they have. */
const MAX_WAITS = 240;
/** Delays after the limit of concurrent checks was reached, and at shutdown. */
const REFUSED_DELAY_MS = 5_000;
const SHUTDOWN_DELAY_MS = 500;

/** For the queue "slice"; the group is the job, the subject the slice's number. */
export function sliceHandler(deps: SliceHandlerDeps): TaskHandler {
  const { database, tasks } = deps;
  return async (task, signal, occupy = () => {}) => {
    const claimedAtMs = performance.now();
    const slice = await loadSlice(database.pool, task);
    if (!slice || ((hasEnded(slice) || slice.isFinishing) && !slice.isRedrive)) {
      await tasks.complete(database.orm, task);
      return;
    }
    if (slice.status === "paused") {
      await tasks.postpone(database.orm, task, {});
      return;
    }
    const startedAtMs = performance.now() - slice.elapsedMs;
    const all = await startChecks(deps, slice);
    const calibration = await deps.answers.calibrationOf(contextOf(slice));
    let pending = all;
    for (let waits = slice.waits + 1; ; waits++) {
      const resumeInMs = await wait(deps, pending, { signal, occupy });
      const isLastWait = waits >= MAX_WAITS;
      const elapsedMs = performance.now() - startedAtMs;
      const progress = { attempt: slice.attempt, elapsedMs, isLastWait, maxWaitMs: deps.providerWaitMs };
      const settled = await settle(pending, all, calibration, progress);
      const continues = await saveSlice(deps, task, slice, {
        results: settled.results,
        free: settled.results.filter((_, index) => isFree(deps, slice, settled.answers[index]!)),
        deferred: settled.deferred,
        rest: settled.pending.map(({ entry }) => entry),
        elapsedMs,
        occupiedMs: performance.now() - claimedAtMs,
        waits: pending.some(isRefused) ? slice.waits : waits,
        resumeInMs,
      });
      if (continues === undefined) return; // the claim was lost, or the job has ended
      report(deps, slice.jobId, settled);
      if (!continues) return;
      pending = settled.pending;
    }
  };
}

function isFree({ unknownRefund }: SliceHandlerDeps, slice: Slice, answer: ValidationAnswer): boolean {
  return (slice.isFromApp && answer.isSandbox) || isRefusalOfUs(unknownRefund, answer);
}

/** An email with its answer or the check in flight. Neither: the limit of concurrent checks was reached. */
type PendingEmail = {
  entry: SliceEmail;
  answer: ValidationAnswer | undefined;
  check: CheckRequest | undefined;
};

function contextOf({ accountId, isTest, attempt, level, recheckedMs }: Slice): CheckContext {
  // A recheck asks for results that are newer than its request.
  const maxAgeMs = recheckedMs === null ? undefined : Math.max(0, recheckedMs);
  return { accountId, isTest, attempt, level: level ?? undefined, maxAgeMs };
}

async function startChecks({ answers }: SliceHandlerDeps, slice: Slice): Promise<PendingEmail[]> {
  await yieldToEventLoop(); // interactive requests of the same event loop turn go first
  const asker = contextOf(slice);
  const inspected = await inTimeSlices(slice.emails, ([, email]) => answers.inspect(email));
  const known = await answers.knownAmong(asker, inspected);
  const unknown = inspected.filter((_, index) => known[index] === undefined);
  const checks = (await answers.begin(asker, unknown)).values();
  return slice.emails.map((entry, index) => {
    const answer = known[index];
    return { entry, answer, check: answer ? undefined : checks.next().value };
  });
}

function isRefused({ answer, check }: PendingEmail): boolean {
  return !answer && !check;
}

/** Waits for checks in flight. Returns the delay before the slice is continued, if it cannot continue now. */
async function wait(
  { answers, waitMs = WAIT_MS }: SliceHandlerDeps,
  pending: readonly PendingEmail[],
  { signal, occupy }: { signal: AbortSignal; occupy: Occupy },
): Promise<number | undefined> {
  const endsAtMs = performance.now() + waitMs;
  let inFlight = pending.flatMap(({ check }) => check ?? []);
  for (let leftMs = waitMs; leftMs > 0; leftMs = endsAtMs - performance.now()) {
    inFlight = inFlight.filter((check) => !isSettled(check));
    if (inFlight.length === 0) break;
    occupy(inFlight.length / MAX_SLICE_EMAILS);
    const startedAtMs = performance.now();
    const withinMs = Math.min(leftMs, COUNT_EVERY_MS);
    await answers.wait(inFlight, withinMs, signal);
    // The wait ended early although checks are in flight: the service is shutting down.
    const isEarly = performance.now() - startedAtMs < withinMs * 0.9;
    if (isEarly && !inFlight.every(isSettled))
      return pending.some(isRefused) ? REFUSED_DELAY_MS : SHUTDOWN_DELAY_MS;
  }
  return pending.some(isRefused) ? REFUSED_DELAY_MS : undefined;
}

type Settled = {
  results: ResultRow[];
  /** The answers that the results were made from. */
  answers: ValidationAnswer[];
  /** To be retried. */
  deferred: (DeferredRow & { subStatus: SubStatus })[];
  /** Still in flight. */
  pending: PendingEmail[];
};

type Progress = Pick<DeferredEmail, "attempt" | "elapsedMs"> & { isLastWait: boolean; maxWaitMs: number };

async function settle(
  pending: readonly PendingEmail[],
  all: readonly PendingEmail[],
  calibration: Calibration | undefined,
  { isLastWait, maxWaitMs, ...progress }: Progress,
): Promise<Settled> {
  const settled: Settled = { results: [], answers: [], deferred: [], pending: [] };
  const view = listViewOf(() => all.flatMap(evidenceSoFar));
  await yieldToEventLoop();
  await inTimeSlices(pending, (email) => {
    const { entry, check } = email;
    const isDone = check && (isLastWait || isSettled(check));
    const own = isDone ? answerTo(check, calibration) : email.answer;
    if (!own) {
      settled.pending.push(email);
      return;
    }
    const answer = amongList(own, view);
    const report = reportOn(answer);
    const retry = {
      subStatus: report.sub_status,
      retryAfterSeconds: report.metadata.retry_after ?? undefined,
    };
    const waitsFor = answer.isFinal ? undefined : refusingProvider(answer);
    const waitsSinceMs = entry[2]?.waitsSinceMs ?? (waitsFor && answer.checkedAtMs);
    const delayMs = answer.isFinal
      ? undefined
      : waitsFor
        ? providerWaitMs(retry.retryAfterSeconds, Date.now() - waitsSinceMs!, maxWaitMs)
        : retryDelayMs({ ...retry, ...progress });
    if (delayMs !== undefined) {
      const { checkedAtMs, evidence } = answer;
      const last = { subStatus: report.sub_status, checkedAtMs, evidence: storedEvidence(evidence) };
      settled.deferred.push({
        email: [entry[0], entry[1], waitsSinceMs ? { ...last, waitsSinceMs } : last],
        delayMs,
        ...(waitsFor && { waitsFor }),
        subStatus: report.sub_status,
      });
      return;
    }
    settled.results.push(resultRow(entry[0], report, answer.evidence));
    settled.answers.push(answer);
  });
  return settled;
}

/** The provider that an answer waits for. The refusal of a host that belongs to none stands: it would hold up whole lists. */
function refusingProvider({
  evidence,
  verdict,
  checkedAtMs,
}: ValidationAnswer): RefusingProvider | undefined {
  const refusal = verdict.subStatus === "probe_blocked" ? refusalOfUs(evidence) : undefined;
  const { provider: name = "" } = evidence;
  if (!refusal || name === "" || name === "other") return undefined;
  return { name, sinceMs: refusal.refusedSinceMs ?? checkedAtMs };
}

/** Slices are cut by domain, so this is the evidence about the list's other addresses at the same domain. */
function evidenceSoFar({ answer, check }: PendingEmail): Evidence[] {
  const evidence = answer?.evidence ?? check?.running.check.evidence;
  return evidence ? [evidence] : [];
}

/** Counts verdicts, rows and deferred rows. Of internal errors the first is logged with the number of emails affected. */
function report(
  { countVerdict, countRows = () => {}, countDeferred, log }: SliceHandlerDeps,
  jobId: string,
  { answers, deferred }: Settled,
): void {
  for (const { subStatus } of deferred) countDeferred?.(subStatus);
  const real = answers.filter(({ isSandbox }) => !isSandbox);
  for (const { verdict, isCached } of real) countVerdict(verdict.status, verdict.subStatus, isCached);
  countRows(real.length, false);
  countRows(answers.length - real.length, true);
  const failures = real.flatMap(({ evidence }) => evidence.failure ?? []);
  if (failures.length > 0) {
    const counts = { failed: failures.length, checked: real.length };
    log("job_checks_failed", { job_id: jobId, failure: failures[0], ...counts });
  }
}
