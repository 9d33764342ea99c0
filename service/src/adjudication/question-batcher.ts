/**
 * Collects questions that may be asked together into batches, and runs a few batches at a time.
 *
 * A batch that does not start within half the time limit is given up, and when too many questions wait, a new one is refused
 * at once. Not on batcher.ts: batches of different groups run in parallel and have deadlines.
 */
import type { AdjudicationQuestion } from "./question.ts";

export type QuestionBatcher<Answer> = {
  /** Undefined when there is no answer. Never rejects. */
  put(question: AdjudicationQuestion): Promise<Answer | undefined>;
  /** Gives up all waiting questions. */
  close(): void;
};

export type QuestionBatcherDeps<Answer> = {
  /** Answers in the order of the questions, before the deadline (by performance.now()). Never rejects. */
  run: (
    questions: readonly AdjudicationQuestion[],
    deadlineMs: number,
  ) => Promise<readonly (Answer | undefined)[]>;
  /** From `put` to the answer. */
  timeoutMs: number;
  onCrowded: (questions: number) => void;
};

const DELAY_MS = 30;
const QUESTIONS_AT_ONCE = 20;
const BATCHES_AT_ONCE = 4;
/** About what these batches can answer in time when the model is slow. */
const MAX_WAITING = 400;

type Batch<Answer> = {
  group: string;
  questions: AdjudicationQuestion[];
  settlers: ((answer: Answer | undefined) => void)[];
  openedAtMs: number;
  collecting: NodeJS.Timeout;
  giveUp: NodeJS.Timeout;
};

export function createQuestionBatcher<Answer>(deps: QuestionBatcherDeps<Answer>): QuestionBatcher<Answer> {
  const { run, timeoutMs, onCrowded } = deps;
  /** Batches that accept questions, by group. */
  const open = new Map<string, Batch<Answer>>();
  /** Batches that are complete, the oldest first. */
  const ready = new Set<Batch<Answer>>();
  let waiting = 0; // questions, in both
  let running = 0; // batches

  const openBatch = (group: string): Batch<Answer> => {
    const batch: Batch<Answer> = {
      group,
      questions: [],
      settlers: [],
      openedAtMs: performance.now(),
      collecting: setTimeout(() => close(batch), DELAY_MS),
      giveUp: setTimeout(() => refuse(batch), timeoutMs / 2),
    };
    open.set(group, batch);
    return batch;
  };
  const close = (batch: Batch<Answer>) => {
    clearTimeout(batch.collecting);
    open.delete(batch.group);
    ready.add(batch);
    runNext();
  };
  const leave = (batch: Batch<Answer>) => {
    clearTimeout(batch.collecting);
    clearTimeout(batch.giveUp);
    if (open.get(batch.group) === batch) open.delete(batch.group);
    ready.delete(batch);
    waiting -= batch.questions.length;
  };
  const refuse = (batch: Batch<Answer>) => {
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
      const batch = open.get(question.group) ?? openBatch(question.group);
      waiting++;
      batch.questions.push(question);
      const answer = new Promise<Answer | undefined>((resolve) => batch.settlers.push(resolve));
      if (batch.questions.length === QUESTIONS_AT_ONCE) close(batch);
      return answer;
    },
    close() {
      for (const batch of [...open.values(), ...ready]) refuse(batch);
    },
  };
}
