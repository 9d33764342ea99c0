/**
 * The second opinion: puts mailbox names that leave the local model in two minds to a language model of the operator's
 * choice. Off unless one is set.
 *
 * It is a guest at every check: whatever goes wrong, the answer is undefined, in time, and the local model's opinion
 * stands. It costs nothing twice (what was answered is remembered), nothing at all while the endpoint is out of order
 * (breaker.ts), and never more than the day's budget (daily-budget.ts).
 */
import type { Adjudication, Evidence } from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { readAnswers } from "./answer-parser.ts";
import { Breaker } from "./breaker.ts";
import { createDailyBudget } from "./daily-budget.ts";
import { createLanguageModel, type LanguageModelSettings, type ModelFailure } from "./language-model.ts";
import { promptFor } from "./prompt.ts";
import { type AdjudicationQuestion, questionOf } from "./question.ts";
import { createQuestionBatcher } from "./question-batcher.ts";

export type Adjudicator = {
  /** Never rejects, and takes no longer than the time limit. */
  adjudicate(evidence: Evidence): Promise<Adjudication | undefined>;
  report(): Promise<AdjudicatorReport>;
  /** Of the table of questions per day. */
  eraseOld(): Promise<void>;
  /** Whoever still waits gets no answer. */
  close(): void;
};

export type AdjudicatorSettings = LanguageModelSettings & {
  /** For everything: waiting for a turn, connecting, and the last byte of the answer. */
  timeoutMs: number;
  questionsPerDay: number;
  sendsDomain: boolean;
};

/** How a question ended. */
const ADJUDICATION_OUTCOMES = [
  "answered",
  "remembered",
  "failed",
  "resting",
  "crowded",
  "over_budget",
] as const;
export type AdjudicationOutcome = (typeof ADJUDICATION_OUTCOMES)[number];

export type AdjudicatorReport = {
  model: string;
  askedToday: number;
  questionsPerDay: number;
  /** Of this process, since its start. */
  outcomes: Readonly<Record<AdjudicationOutcome, number>>;
  /** Until then nobody is asked, because of failures. */
  restsUntil: Date | undefined;
};

export type AdjudicatorDeps = {
  settings: AdjudicatorSettings;
  pool: Pick<pg.Pool, "query">;
  say: (text: string) => void;
  count?: (outcome: AdjudicationOutcome, questions: number) => void;
};

const MOST_REMEMBERED = 20_000;
const REMEMBERED_MS = 24 * 60 * 60_000;

export function createAdjudicator({ settings, pool, say, count }: AdjudicatorDeps): Adjudicator {
  const { model, timeoutMs, questionsPerDay } = settings;
  const languageModel = createLanguageModel(settings);
  const budget = createDailyBudget({ pool, questionsPerDay, say });
  const breaker = new Breaker();
  const remembered = new LRUCache<string, Adjudication>({ max: MOST_REMEMBERED, ttl: REMEMBERED_MS });
  /** Questions nobody has answered yet, by key: whoever asks the same waits for the same answer. */
  const underWay = new Map<string, Promise<Adjudication | undefined>>();
  const requests = new Set<AbortController>();
  const outcomes = Object.fromEntries(ADJUDICATION_OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    AdjudicationOutcome,
    number
  >;
  let isClosed = false;

  const note = (outcome: AdjudicationOutcome, questions: number) => {
    outcomes[outcome] += questions;
    count?.(outcome, questions);
  };

  const run = async (questions: readonly AdjudicationQuestion[], deadlineMs: number) => {
    const request = new AbortController();
    const late = setTimeout(() => request.abort(), deadlineMs - performance.now());
    requests.add(request);
    try {
      return await ask(questions, request.signal);
    } catch (error) {
      tellFailure({ trouble: messageOf(error) }); // a bug of ours, which must not keep the breaker waiting
      return none("failed", questions);
    } finally {
      clearTimeout(late);
      requests.delete(request);
    }
  };

  const ask = async (
    questions: readonly AdjudicationQuestion[],
    stop: AbortSignal,
  ): Promise<Adjudication[]> => {
    if (breaker.isOpen(performance.now())) return none("resting", questions);
    const granted = await Promise.race([reserve(questions.length), ended(stop)]);
    if (granted === undefined) return none("failed", questions);
    const asked = questions.slice(0, granted);
    if (asked.length < questions.length) note("over_budget", questions.length - asked.length);
    if (asked.length === 0) return [];
    if (!breaker.admit(performance.now())) return none("resting", asked);
    const answers = await answersTo(asked, stop);
    if ("trouble" in answers) {
      if (!isClosed) tellFailure(answers);
      return none("failed", asked);
    }
    breaker.wentWell();
    note("answered", asked.length);
    for (const [i, { key }] of asked.entries()) remembered.set(key, answers[i]!);
    return answers;
  };

  const none = (outcome: AdjudicationOutcome, questions: readonly AdjudicationQuestion[]): Adjudication[] => {
    note(outcome, questions.length);
    return [];
  };

  const answersTo = async (
    questions: readonly AdjudicationQuestion[],
    stop: AbortSignal,
  ): Promise<Adjudication[] | ModelFailure> => {
    const completion = await languageModel.complete(promptFor(questions), stop);
    if ("trouble" in completion) return completion;
    const answers = readAnswers(completion.text, questions.length);
    if (!answers) return { trouble: "its answer does not have the agreed form" };
    return answers.map((answer) => ({ ...answer, method: model }));
  };

  const tellFailure = ({ trouble, comeBackAfterMs }: ModelFailure) => {
    const restMs = breaker.failed(performance.now(), comeBackAfterMs);
    if (restMs === undefined) return;
    say(
      `The language model gives no opinions: ${trouble}. It is asked again in ${Math.ceil(restMs / 1000)} s.`,
    );
  };

  /** Undefined when the database could not be asked: then nobody knows whether there is any budget left. */
  const reserve = (questions: number): Promise<number | undefined> =>
    budget.reserve(questions).catch((error: unknown) => {
      say(`The budget of the language model could not be looked up: ${messageOf(error)}`);
      return undefined;
    });

  const line = createQuestionBatcher<Adjudication>({
    run,
    timeoutMs,
    onCrowded: (questions) => note("crowded", questions),
  });

  const askAnew = (question: AdjudicationQuestion): Promise<Adjudication | undefined> => {
    const answer = line.put(question).finally(() => underWay.delete(question.key));
    underWay.set(question.key, answer);
    return answer;
  };

  return {
    async adjudicate(evidence) {
      const question = isClosed ? undefined : questionOf(evidence, settings);
      if (!question) return undefined;
      const known = remembered.get(question.key);
      if (known) {
        note("remembered", 1);
        return known;
      }
      const same = underWay.get(question.key);
      if (same) return same;
      const obstacle = budget.isUsedUp()
        ? "over_budget"
        : breaker.isOpen(performance.now())
          ? "resting"
          : undefined;
      if (!obstacle) return askAnew(question);
      note(obstacle, 1);
      return undefined;
    },
    async report() {
      const restMs = breaker.restLeftMs(performance.now());
      return {
        model,
        askedToday: await budget.askedToday(),
        questionsPerDay,
        outcomes: { ...outcomes },
        restsUntil: restMs > 0 ? new Date(Date.now() + restMs) : undefined,
      };
    },
    eraseOld: budget.eraseOld,
    close() {
      isClosed = true;
      line.close();
      for (const request of requests) request.abort();
    },
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function ended(stop: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => stop.addEventListener("abort", () => resolve(undefined), { once: true }));
}
