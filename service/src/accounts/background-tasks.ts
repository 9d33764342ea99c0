/**
 * Work that nobody waits for: its time must not show in an answer, because it depends on who has an account.
 * When it fails the operator hears of it.
 */
export type Background = {
  run(what: string, work: () => Promise<void>): void;
  /** When all of it is done. */
  idle(): Promise<void>;
};

const MOST_UNDER_WAY = 1_000;

export function createBackground(say: (line: string) => void): Background {
  const underWay = new Set<Promise<void>>();
  return {
    run(what, work) {
      if (underWay.size >= MOST_UNDER_WAY) return say(`${what} was left out: too much is waiting already.`);
      const one = work()
        .catch((error) => say(`${what} failed: ${error instanceof Error ? error.message : String(error)}`))
        .finally(() => underWay.delete(one));
      underWay.add(one);
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
