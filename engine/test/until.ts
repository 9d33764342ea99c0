import { setTimeout as delay } from "node:timers/promises";

/** Below the test timeout (vitest.config.ts), so that the condition is named in the failure. */
const LIMIT_MS = 540_000;
const LOOK_MS = 5;

/** Waits until the condition holds. */
export async function until(isSo: () => boolean): Promise<void> {
  const givesUpAt = performance.now() + LIMIT_MS;
  while (!isSo()) {
    if (performance.now() > givesUpAt) throw new Error(`still not so: ${isSo}`);
    await delay(LOOK_MS);
  }
}
