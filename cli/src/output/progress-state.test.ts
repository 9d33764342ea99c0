import { expect, onTestFinished, test, vi } from "vitest";
import { createRate, type ProgressStream, progressDisplayOn } from "./progress-state.ts";

function recorder(): { stream: ProgressStream; lines: string[] } {
  const lines: string[] = [];
  const write = (text: string | Uint8Array) => lines.push(String(text)) > 0;
  return { stream: { write }, lines };
}

test("without a terminal, lines show progress, rate and time left", () => {
  const { stream, lines } = recorder();
  using display = progressDisplayOn(stream, 0);
  display.show({ done: 1200, total: 5000, ratePerSecond: 4.25, secondsLeft: 894 });
  display.show({ done: 1200, total: 5000, ratePerSecond: 4.25, secondsLeft: 894 });
  display.show({ done: 2000, total: 5000, ratePerSecond: 1234.5, secondsLeft: 3, note: "paused" });
  display.show({ done: 5000, total: 5000, ratePerSecond: 0, secondsLeft: 0 });
  expect(lines).toEqual([
    "1,200 of 5,000  4.3/s  14 min 54 s left\n",
    "2,000 of 5,000  1,235/s  3 s left  paused\n",
    "5,000 of 5,000\n",
  ]);
});

test("short work prints no line", () => {
  const { stream, lines } = recorder();
  using display = progressDisplayOn(stream);
  for (let done = 0; done < 100; done++)
    display.show({ done, total: 100, ratePerSecond: 1, secondsLeft: undefined });
  expect(lines).toEqual([]);
});

test("the rate covers the sliding window only", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const rate = createRate(15_000);
  vi.advanceTimersByTime(10_000);
  expect(rate.of(1000)).toBe(100);
  vi.advanceTimersByTime(18_000);
  rate.of(1000);
  vi.advanceTimersByTime(18_000);
  expect(rate.of(1000)).toBe(0);
  vi.advanceTimersByTime(2_000);
  expect(rate.of(1100)).toBe(5);
});
