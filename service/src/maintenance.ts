/**
 * Periodic maintenance: releases what exited processes held, deletes what has expired.
 *
 * Scheduled by pg-boss's cron: of all workers exactly one does each run.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Boss } from "./queue/boss.ts";

export type MaintenanceTasks = Readonly<Record<string, () => Promise<unknown>>>;

export type Maintenance = { close(): Promise<void> };

export type MaintenanceDeps = {
  boss: Boss;
  minutely: MaintenanceTasks;
  /** For tasks that scan a whole table. */
  hourly: MaintenanceTasks;
  daily?: MaintenanceTasks;
  onFailure: (task: string, error: unknown) => void;
};

const SCHEDULES = { minute: "* * * * *", hour: "7 * * * *", day: "41 4 * * *" } as const;
type Run = { every: keyof typeof SCHEDULES };

const POLL_SECONDS = 10;
const CLOSE_TIMEOUT_MS = 5000;
/** Before another attempt to start, when the database is unavailable. */
const RETRY_PAUSE_MS = 5000;

/** Starts in the background: the service does not wait for it. */
export function startMaintenance({
  boss,
  minutely,
  hourly,
  daily = {},
  onFailure,
}: MaintenanceDeps): Maintenance {
  let isClosing = false;
  const closing = new AbortController();

  const run = async (tasks: MaintenanceTasks) => {
    for (const [name, task] of Object.entries(tasks)) {
      if (isClosing) return;
      await task().catch((error) => onFailure(name, error));
    }
  };

  const start = async () => {
    await boss.start();
    await boss.work<Run>("maintenance", { pollingIntervalSeconds: POLL_SECONDS }, async ([job]) => {
      await run({ minute: minutely, hour: hourly, day: daily }[job?.data.every ?? "minute"]);
    });
    for (const [every, cron] of Object.entries(SCHEDULES))
      await boss.schedule("maintenance", cron, { every }, { key: every, singletonKey: every, group: GROUP });
    // At start: the last process may have been killed in the middle of something.
    await boss.send(
      "maintenance",
      { every: "minute" },
      { singletonKey: "start", singletonSeconds: 30, group: GROUP },
    );
  };

  const startWhenPossible = async () => {
    while (!isClosing) {
      try {
        return await start();
      } catch (error) {
        onFailure("schedule", error);
        await boss.stop({ close: false, graceful: false }).catch(() => {});
        await pause(RETRY_PAUSE_MS, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  };

  boss.on("error", (error) => onFailure("schedule", error));
  const starting = startWhenPossible();
  return {
    async close() {
      isClosing = true;
      closing.abort();
      await starting;
      await boss.stop({ close: false, timeout: CLOSE_TIMEOUT_MS });
    },
  };
}

/** Claims without a heartbeat are found by their group (queue/expired-turns.ts). */
const GROUP = { id: "maintenance" };
