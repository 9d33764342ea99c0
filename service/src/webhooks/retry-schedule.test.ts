import { expect, test } from "vitest";
import { HOUR_MS, nextAttemptAt, RETRY_SCHEDULE } from "./retry-schedule.ts";

const startedAt = new Date("2026-11-01T00:00:00Z");

test("however the gaps fall, eight attempts are made within a day", () => {
  for (const luck of [0, 0.5, 0.999]) {
    let at = startedAt;
    let attempts = 1;
    for (;;) {
      const next = nextAttemptAt(RETRY_SCHEDULE, { startedAt, attempts }, at, () => luck);
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

test("nothing is tried later than a day after it began, however few attempts there were", () => {
  const after = (hours: number) => new Date(startedAt.getTime() + hours * HOUR_MS);
  expect(nextAttemptAt(RETRY_SCHEDULE, { startedAt, attempts: 4 }, after(21.5), () => 0)).toEqual(
    after(23.5),
  );
  expect(nextAttemptAt(RETRY_SCHEDULE, { startedAt, attempts: 4 }, after(22.5), () => 0)).toBeUndefined();
});
