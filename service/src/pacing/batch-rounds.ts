/**
 * Work with the database that is done in rounds, one at a time, each with all that has come up by then. When one fails
 * the next follows after a pause, for as long as it takes: nobody who brings work hears of it, only the operator.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { isDatabaseUnavailable } from "../db/database.ts";

export type Rounds = {
  /** There is something to do: now, or after so many milliseconds. */
  wake(inMs?: number): void;
  /** Begins no more rounds, and waits for the one under way. */
  close(): Promise<void>;
};

export type RoundsOptions = {
  /** One round; how long until the next is due, undefined when nothing is left to do. */
  round(): Promise<number | undefined>;
  /** What is done, for the operator. */
  name: string;
  say: (line: string) => void;
};

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;

export function createRounds({ round, name, say }: RoundsOptions): Rounds {
  let dueAtMs = Number.POSITIVE_INFINITY;
  let notBeforeMs = 0;
  let pauseMs = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let isClosed = false;

  const schedule = () => {
    clearTimeout(timer);
    if (isClosed || working || dueAtMs === Number.POSITIVE_INFINITY) return;
    const leftMs = Math.max(dueAtMs, notBeforeMs) - performance.now();
    if (leftMs > 0) timer = setTimeout(start, Math.ceil(leftMs));
    else start();
  };
  const start = () => {
    working = work().finally(() => {
      working = undefined;
      schedule();
    });
  };
  const work = async () => {
    await nextTurn(); // whatever the network brought in this turn of the event loop comes along
    dueAtMs = Number.POSITIVE_INFINITY;
    try {
      const nextInMs = await round();
      if (nextInMs !== undefined) dueAtMs = Math.min(dueAtMs, performance.now() + nextInMs);
      if (pauseMs > FIRST_PAUSE_MS) say(`${name}: going on`);
      pauseMs = FIRST_PAUSE_MS;
    } catch (error) {
      // Said once per interruption. Anything but an absent database is a bug of ours, and told in full.
      if (pauseMs === FIRST_PAUSE_MS) say(`${name}: ${inWords(error)}; trying again`);
      notBeforeMs = performance.now() + pauseMs;
      dueAtMs = notBeforeMs;
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  };

  return {
    wake(inMs = 0) {
      const atMs = performance.now() + inMs;
      if (atMs >= dueAtMs) return;
      dueAtMs = atMs;
      schedule();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await working;
    },
  };
}

function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return isDatabaseUnavailable(error) ? error.message : (error.stack ?? error.message);
}
