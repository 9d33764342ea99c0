import { expect, test } from "vitest";
import { createSemaphore } from "./semaphore.ts";

test("no more tasks run than there are permits, and waiters run in FIFO order", async () => {
  const semaphore = createSemaphore(3);
  const order: number[] = [];
  let running = 0;
  let most = 0;
  const results = Array.from({ length: 3000 }, (_, task) =>
    semaphore.run(async () => {
      order.push(task);
      running++;
      most = Math.max(most, running);
      await Promise.resolve();
      running--;
      return task;
    }),
  );
  expect(await Promise.all(results)).toHaveLength(3000);
  expect(most).toBe(3);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

test("a failed task releases its permit", async () => {
  const semaphore = createSemaphore(1);
  await expect(semaphore.run(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await semaphore.run(async () => "next")).toBe("next");
});
