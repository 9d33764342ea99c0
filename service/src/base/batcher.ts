/**
 * Collects items and processes them together, one batch at a time: what arrives while a batch runs goes into the next.
 *
 * A statement that must reach the disk costs about the same for one row as for hundreds. Under load each batch carries
 * many items; without load an item waits for nothing but `delayMs`.
 */
import { setImmediate as nextTurn } from "node:timers/promises";

export type Batcher<Item, Result> = {
  /** Settles when the batch with this item has ended. */
  submit(item: Item): Promise<Result>;
  /** Items that wait for a batch. */
  readonly size: number;
  /** Processes everything without further delay, including what is submitted meanwhile. */
  flush(): Promise<void>;
};

export type BatcherOptions<Item, Result> = {
  /** All or nothing: one result per item, in their order, or an error and no effect. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
  maxItems: number;
  /** How long the first item of a batch waits for others; by default until the next turn of the event loop. */
  delayMs?: number;
  /** Items that share a key are never in one batch; the later one goes into the next. */
  keysOf?(item: Item): readonly string[];
};

export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { run, maxItems, delayMs = 0, keysOf = () => [] } = options;
  type Waiting = { item: Item; resolve(result: Result): void; reject(error: unknown): void };
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const start = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length > 0) running ??= runAll();
    return running;
  };

  async function runAll(): Promise<void> {
    do {
      if (delayMs === 0) await nextTurn(); // whatever the network delivers in this turn comes along
      await runBatch(takeBatch());
    } while (isDue());
    running = undefined;
    if (waiting.length > 0) startLater(); // submitted meanwhile
  }

  function isDue(): boolean {
    return waiting.length >= maxItems || (delayMs === 0 && waiting.length > 0);
  }

  function startLater(): void {
    timer ??= setTimeout(start, delayMs).unref();
  }

  function takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const taken = new Set<string>();
    for (const one of waiting) {
      const keys = keysOf(one.item);
      if (batch.length === maxItems || keys.some((key) => taken.has(key))) {
        left.push(one);
        continue;
      }
      for (const key of keys) taken.add(key);
      batch.push(one);
    }
    waiting = left;
    return batch;
  }

  async function runBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await run(batch.map((one) => one.item));
      for (const [index, one] of batch.entries()) one.resolve(results[index]!);
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  }

  return {
    submit: (item) =>
      new Promise<Result>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (isDue()) void start();
        else startLater();
      }),
    get size() {
      return waiting.length;
    },
    async flush() {
      while (running || waiting.length > 0) await start();
    },
  };
}
