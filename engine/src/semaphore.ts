/**
 * A turnstile: so many may be inside at once, the others wait their turn, first come first served.
 */

export type Semaphore = {
  pass<T>(work: () => Promise<T>): Promise<T>;
};

export function createSemaphore(places: number): Semaphore {
  let free = places;
  const waiting: (() => void)[] = [];
  let next = 0; // index of the first in line; the array is cut now and then instead of at every step

  const leave = () => {
    const first = waiting[next];
    if (!first) {
      free++;
      return;
    }
    next++;
    if (next === waiting.length || next > 1024) {
      waiting.splice(0, next);
      next = 0;
    }
    first(); // the place is handed over, never free in between
  };

  return {
    async pass(work) {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
