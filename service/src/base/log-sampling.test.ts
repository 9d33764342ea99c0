import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLogSampling } from "./log-sampling.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the first event of a kind is reported at once, the others of the interval as one count", () => {
  const reported: string[] = [];
  const repeats = createLogSampling((kind, occurrences) => reported.push(`${kind} +${occurrences}`), 10_000);
  const note = (kind: string) => repeats.note(kind, () => reported.push(kind));

  for (let n = 0; n < 500; n++) note("away");
  note("full");
  expect(reported.splice(0)).toEqual(["away", "full"]);
  vi.advanceTimersByTime(10_000);
  expect(reported.splice(0)).toEqual(["away +499"]);
  note("away"); // the outage goes on
  vi.advanceTimersByTime(10_000);
  expect(reported.splice(0)).toEqual(["away +1"]);
  vi.advanceTimersByTime(10_000);
  note("away"); // a new one
  repeats.clear();
  note("away");
  expect(reported).toEqual(["away", "away"]);
  expect(vi.getTimerCount()).toBe(1);
});
