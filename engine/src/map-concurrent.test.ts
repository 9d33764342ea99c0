import { setTimeout as rest } from "node:timers/promises";
import { expect, test } from "vitest";
import { asTheyCome } from "./map-concurrent.ts";

async function all<T>(results: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const result of results) list.push(result);
  return list;
}

test("everything comes out once, the quick before the slow", async () => {
  const results = await all(asTheyCome([40, 1, 20], 3, (ms) => rest(ms, ms)));
  expect(results).toEqual([1, 20, 40]);
});

test("no more is under way or unfetched than the width allows", async () => {
  let begun = 0;
  let fetched = 0;
  let most = 0;
  const source = function* () {
    for (let i = 0; i < 200; i++) yield i;
  };
  for await (const _ of asTheyCome(source(), 7, async () => {
    begun++;
    most = Math.max(most, begun - fetched);
    await rest(Math.random() * 3);
  })) {
    fetched++;
    if (fetched % 50 === 0) await rest(10); // timing: the consumer is a slow one
  }
  expect(fetched).toBe(200);
  expect(most).toBeLessThanOrEqual(7 + 1); // one is in the consumer's hand
});

test("a slow source holds up nothing that is done", async () => {
  let goOn = () => {};
  const firstIsFetched = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const source = async function* () {
    yield "first";
    await firstIsFetched;
    yield "second";
  };
  const results = asTheyCome(source(), 10, async (thing) => thing);
  expect((await results.next()).value).toBe("first");
  goOn();
  expect(await all(results)).toEqual(["second"]);
});

test("a source that fails and a work that fails are told to the consumer", async () => {
  const broken = async function* () {
    yield 1;
    throw new Error("no more to read");
  };
  await expect(all(asTheyCome(broken(), 2, async (thing) => thing))).rejects.toThrow("no more to read");
  const failing = asTheyCome([1, 2, 3], 2, async (thing) => {
    if (thing === 2) throw new Error("cannot do 2");
    return thing;
  });
  await expect(all(failing)).rejects.toThrow("cannot do 2");
});

test("a consumer that leaves early closes the source", async () => {
  let isClosed = false;
  const source = function* () {
    try {
      for (;;) yield 1;
    } finally {
      isClosed = true;
    }
  };
  for await (const _ of asTheyCome(source(), 3, async (thing) => thing)) break;
  expect(isClosed).toBe(true);
});

test("nothing in, nothing out", async () => {
  expect(await all(asTheyCome([], 5, async (thing) => thing))).toEqual([]);
});
