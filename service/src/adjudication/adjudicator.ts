/**
 * Adjudication: asks a language model about mailbox names that the local model finds ambiguous. Off unless configured.
 *
 * It never fails or delays a check: on any failure the answer is undefined, in time, and the local model's opinion stands.
 * Answers are cached, no questions are asked while the endpoint is failing (breaker.ts), and never more than the daily
 * budget (daily-budget.ts).
 */
import { once } from "node:events";
import type { Adjudication, Evidence } from "@mailvet/engine";
import { entriesUpTo } from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { LogEvent } from "../base/log-events.ts";
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
  /** Deletes old daily counts. */
  eraseOld(): Promise<void>;
  /** Waiting checks get no answer. */
  close(): void;
};

export type AdjudicatorSettings = LanguageModelSettings & {
  /** For everything: queueing, connecting, and the last byte of the answer. */
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
  /** Set while the breaker is open. */
  restsUntil: Date | undefined;
};

export type AdjudicatorDeps = {
  settings: AdjudicatorSettings;
  pool: Pick<pg.Pool, "query">;
  log: LogEvent;
  count?: (outcome: AdjudicationOutcome, questions: number) => void;
};

const MAX_CACHED = 20_000;
const TTL_MS = 24 * 60 * 60_000;

export function createAdjudicator({ settings, pool, log, count }: AdjudicatorDeps): Adjudicator {
  const { model, timeoutMs, questionsPerDay } = settings;
  const languageModel = createLanguageModel(settings);
  const budget = createDailyBudget({ pool, questionsPerDay, log });
  const breaker = new Breaker();
  /** Questions without an answer are not cached. The same question is asked once at a time. */
  const answers = new LRUCache<string, Adjudication, AdjudicationQuestion>({
    ...entriesUpTo(MAX_CACHED),
    ttl: TTL_MS,
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: question }) => {
      const obstacle = budget.isUsedUp()
        ? "over_budget"
        : breaker.isOpen(performance.now())
          ? "resting"
          : undefined;
      if (!obstacle) return batches.put(question);
      note(obstacle, 1);
      return undefined;
    },
  });
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
      noteFailure({ failure: messageOf(error) }); // a bug, which must not leave the breaker half-open
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
    const granted = await Promise.race([
      reserve(questions.length),
      once(stop, "abort").then(() => undefined),
    ]);
    if (granted === undefined) return none("failed", questions);
    const asked = questions.slice(0, granted);
    if (asked.length < questions.length) note("over_budget", questions.length - asked.length);
    if (asked.length === 0) return [];
    if (!breaker.admit(performance.now())) return none("resting", asked);
    const adjudications = await complete(asked, stop);
    if ("failure" in adjudications) {
      if (!isClosed) noteFailure(adjudications);
      return none("failed", asked);
    }
    breaker.succeeded();
    note("answered", asked.length);
    return adjudications;
  };

  const none = (outcome: AdjudicationOutcome, questions: readonly AdjudicationQuestion[]): Adjudication[] => {
    note(outcome, questions.length);
    return [];
  };

  const complete = async (
    questions: readonly AdjudicationQuestion[],
    stop: AbortSignal,
  ): Promise<Adjudication[] | ModelFailure> => {
    const completion = await languageModel.complete(promptFor(questions), stop);
    if ("failure" in completion) return completion;
    const answers = readAnswers(completion.text, questions.length);
    if (!answers) return { failure: "the answer does not match the schema" };
    return answers.map((answer) => ({ ...answer, method: model }));
  };

  const noteFailure = ({ failure, retryAfterMs }: ModelFailure) => {
    const pauseMs = breaker.failed(performance.now(), retryAfterMs);
    if (pauseMs !== undefined) log("adjudicator_paused", { failure, retry_in_ms: pauseMs });
  };

  /** Undefined when the budget could not be read. */
  const reserve = (questions: number): Promise<number | undefined> =>
    budget.reserve(questions).catch((error: unknown) => {
      log("adjudicator_budget_unknown", { err: error });
      return undefined;
    });

  const batches = createQuestionBatcher<Adjudication>({
    run,
    timeoutMs,
    onCrowded: (questions) => note("crowded", questions),
  });

  return {
    async adjudicate(evidence) {
      const question = isClosed ? undefined : questionOf(evidence, settings);
      if (!question) return undefined;
      const cached = answers.get(question.key);
      if (cached) {
        note("remembered", 1);
        return cached;
      }
      return answers.fetch(question.key, { context: question }).catch(() => undefined); // evicted while it was asked
    },
    async report() {
      const pauseMs = breaker.pauseLeftMs(performance.now());
      return {
        model,
        askedToday: await budget.askedToday(),
        questionsPerDay,
        outcomes: { ...outcomes },
        restsUntil: pauseMs > 0 ? new Date(Date.now() + pauseMs) : undefined,
      };
    },
    eraseOld: budget.eraseOld,
    close() {
      isClosed = true;
      batches.close();
      for (const request of requests) request.abort();
    },
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
