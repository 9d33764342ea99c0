/**
 * Sampling of log events that repeat, as during an outage: the first of a kind is logged at once, the others of the next ten
 * seconds as one count.
 */
export type LogSampling = {
  /** Runs `report` unless the kind was reported within the interval; later occurrences are counted. */
  note(kind: string, report: () => void): void;
  /** Forgets every kind, so that the next occurrence is reported at once. */
  clear(): void;
};

const INTERVAL_MS = 10_000;

/** `summarize` reports how often a kind occurred again within an interval that has ended. */
export function createLogSampling(
  summarize: (kind: string, occurrences: number) => void,
  intervalMs = INTERVAL_MS,
): LogSampling {
  const suppressed = new Map<string, number>();
  const timers = new Map<string, NodeJS.Timeout>();

  function watch(kind: string): void {
    suppressed.set(kind, 0);
    timers.set(kind, setTimeout(endInterval, intervalMs, kind).unref());
  }

  function endInterval(kind: string): void {
    const occurrences = suppressed.get(kind) ?? 0;
    suppressed.delete(kind);
    timers.delete(kind);
    if (occurrences === 0) return; // it is over
    summarize(kind, occurrences);
    watch(kind);
  }

  return {
    note(kind, report) {
      const occurrences = suppressed.get(kind);
      if (occurrences !== undefined) suppressed.set(kind, occurrences + 1);
      else {
        watch(kind);
        report();
      }
    },
    clear() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      suppressed.clear();
    },
  };
}
