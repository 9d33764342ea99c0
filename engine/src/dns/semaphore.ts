/** FIFO semaphore: at most `permits` tasks run at once. */

export type Semaphore = {
  run<T>(task: () => Promise<T>): Promise<T>;
};

export function createSemaphore(permits: number): Semaphore {
  let free = permits;
  const waiters: (() => void)[] = [];
  let next = 0; // index of the first waiter; the array is compacted now and then instead of shifted each time

  const release = () => {
    const first = waiters[next];
    if (!first) {
      free++;
      return;
    }
    next++;
    if (next === waiters.length || next > 1024) {
      waiters.splice(0, next);
      next = 0;
    }
    first(); // the permit is handed over directly, so a newcomer cannot overtake
  };

  return {
    async run(task) {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiters.push(resolve));
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}
