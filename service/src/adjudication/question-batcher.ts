/**
 * Gathers questions that may be asked together into batches, and runs a few batches at a time.
 *
 * Nobody waits here for long: a batch that does not get its turn within half the time limit is given up, and when too
 * many wait, a new question is turned away at once.
 */
import type { AdjudicationQuestion } from "./question.ts";

export type QuestionBatcher<Answer> = {
  /** Undefined when there is no answer. Never rejects. */
  put(question: AdjudicationQuestion): Promise<Answer | undefined>;
  /** Gives up everything that waits. */
  close(): void;
};

export type QuestionBatcherDeps<Answer> = {
  /** Answers in the order of the questions, by then (of `performance.now()`). Never rejects. */
  run: (
    questions: readonly AdjudicationQuestion[],
    deadlineMs: number,
  ) => Promise<readonly (Answer | undefined)[]>;
  /** For everything, from the moment somebody asks. */
  timeoutMs: number;
  onCrowded: (questions: number) => void;
};

const GATHER_MS = 30;
const QUESTIONS_AT_ONCE = 20;
const BATCHES_AT_ONCE = 4;
/** What the few batches at a time can work off before it is too late, if the model takes its time. */
const MAX_WAITING = 400;

type Batch<Answer> = {
  company: string;
  questions: AdjudicationQuestion[];
  settlers: ((answer: Answer | undefined) => void)[];
  openedAtMs: number;
  gathering: NodeJS.Timeout;
  giveUp: NodeJS.Timeout;
};

export function createQuestionBatcher<Answer>(deps: QuestionBatcherDeps<Answer>): QuestionBatcher<Answer> {
  const { run, timeoutMs, onCrowded } = deps;
  /** Batches that still gather, by company. */
  const open = new Map<string, Batch<Answer>>();
  /** Batches that are ready, the oldest first. */
  const ready = new Set<Batch<Answer>>();
  let waiting = 0; // questions, in both
  let running = 0; // batches

  const openBatch = (company: string): Batch<Answer> => {
    const batch: Batch<Answer> = {
      company,
      questions: [],
      settlers: [],
      openedAtMs: performance.now(),
      gathering: setTimeout(() => close(batch), GATHER_MS),
      giveUp: setTimeout(() => turnAway(batch), timeoutMs / 2),
    };
    open.set(company, batch);
    return batch;
  };
  /** Takes nobody else in. */
  const close = (batch: Batch<Answer>) => {
    clearTimeout(batch.gathering);
    open.delete(batch.company);
    ready.add(batch);
    runNext();
  };
  const leave = (batch: Batch<Answer>) => {
    clearTimeout(batch.gathering);
    clearTimeout(batch.giveUp);
    if (open.get(batch.company) === batch) open.delete(batch.company);
    ready.delete(batch);
    waiting -= batch.questions.length;
  };
  const turnAway = (batch: Batch<Answer>) => {
    leave(batch);
    onCrowded(batch.questions.length);
    for (const settle of batch.settlers) settle(undefined);
  };
  const runNext = () => {
    for (const batch of ready) {
      if (running === BATCHES_AT_ONCE) return;
      leave(batch);
      running++;
      void runOne(batch);
    }
  };
  const runOne = async ({ questions, settlers, openedAtMs }: Batch<Answer>) => {
    const answers = await run(questions, openedAtMs + timeoutMs);
    for (const [i, settle] of settlers.entries()) settle(answers[i]);
    running--;
    runNext();
  };

  return {
    put(question) {
      if (waiting >= MAX_WAITING) {
        onCrowded(1);
        return Promise.resolve(undefined);
      }
      const batch = open.get(question.company) ?? openBatch(question.company);
      waiting++;
      batch.questions.push(question);
      const answer = new Promise<Answer | undefined>((resolve) => batch.settlers.push(resolve));
      if (batch.questions.length === QUESTIONS_AT_ONCE) close(batch);
      return answer;
    },
    close() {
      for (const batch of [...open.values(), ...ready]) turnAway(batch);
    },
  };
}
