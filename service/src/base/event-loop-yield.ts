/**
 * Time slices for loops over many rows: after 2 ms the loop yields to the event loop, so that requests that arrive
 * meanwhile do not wait.
 */
import { setTimeout as rest } from "node:timers/promises";

export type TimeSlice = {
  readonly isOver: boolean;
  /** Yields to the event loop and starts the next slice. */
  next(): Promise<void>;
};

/** The longest a request waits for a running slice. */
const SLICE_MS = 2;
/** Reading the clock costs about as much as a small item. */
const ITEMS_PER_CLOCK_READ = 10;

/** `restMs` after each slice: for work that no caller waits for, so that a request meets few slices. */
export function startTimeSlice(restMs = 0): TimeSlice {
  let startedAtMs = performance.now();
  return {
    get isOver() {
      return performance.now() - startedAtMs >= SLICE_MS;
    },
    async next() {
      await (restMs > 0 ? rest(restMs) : yieldToEventLoop());
      startedAtMs = performance.now();
    },
  };
}

/** Maps a list in time slices. */
export async function inTimeSlices<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => R,
  restMs?: number,
): Promise<R[]> {
  const slice = startTimeSlice(restMs);
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index % ITEMS_PER_CLOCK_READ === 0 && slice.isOver) await slice.next();
    results.push(work(item, index));
  }
  return results;
}

const waiting: (() => void)[] = [];

/** Of all waiting callers, one continues in each iteration of the event loop. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeNext);
  });
}

function resumeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
}
