/** Records the delays of all timers set from now on in this test, so that delays can be asserted without a clock. */
import { onTestFinished, vi } from "vitest";

export function watchWaits(): readonly number[] {
  const waits: number[] = [];
  const { setTimeout } = globalThis;
  const watched = (work: () => void, delayMs?: number) => {
    waits.push(delayMs ?? 0);
    return setTimeout(work, delayMs);
  };
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(watched as typeof setTimeout);
  onTestFinished(() => spy.mockRestore());
  return waits;
}
