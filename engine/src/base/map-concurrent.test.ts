import { setTimeout as rest } from "node:timers/promises";
import { expect, test } from "vitest";
import { mapConcurrent } from "./map-concurrent.ts";

async function all<T>(results: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const result of results) list.push(result);
  return list;
}

test("every item is yielded once, in completion order", async () => {
  const results = await all(mapConcurrent([40, 1, 20], 3, (ms) => rest(ms, ms)));
  expect(results).toEqual([1, 20, 40]);
});

test("no more items are running or unconsumed than the concurrency allows", async () => {
  let begun = 0;
  let fetched = 0;
  let most = 0;
  const source = function* () {
    for (let i = 0; i < 200; i++) yield i;
  };
  for await (const _ of mapConcurrent(source(), 7, async () => {
    begun++;
    most = Math.max(most, begun - fetched);
    await rest(Math.random() * 3);
  })) {
    fetched++;
    if (fetched % 50 === 0) await rest(10); // timing: a slow consumer
  }
  expect(fetched).toBe(200);
  expect(most).toBeLessThanOrEqual(7 + 1); // one is held by the consumer
});

test("a slow source does not delay results that are ready", async () => {
  let goOn = () => {};
  const firstIsFetched = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const source = async function* () {
    yield "first";
    await firstIsFetched;
    yield "second";
  };
  const results = mapConcurrent(source(), 10, async (thing) => thing);
  expect((await results.next()).value).toBe("first");
  goOn();
  expect(await all(results)).toEqual(["second"]);
});

test("errors of the source and of the mapper reach the consumer", async () => {
  const broken = async function* () {
    yield 1;
    throw new Error("no more to read");
  };
  await expect(all(mapConcurrent(broken(), 2, async (thing) => thing))).rejects.toThrow("no more to read");
  const failing = mapConcurrent([1, 2, 3], 2, async (thing) => {
    if (thing === 2) throw new Error("cannot do 2");
    return thing;
  });
  await expect(all(failing)).rejects.toThrow("cannot do 2");
});

test("a consumer that stops early closes the source", async () => {
  let isClosed = false;
  const source = function* () {
    try {
      for (;;) yield 1;
    } finally {
      isClosed = true;
    }
  };
  for await (const _ of mapConcurrent(source(), 3, async (thing) => thing)) break;
  expect(isClosed).toBe(true);
});

test("an empty source yields nothing", async () => {
  expect(await all(mapConcurrent([], 5, async (thing) => thing))).toEqual([]);
});
