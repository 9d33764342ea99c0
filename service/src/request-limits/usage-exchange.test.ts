import type pg from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createUsageExchange } from "./usage-exchange.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

test("concurrency that changes while a report is written is reported right after it", async () => {
  const inProgress: number[] = [];
  let answer = () => {};
  const query = ({ values }: { values: [string, string[], number[], number[], number[]] }) => {
    inProgress.push(values[4][0]!);
    return new Promise((resolve) => {
      answer = () => resolve({ rows: [{ account_id: "ann", tokens: 60, elsewhere: 0 }] });
    });
  };
  const exchange = createUsageExchange({ pool: { query } as unknown as pg.Pool, processId: "this" });
  exchange.countRequest("ann", 60);
  exchange.countInProgress("ann", 1, 4);
  await vi.advanceTimersByTimeAsync(10);
  expect(inProgress).toEqual([1]);
  exchange.countInProgress("ann", 1, 4);
  answer();
  await vi.advanceTimersByTimeAsync(10);
  expect(inProgress).toEqual([1, 2]);
  answer();
  const closed = exchange.close();
  await vi.advanceTimersByTimeAsync(0);
  answer();
  await closed;
});
