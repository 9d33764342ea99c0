/**
 * Database work in rounds, one at a time, each with everything that has come up by then. A failed round is repeated with
 * back-off until it succeeds; callers never see the failure.
 *
 * Not on batcher.ts: a round has no items but a next due time, and survives an outage of the database.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { LogEvent } from "../base/log-events.ts";

export type Rounds = {
  /** Work is due now, or after so many milliseconds. */
  wake(inMs?: number): void;
  /** Starts no more rounds, and waits for the running one. */
  close(): Promise<void>;
};

export type RoundsOptions = {
  /** One round. Returns how long until the next is due; undefined when nothing is left. */
  round(): Promise<number | undefined>;
  /** For the log. */
  name: string;
  log: LogEvent;
};

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;

export function createRounds({ round, name, log }: RoundsOptions): Rounds {
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
    await nextTurn(); // whatever the network delivers in this turn comes along
    dueAtMs = Number.POSITIVE_INFINITY;
    try {
      const nextInMs = await round();
      if (nextInMs !== undefined) dueAtMs = Math.min(dueAtMs, performance.now() + nextInMs);
      if (pauseMs > FIRST_PAUSE_MS) log("pacing_sync_restored", { part: name });
      pauseMs = FIRST_PAUSE_MS;
    } catch (error) {
      // Logged once per interruption.
      if (pauseMs === FIRST_PAUSE_MS) log("pacing_sync_failed", { part: name, err: error });
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
