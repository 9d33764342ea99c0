/**
 * Answers for addresses: a known verdict, or the result of a check within the time limit.
 *
 * Known are sandbox results, addresses that the inspection alone decides, and what is fresh in the account's verdict cache.
 */
import { type Calibration, decide, type Evidence, type Verdict } from "@mailvet/engine";
import { inTimeSlices } from "../base/event-loop-yield.ts";
import type { AccountCalibration, CalibrationCache } from "../feedback/calibration-cache.ts";
import type { ListView } from "../naming/list-evidence.ts";
import { mergeEvidence } from "./cached-evidence.ts";
import { type CheckContext, isTooOld, upTo } from "./check-options.ts";
import { freshForMs } from "./freshness.ts";
import {
  type CheckDeps,
  type CheckRequest,
  createInFlightChecks,
  foundFor,
  type InFlightChecks,
  isSettled,
} from "./in-flight-checks.ts";
import { createSandbox, isInSandbox, type SandboxResult } from "./sandbox.ts";
import type { CachedVerdict, VerdictCache } from "./verdict-cache.ts";

export type ValidationAnswer = {
  evidence: Evidence;
  verdict: Verdict;
  /** When the evidence was gathered. */
  checkedAtMs: number;
  isCached: boolean;
  isSandbox: boolean;
  /** A repeated check is not expected to change it. */
  isFinal: boolean;
  /** From the account's own outcomes. */
  calibration?: Calibration | undefined;
};

/** A check that takes longer than `withinMs` is answered with the evidence so far. Urgent checks have priority. */
export type AnswerMode = { withinMs: number; isUrgent: boolean };

export type Answers = {
  /** Evidence from the text and the reference lists alone, without any I/O. */
  inspect(email: string): Evidence;
  /** The answer, if there is one without a check. */
  known(
    context: CheckContext,
    inspection: Evidence,
  ): Promise<ValidationAnswer | undefined> | ValidationAnswer;
  /** The same for many, in their order. */
  knownAmong(
    context: CheckContext,
    inspections: readonly Evidence[],
  ): Promise<(ValidationAnswer | undefined)[]>;
  /** Checks all of them. */
  ask(context: CheckContext, inspections: readonly Evidence[], mode: AnswerMode): Promise<ValidationAnswer[]>;
  /** Checks those that were not known, except where a check has ended since. */
  askOpen: Answers["ask"];
  /** For jobs, which wait by themselves: the checks, and undefined where the limit of checks in flight is reached. */
  begin(context: CheckContext, inspections: readonly Evidence[]): Promise<(CheckRequest | undefined)[]>;
  wait: InFlightChecks["wait"];
  calibrationOf(context: CheckContext): Promise<Calibration | undefined>;
  /** Shutdown: from now on no caller waits longer than this. */
  wrapUp(withinMs: number): void;
};

export type AnswerDeps = CheckDeps & {
  verdictCache: Pick<VerdictCache, "findInMemory" | "findFresh">;
  /** Without it scores are not calibrated. */
  calibrations?: CalibrationCache | undefined;
};

export function createAnswers(deps: AnswerDeps): Answers {
  const { verifier, verdictCache, calibrations } = deps;
  const sandbox = createSandbox();
  const checks = createInFlightChecks(deps);

  const findInMemory = (context: CheckContext, inspection: Evidence): ValidationAnswer | undefined => {
    const { address } = inspection;
    return (
      address &&
      fromCache(context, inspection, verdictCache.findInMemory(context.accountId, address.normalized))
    );
  };

  /** Without a query. */
  const findAtOnce = (
    context: CheckContext,
    inspection: Evidence,
  ): Promise<ValidationAnswer> | ValidationAnswer | undefined => {
    if (isInSandbox(context, inspection)) {
      const result = sandbox.simulate(context, inspection);
      return result instanceof Promise ? result.then(inSandbox) : inSandbox(result);
    }
    if (isDecidedByInspection(inspection) || context.level === "syntax") return checkedNow(inspection);
    return findInMemory(context, inspection);
  };

  const findInTable = async (
    context: CheckContext,
    inspections: readonly Evidence[],
  ): Promise<(ValidationAnswer | undefined)[]> => {
    if (context.maxAgeMs === 0) return inspections.map(() => undefined);
    const cached = await verdictCache.findFresh(context.accountId, inspections.flatMap(normalizedOf));
    return inTimeSlices(
      inspections,
      (inspection) =>
        inspection.address && fromCache(context, inspection, cached.get(inspection.address.normalized)),
    );
  };

  const calibrationFor = ({ accountId, isTest }: CheckContext) =>
    isTest ? undefined : calibrations?.find(accountId);

  const findAmong = async (
    context: CheckContext,
    inspections: readonly Evidence[],
    calibrating = calibrationFor(context),
  ): Promise<(ValidationAnswer | undefined)[]> => {
    const calibrated = await calibrating;
    if (calibrated) await noteOutcomes(calibrated, context, inspections);
    const answers = await Promise.all(
      await inTimeSlices(inspections, (inspection) => findAtOnce(context, inspection)),
    );
    const open = inspections.filter((_, index) => answers[index] === undefined);
    const fromTable = (open.length > 0 ? await findInTable(context, open) : []).values();
    const found = answers.map((answer) => answer ?? fromTable.next().value);
    for (const answer of found) if (answer && !answer.isSandbox) answer.calibration = calibrated?.calibration;
    return found;
  };

  const ask: Answers["ask"] = async (context, inspections, { withinMs, isUrgent }) => {
    const requests = await checks.begin(context.accountId, inspections, isUrgent, context.level);
    await checks.wait(requests, withinMs);
    const calibrated = await calibrationFor(context);
    return inTimeSlices(requests, (request) => answerTo(request, calibrated?.calibration));
  };

  return {
    inspect: verifier.inspect,
    known(context, inspection) {
      const calibrating = isInSandbox(context, inspection) ? undefined : calibrationFor(context);
      if (calibrating === undefined) {
        return (
          findAtOnce(context, inspection) ?? findInTable(context, [inspection]).then(([answer]) => answer)
        );
      }
      return findAmong(context, [inspection], calibrating).then(([answer]) => answer);
    },
    knownAmong: (context, inspections) => findAmong(context, inspections),
    ask,
    async askOpen(context, inspections, mode) {
      const ended = await inTimeSlices(inspections, (inspection) => findInMemory(context, inspection));
      for (const answer of ended)
        if (answer) answer.calibration = (await calibrationFor(context))?.calibration;
      const open = inspections.filter((_, index) => ended[index] === undefined);
      const asked = (await ask(context, open, mode)).values();
      return ended.map((answer) => answer ?? asked.next().value!);
    },
    begin: ({ accountId, level }, inspections) => checks.beginSome(accountId, inspections, level),
    wait: checks.wait,
    calibrationOf: async (context) => (await calibrationFor(context))?.calibration,
    wrapUp: checks.wrapUp,
  };
}

/** With the evidence so far. */
export function answerTo(request: CheckRequest, calibration?: Calibration): ValidationAnswer {
  const { evidence, checkedAtMs } = foundFor(request);
  const answer = answerOf(evidence, decide(evidence), checkedAtMs);
  answer.calibration = calibration;
  answer.isFinal = isSettled(request) && answer.verdict.status !== "unknown";
  return answer;
}

/** With the evidence that the other addresses of its list add. */
export function amongList(answer: ValidationAnswer, view: ListView): ValidationAnswer {
  if (answer.isSandbox) return answer; // its evidence is simulated
  const evidence = view(answer.evidence, answer.verdict);
  return evidence === answer.evidence ? answer : { ...answer, evidence, verdict: decide(evidence) };
}

/** Adds the outcomes that the account has reported to the inspections, and so to every answer. */
async function noteOutcomes(
  calibrated: AccountCalibration,
  context: CheckContext,
  inspections: readonly Evidence[],
): Promise<void> {
  const real = inspections.filter((inspection) => !isInSandbox(context, inspection));
  const outcomes = await calibrated.outcomesOf(real.flatMap(normalizedOf));
  for (const inspection of real) {
    const outcome = inspection.address && outcomes.get(inspection.address.normalized);
    if (outcome) inspection.outcome = outcome;
  }
}

/** No check could change the verdict. */
function isDecidedByInspection({ syntaxError, specialUse, providerSyntaxError }: Evidence): boolean {
  return syntaxError !== undefined || specialUse !== undefined || providerSyntaxError !== undefined;
}

function checkedNow(evidence: Evidence): ValidationAnswer {
  return answerOf(evidence, decide(evidence), Date.now());
}

function inSandbox({ evidence, isFinal }: SandboxResult): ValidationAnswer {
  const answer = checkedNow(evidence);
  answer.isSandbox = true;
  answer.isFinal = isFinal;
  return answer;
}

function answerOf(evidence: Evidence, verdict: Verdict, checkedAtMs: number): ValidationAnswer {
  return {
    evidence,
    verdict,
    checkedAtMs,
    isCached: false,
    isSandbox: false,
    isFinal: true,
    calibration: undefined,
  };
}

/** Undefined when it is not fresh enough by the current rules, inspection and options. */
function fromCache(
  context: CheckContext,
  inspection: Evidence,
  cached: CachedVerdict | undefined,
): ValidationAnswer | undefined {
  if (!cached || isTooOld(cached.checkedAtMs, context)) return undefined;
  const { checkedAtMs } = cached;
  const evidence = upTo(context.level, mergeEvidence(inspection, cached.evidence));
  const verdict = decide(evidence);
  const isFresh = Date.now() < checkedAtMs + freshForMs(evidence, verdict);
  if (!isFresh) return undefined;
  const answer = answerOf(evidence, verdict, checkedAtMs);
  answer.isCached = true;
  return answer;
}

function normalizedOf({ address }: Evidence): string[] {
  return address ? [address.normalized] : [];
}
