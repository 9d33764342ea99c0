import { expect, test } from "vitest";
import { HOUR_MS, nextAttemptAt, RETRY_SCHEDULE } from "./retry-schedule.ts";

const startedAt = new Date("2026-11-01T00:00:00Z");

test("eight attempts are made within a day, whatever the jitter", () => {
  for (const random of [0, 0.5, 0.999]) {
    let at = startedAt;
    let attempts = 1;
    for (;;) {
      const next = nextAttemptAt(RETRY_SCHEDULE, { startedAt, attempts }, at, () => random);
      if (!next) break;
      expect(next.getTime()).toBeGreaterThan(at.getTime());
      at = next;
      attempts += 1;
    }
    expect(attempts).toBe(8);
    expect(at.getTime() - startedAt.getTime()).toBeGreaterThan(21 * HOUR_MS);
    expect(at.getTime() - startedAt.getTime()).toBeLessThan(24 * HOUR_MS);
  }
});

test("no attempt starts later than a day after the first, however few there were", () => {
  const after = (hours: number) => new Date(startedAt.getTime() + hours * HOUR_MS);
  expect(nextAttemptAt(RETRY_SCHEDULE, { startedAt, attempts: 4 }, after(21.5), () => 0)).toEqual(
    after(23.5),
  );
  expect(nextAttemptAt(RETRY_SCHEDULE, { startedAt, attempts: 4 }, after(22.5), () => 0)).toBeUndefined();
});
