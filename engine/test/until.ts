import { setTimeout as delay } from "node:timers/promises";

/** Below the limit of a test (vitest.config.ts), so that the error names the condition. */
const LIMIT_MS = 150_000;
const POLL_MS = 5;

/** Waits until a condition holds, however slow the machine is. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`condition not met: ${condition}`);
    await delay(POLL_MS);
  }
}
