import { setTimeout as delay } from "node:timers/promises";

/** Under the limit of a test (vitest.config.ts), so that what was waited for is told and not just that it took too long. */
const LIMIT_MS = 150_000;
const LOOK_MS = 5;

/** Waits until it is so, however slow the machine is. */
export async function until(isSo: () => boolean): Promise<void> {
  const givesUpAt = performance.now() + LIMIT_MS;
  while (!isSo()) {
    if (performance.now() > givesUpAt) throw new Error(`still not so: ${isSo}`);
    await delay(LOOK_MS);
  }
}
