/** Tests of what is counted by day. */
import { test } from "vitest";

/** Runs once more if a day (UTC) began meanwhile. */
export function testOnOneDay(name: string, run: () => Promise<void>): void {
  test(name, async () => {
    const day = today();
    try {
      await run();
    } catch (error) {
      if (today() === day) throw error;
      await run();
    }
  });
}

const today = () => new Date().toISOString().slice(0, 10);
