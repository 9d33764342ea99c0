/**
 * The answer to a question about an address: a verdict that is known already, or what asking around brings in time.
 *
 * Known already is what the sandbox plays, what the text alone settles, and what the account's memory still holds.
 */
import { type Calibration, decide, type Evidence, type Verdict } from "@mailvet/engine";
import { inTimeSlices } from "../event-loop-yield.ts";
import type { AccountCalibration, CalibrationCache } from "../feedback/calibration-cache.ts";
import type { ListView } from "../naming/list-view.ts";
import type { Asker } from "./asker.ts";
import { readWith } from "./cached-evidence.ts";
import { isTooOld, upTo } from "./check-options.ts";
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
  /** What the evidence adds up to. */
  verdict: Verdict;
  /** When the evidence was gathered. */
  checkedAtMs: number;
  isCached: boolean;
  isSandbox: boolean;
  /** Asking again would not change it, as far as anyone can tell. */
  isFinal: boolean;
  /** What the account's own outcomes say of its scores. */
  calibration?: Calibration | undefined;
};

/** What is not settled `withinMs` is answered with what is known by then. Urgent questions go before others. */
export type AnswerMode = { withinMs: number; isUrgent: boolean };

export type Answers = {
  /** A first look at the text, without asking anyone. */
  glance(email: string): Evidence;
  /** The answer, if there is one without asking. */
  known(asker: Asker, glance: Evidence): Promise<ValidationAnswer | undefined> | ValidationAnswer;
  /** The same for many, in their order. */
  knownAmong(asker: Asker, glances: readonly Evidence[]): Promise<(ValidationAnswer | undefined)[]>;
  /** The answers to those that are not known. */
  ask(asker: Asker, glances: readonly Evidence[], manner: AnswerMode): Promise<ValidationAnswer[]>;
  /** For lists that wait in their own way: the questions, and undefined where there is no room for more. */
  begin(asker: Asker, glances: readonly Evidence[]): Promise<(CheckRequest | undefined)[]>;
  wait: InFlightChecks["wait"];
  /** For those lists too: what the account's own outcomes say of its scores. */
  calibrationOf(asker: Asker): Promise<Calibration | undefined>;
  /** From now on nobody waits longer than this. */
  wrapUp(withinMs: number): void;
};

export type AnswerDeps = CheckDeps & {
  memory: Pick<VerdictCache, "atHand" | "recall">;
  /** What outcomes taught; without it scores are as they are. */
  learned?: CalibrationCache | undefined;
};

export function createAnswers(deps: AnswerDeps): Answers {
  const { verifier, memory, learned } = deps;
  const sandbox = createSandbox();
  const checks = createInFlightChecks(deps);

  /** Without asking even the database. */
  const atHand = (
    asker: Asker,
    glance: Evidence,
  ): Promise<ValidationAnswer> | ValidationAnswer | undefined => {
    if (isInSandbox(asker, glance)) {
      const played = sandbox.play(asker, glance);
      return played instanceof Promise ? played.then(inSandbox) : inSandbox(played);
    }
    if (isSettledByText(glance) || asker.level === "syntax") return justNow(glance);
    const { address } = glance;
    return address && fromMemory(asker, glance, memory.atHand(asker.accountId, address.normalized));
  };

  const recall = async (
    asker: Asker,
    glances: readonly Evidence[],
  ): Promise<(ValidationAnswer | undefined)[]> => {
    if (asker.maxAgeMs === 0) return glances.map(() => undefined);
    const remembered = await memory.recall(asker.accountId, glances.flatMap(normalizedOf));
    return inTimeSlices(
      glances,
      (glance) => glance.address && fromMemory(asker, glance, remembered.get(glance.address.normalized)),
    );
  };

  const lessonFor = ({ accountId, isTest }: Asker) => (isTest ? undefined : learned?.lessonOf(accountId));

  const findAmong = async (
    asker: Asker,
    glances: readonly Evidence[],
  ): Promise<(ValidationAnswer | undefined)[]> => {
    const lesson = await lessonFor(asker);
    if (lesson) await noteOutcomes(lesson, asker, glances);
    const answers = await Promise.all(await inTimeSlices(glances, (glance) => atHand(asker, glance)));
    const open = glances.filter((_, index) => answers[index] === undefined);
    const recalled = (open.length > 0 ? await recall(asker, open) : []).values();
    const found = answers.map((answer) => answer ?? recalled.next().value);
    for (const answer of found) if (answer && !answer.isSandbox) answer.calibration = lesson?.calibration;
    return found;
  };

  return {
    glance: (email) => verifier.begin(email, "syntax").evidence,
    known(asker, glance) {
      if (isInSandbox(asker, glance) || lessonFor(asker) === undefined) {
        return atHand(asker, glance) ?? recall(asker, [glance]).then(([answer]) => answer);
      }
      return findAmong(asker, [glance]).then(([answer]) => answer);
    },
    knownAmong: findAmong,
    async ask(asker, glances, { withinMs, isUrgent }) {
      const questions = await checks.begin(asker.accountId, glances, isUrgent, asker.level);
      await checks.wait(questions, withinMs);
      const lesson = await lessonFor(asker);
      return inTimeSlices(questions, (question) => answerTo(question, lesson?.calibration));
    },
    begin: ({ accountId }, glances) => checks.beginSome(accountId, glances),
    wait: checks.wait,
    calibrationOf: async (asker) => (await lessonFor(asker))?.calibration,
    wrapUp: checks.wrapUp,
  };
}

/** With what is known by now. */
export function answerTo(question: CheckRequest, calibration?: Calibration): ValidationAnswer {
  const { evidence, checkedAtMs } = foundFor(question);
  const answer = answerOf(evidence, decide(evidence), checkedAtMs);
  answer.calibration = calibration;
  answer.isFinal = isSettled(question) && answer.verdict.status !== "unknown";
  return answer;
}

/** With what the rest of its list says of it. */
export function amongList(answer: ValidationAnswer, view: ListView): ValidationAnswer {
  if (answer.isSandbox) return answer; // its evidence is made up
  const evidence = view(answer.evidence, answer.verdict);
  return evidence === answer.evidence ? answer : { ...answer, evidence, verdict: decide(evidence) };
}

/** What the account told of these mailboxes becomes part of the first look, and so of every answer. */
async function noteOutcomes(
  lesson: AccountCalibration,
  asker: Asker,
  glances: readonly Evidence[],
): Promise<void> {
  const real = glances.filter((glance) => !isInSandbox(asker, glance));
  const outcomes = await lesson.outcomesOf(real.flatMap(normalizedOf));
  for (const glance of real) {
    const outcome = glance.address && outcomes.get(glance.address.normalized);
    if (outcome) glance.outcome = outcome;
  }
}

/** Nothing that anyone could say would change it. */
function isSettledByText({ syntaxError, specialUse, providerSyntaxError }: Evidence): boolean {
  return syntaxError !== undefined || specialUse !== undefined || providerSyntaxError !== undefined;
}

function justNow(evidence: Evidence): ValidationAnswer {
  return answerOf(evidence, decide(evidence), Date.now());
}

function inSandbox({ evidence, isFinal }: SandboxResult): ValidationAnswer {
  const answer = justNow(evidence);
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

/** Undefined when it is not fresh enough, by the rules of today, what the text says now, and what the caller wants. */
function fromMemory(
  asker: Asker,
  glance: Evidence,
  remembered: CachedVerdict | undefined,
): ValidationAnswer | undefined {
  if (!remembered || isTooOld(remembered.checkedAtMs, asker)) return undefined;
  const { kept, checkedAtMs } = remembered;
  const evidence = upTo(asker.level, readWith(glance, kept));
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
