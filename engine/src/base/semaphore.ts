/**
 * Semaphore with priorities: at most `permits` tasks run at once, and `reserved` more of the first level. Waiters start in
 * order of their level, lowest number first, and within a level in FIFO order.
 */
import { FifoQueue } from "./fifo-queue.ts";

export type Semaphore = {
  /** Runs the task when there is a permit for it. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Runs `start` now or when a permit is free; it must lead to one `release`. Undefined if it has started. */
  acquire(level: number, start: () => void): SemaphoreWaiter | undefined;
  /** Moves a waiter to the end of a level with a lower number. */
  raise(waiter: SemaphoreWaiter, level: number): void;
  release(): void;
};

export type SemaphoreWaiter = { level: number; start: (() => void) | undefined };

export function createSemaphore(permits: number, levels = 1, reserved = 0): Semaphore {
  /** Below zero while permits of the reserve are taken. */
  let free = permits;
  const queues = Array.from({ length: levels }, () => new FifoQueue<SemaphoreWaiter>());
  const isFree = (level: number) => free > (level === 0 ? -reserved : 0);

  /** A waiter that was raised is in several queues, and starts from the first. */
  const nextStart = (): (() => void) | undefined => {
    for (const [level, queue] of queues.entries()) {
      if (!isFree(level)) return undefined;
      for (let waiter = queue.shift(); waiter; waiter = queue.shift()) {
        const { start } = waiter;
        waiter.start = undefined;
        if (start) return start;
      }
    }
    return undefined;
  };

  const startNext = (): void => {
    const start = nextStart();
    if (!start) return;
    free--; // before it runs, so that a newcomer cannot overtake
    start();
  };
  const acquire: Semaphore["acquire"] = (level, start) => {
    if (isFree(level)) {
      free--;
      start();
      return undefined;
    }
    const waiter = { level, start };
    queues[level]!.push(waiter);
    return waiter;
  };
  const release = (): void => {
    free++;
    startNext();
  };

  return {
    acquire,
    release,
    async run(task) {
      await new Promise<void>((resolve) => acquire(levels - 1, resolve));
      try {
        return await task();
      } finally {
        release();
      }
    },
    raise(waiter, level) {
      if (!waiter.start || level >= waiter.level) return;
      waiter.level = level;
      queues[level]!.push(waiter);
      startNext(); // there may be a reserve for its new level
    },
  };
}
