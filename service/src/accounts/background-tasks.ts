/**
 * Work that no request waits for: its duration depends on who has an account, so it must not show in a response time.
 */
import type { LogEvent } from "../log-events.ts";

export type BackgroundTasks = {
  run(task: string, work: () => Promise<void>): void;
  /** Resolves when all tasks are done. */
  idle(): Promise<void>;
};

const MAX_TASKS = 1_000;

export function createBackgroundTasks(log: LogEvent): BackgroundTasks {
  const running = new Set<Promise<void>>();
  return {
    run(task, work) {
      if (running.size >= MAX_TASKS) return log("background_task_dropped", { task });
      const one = work()
        .catch((error) => log("background_task_failed", { task, err: error }))
        .finally(() => running.delete(one));
      running.add(one);
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
