import { expect, onTestFinished, test, vi } from "vitest";
import { createRate, type MeterStream, meterOn } from "./progress-state.ts";

function kept(): { stream: MeterStream; lines: string[] } {
  const lines: string[] = [];
  const write = (text: string | Uint8Array) => lines.push(String(text)) > 0;
  return { stream: { write }, lines };
}

test("where output is kept, a line says how far it is, how fast, and how long it will take", () => {
  const { stream, lines } = kept();
  using meter = meterOn(stream, 0);
  meter.show({ done: 1200, total: 5000, ratePerSecond: 4.25, secondsLeft: 894 });
  meter.show({ done: 1200, total: 5000, ratePerSecond: 4.25, secondsLeft: 894 });
  meter.show({ done: 2000, total: 5000, ratePerSecond: 1234.5, secondsLeft: 3, note: "paused" });
  meter.show({ done: 5000, total: 5000, ratePerSecond: 0, secondsLeft: 0 });
  expect(lines).toEqual([
    "1,200 of 5,000  4.3/s  14 min 54 s left\n",
    "2,000 of 5,000  1,235/s  3 s left  paused\n",
    "5,000 of 5,000\n",
  ]);
});

test("lines come now and then only", () => {
  const { stream, lines } = kept();
  using meter = meterOn(stream);
  for (let done = 0; done < 100; done++)
    meter.show({ done, total: 100, ratePerSecond: 1, secondsLeft: undefined });
  expect(lines).toEqual([]);
});

test("the rate is that of the last while", () => {
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
