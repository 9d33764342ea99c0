import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRate, type MeterStream, meterOn } from "./meter.ts";

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

test("the rate is that of the last while", async () => {
  const rate = createRate(100);
  await sleep(60);
  rate.of(1000);
  await sleep(120);
  rate.of(1000);
  await sleep(120);
  expect(rate.of(1000)).toBe(0);
  await sleep(50);
  expect(rate.of(1100)).toBeGreaterThan(0);
});
