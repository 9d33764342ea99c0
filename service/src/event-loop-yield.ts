/**
 * Turns at the event loop, for whoever works through many rows: after a short while everybody else goes first, so that a
 * request that comes in meanwhile does not wait.
 */
export type TimeSlice = {
  readonly isOver: boolean;
  /** Lets others work, and begins the next one. */
  next(): Promise<void>;
};

/** A request that comes in meanwhile waits no longer than this. */
const TURN_MS = 2;
/** Looking at the clock costs about as much as a small piece of work. */
const ITEMS_PER_LOOK = 10;

export function startTimeSlice(): TimeSlice {
  let beganAtMs = performance.now();
  return {
    get isOver() {
      return performance.now() - beganAtMs >= TURN_MS;
    },
    async next() {
      await yieldToEventLoop();
      beganAtMs = performance.now();
    },
  };
}

/** Works through a list in turns. */
export async function inTimeSlices<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => R,
): Promise<R[]> {
  const turn = startTimeSlice();
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index % ITEMS_PER_LOOK === 0 && turn.isOver) await turn.next();
    results.push(work(item, index));
  }
  return results;
}

const waiting: (() => void)[] = [];

/** Of all who wait for their next turn, one goes on in each round of the event loop. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}
