import { expect, test } from "vitest";
import { createSemaphore } from "./semaphore.ts";

test("no more are inside than there are places, and those who wait go in as they came", async () => {
  const turnstile = createSemaphore(3);
  const order: number[] = [];
  let inside = 0;
  let most = 0;
  const visits = Array.from({ length: 3000 }, (_, visitor) =>
    turnstile.pass(async () => {
      order.push(visitor);
      inside++;
      most = Math.max(most, inside);
      await Promise.resolve();
      inside--;
      return visitor;
    }),
  );
  expect(await Promise.all(visits)).toHaveLength(3000);
  expect(most).toBe(3);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

test("whoever fails inside leaves the place to the next", async () => {
  const turnstile = createSemaphore(1);
  await expect(turnstile.pass(() => Promise.reject(new Error("fell")))).rejects.toThrow("fell");
  expect(await turnstile.pass(async () => "next")).toBe("next");
});
