import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { inOrder } from "./in-order.ts";

const never = new Promise<never>(() => {});

test("results come in the order of the things, however long each takes", async () => {
  async function* source() {
    yield* [30, 1, 20, 0, 10];
  }
  const results: number[] = [];
  for await (const ms of inOrder(source(), 3, (ms) => sleep(ms, ms))) results.push(ms);
  expect(results).toEqual([30, 1, 20, 0, 10]);
});

test("what is done is handed out while the source has nothing more to say yet", async () => {
  async function* source() {
    yield 1;
    yield 2;
    await never;
  }
  const results = inOrder(source(), 100, async (thing) => thing);
  expect(await results.next()).toEqual({ done: false, value: 1 });
  expect(await results.next()).toEqual({ done: false, value: 2 });
});

test("as many as the width are under way at once, and never more", async () => {
  let underWay = 0;
  let most = 0;
  async function* source() {
    for (let i = 0; i < 40; i++) yield i;
  }
  const work = async (thing: number) => {
    most = Math.max(most, ++underWay);
    await sleep(thing % 3);
    underWay--;
    return thing;
  };
  const results: number[] = [];
  for await (const thing of inOrder(source(), 7, work)) results.push(thing);
  expect(results).toHaveLength(40);
  expect(most).toBe(7);
});

test("a source that fails does so after everything that came before", async () => {
  async function* source() {
    yield 5;
    yield 1;
    throw new Error("the disk is gone");
  }
  const results: number[] = [];
  const collect = async () => {
    for await (const ms of inOrder(source(), 100, (ms) => sleep(ms, ms))) results.push(ms);
  };
  await expect(collect()).rejects.toThrow("the disk is gone");
  expect(results).toEqual([5, 1]);
});

test("work that fails does so in its turn", async () => {
  async function* source() {
    yield* [1, 2, 3];
  }
  const work = async (thing: number) => {
    if (thing !== 2) return thing;
    throw new Error("two is bad");
  };
  const results = inOrder(source(), 3, work);
  expect((await results.next()).value).toBe(1);
  await expect(results.next()).rejects.toThrow("two is bad");
});

test("whoever has seen enough can leave while the source is silent", async () => {
  async function* source() {
    yield 1;
    await never;
  }
  for await (const thing of inOrder(source(), 10, async (thing) => thing)) {
    expect(thing).toBe(1);
    break;
  }
});

test("a source that is left behind may clean up", async () => {
  let isClean = false;
  async function* source() {
    try {
      for (let i = 0; ; i++) yield i;
    } finally {
      isClean = true;
    }
  }
  for await (const _thing of inOrder(source(), 2, async (thing) => thing)) break;
  await expect.poll(() => isClean).toBe(true);
});
