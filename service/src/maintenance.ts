/** What is done every minute or so: giving back what dead processes held, deleting what has expired. */

/** Each chore may be done by several processes at once. */
export type MaintenanceTasks = Readonly<Record<string, () => Promise<unknown>>>;

export type Maintenance = { close(): Promise<void> };

const EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;

/** For chores that look at a whole table. */
export function hourly(chore: () => Promise<unknown>): () => Promise<unknown> {
  let dueAtMs = 0;
  return async () => {
    if (performance.now() < dueAtMs) return;
    dueAtMs = performance.now() + HOUR_MS;
    await chore();
  };
}

export function startMaintenance(
  chores: MaintenanceTasks,
  onTrouble: (chore: string, error: unknown) => void,
): Maintenance {
  let isClosing = false;
  let round: Promise<void> = Promise.resolve();
  const keepHouse = async () => {
    for (const [name, chore] of Object.entries(chores)) {
      if (isClosing) return;
      await chore().catch((error) => onTrouble(name, error));
    }
  };
  const begin = () => {
    round = round.then(keepHouse); // one round at a time, however long it takes
  };
  begin(); // the last process here may have died in the middle of something
  const timer = setInterval(begin, EVERY_MS);
  timer.unref();
  return {
    async close() {
      isClosing = true;
      clearInterval(timer);
      await round;
    },
  };
}
