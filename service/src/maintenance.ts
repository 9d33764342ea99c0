/** Periodic maintenance, every minute: releases what exited processes held, deletes what has expired. */

/** Each task may run in several processes at the same time. */
export type MaintenanceTasks = Readonly<Record<string, () => Promise<unknown>>>;

export type Maintenance = { close(): Promise<void> };

const EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;

/** For tasks that scan a whole table. */
export function hourly(task: () => Promise<unknown>): () => Promise<unknown> {
  let dueAtMs = 0;
  return async () => {
    if (performance.now() < dueAtMs) return;
    dueAtMs = performance.now() + HOUR_MS;
    await task();
  };
}

export function startMaintenance(
  tasks: MaintenanceTasks,
  onFailure: (task: string, error: unknown) => void,
): Maintenance {
  let isClosing = false;
  let lastRun: Promise<void> = Promise.resolve();
  const runAll = async () => {
    for (const [name, task] of Object.entries(tasks)) {
      if (isClosing) return;
      await task().catch((error) => onFailure(name, error));
    }
  };
  const schedule = () => {
    lastRun = lastRun.then(runAll); // one run at a time, however long it takes
  };
  schedule(); // at start: the last process may have been killed in the middle of something
  const timer = setInterval(schedule, EVERY_MS);
  timer.unref();
  return {
    async close() {
      isClosing = true;
      clearInterval(timer);
      await lastRun;
    },
  };
}
