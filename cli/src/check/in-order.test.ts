import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { inOrder } from "./in-order.ts";

const never = new Promise<never>(() => {});

test("results are yielded in input order, however long each takes", async () => {
  async function* source() {
    yield* [30, 1, 20, 0, 10];
  }
  const results: number[] = [];
  for await (const ms of inOrder(source(), 3, (ms) => sleep(ms, ms))) results.push(ms);
  expect(results).toEqual([30, 1, 20, 0, 10]);
});

test("finished results are yielded while the source is pending", async () => {
  async function* source() {
    yield 1;
    yield 2;
    await never;
  }
  const results = inOrder(source(), 100, async (item) => item);
  expect(await results.next()).toEqual({ done: false, value: 1 });
  expect(await results.next()).toEqual({ done: false, value: 2 });
});

test("the concurrency limit is reached and never exceeded", async () => {
  let inFlight = 0;
  let most = 0;
  async function* source() {
    for (let i = 0; i < 40; i++) yield i;
  }
  const work = async (item: number) => {
    most = Math.max(most, ++inFlight);
    await sleep(item % 3);
    inFlight--;
    return item;
  };
  const results: number[] = [];
  for await (const item of inOrder(source(), 7, work)) results.push(item);
  expect(results).toHaveLength(40);
  expect(most).toBe(7);
});

test("an error of the source is thrown after all earlier results", async () => {
  async function* source() {
    yield 5;
    yield 1;
    throw new Error("read failed");
  }
  const results: number[] = [];
  const collect = async () => {
    for await (const ms of inOrder(source(), 100, (ms) => sleep(ms, ms))) results.push(ms);
  };
  await expect(collect()).rejects.toThrow("read failed");
  expect(results).toEqual([5, 1]);
});

test("an error of the work is thrown in order", async () => {
  async function* source() {
    yield* [1, 2, 3];
  }
  const work = async (item: number) => {
    if (item !== 2) return item;
    throw new Error("two is bad");
  };
  const results = inOrder(source(), 3, work);
  expect((await results.next()).value).toBe(1);
  await expect(results.next()).rejects.toThrow("two is bad");
});

test("the consumer can stop while the source is pending", async () => {
  async function* source() {
    yield 1;
    await never;
  }
  for await (const item of inOrder(source(), 10, async (item) => item)) {
    expect(item).toBe(1);
    break;
  }
});

test("the source is closed when the consumer stops", async () => {
  let isClean = false;
  async function* source() {
    try {
      for (let i = 0; ; i++) yield i;
    } finally {
      isClean = true;
    }
  }
  for await (const _item of inOrder(source(), 2, async (item) => item)) break;
  await expect.poll(() => isClean).toBe(true);
});
