/** The delays for which timers are set from now on in this test: how long a server means to wait, on any machine. */
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
