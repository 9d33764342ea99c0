import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type MapOptions, mapByDomain } from "./map-by-domain.ts";

const never = new Promise<never>(() => {});

function inOrder<T, R>(items: AsyncIterable<T>, window: number, work: (item: T) => Promise<R>) {
  const options = { isOrdered: true, window, concurrency: window, perDomain: window };
  return mapByDomain(items, String, options, work);
}

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

/** Runs the work on each address one at a time as it is released, and records the order. */
async function startsOf(emails: readonly string[], options: Partial<MapOptions>) {
  async function* source() {
    yield* emails;
  }
  const inFlight = new Map<string, number>();
  const most = new Map<string, number>();
  const started: string[] = [];
  const work = async (email: string) => {
    const domain = email.slice(email.indexOf("@") + 1);
    started.push(email);
    inFlight.set(domain, (inFlight.get(domain) ?? 0) + 1);
    most.set(domain, Math.max(most.get(domain) ?? 0, inFlight.get(domain)!));
    await new Promise(setImmediate);
    inFlight.set(domain, inFlight.get(domain)! - 1);
    return email;
  };
  const all = { isOrdered: true, window: 1000, concurrency: 10, perDomain: 5, ...options };
  const results: string[] = [];
  for await (const email of mapByDomain(source(), String, all, work)) results.push(email);
  return { started, results, most };
}

const mixed = Array.from({ length: 120 }, (_, i) => `u${i}@d${i % 12}.test`);

test("a domain's addresses are checked together, and the results are in input order", async () => {
  const { started, results, most } = await startsOf(mixed, {});
  expect(results).toEqual(mixed);
  expect([...started].sort()).toEqual([...mixed].sort());
  // The last address of the first domain starts before the first address of the last one.
  expect(started.indexOf("u108@d0.test")).toBeLessThan(started.indexOf("u11@d11.test"));
  for (const [domain, count] of most) expect(count, domain).toBeLessThanOrEqual(5);
});

test("a domain starts with all of its addresses that are in the window, even where everything may run at once", async () => {
  const { started } = await startsOf(mixed, { concurrency: 60, perDomain: 10 });
  expect(started.slice(0, 10)).toEqual(mixed.filter((email) => email.endsWith("@d0.test")));
});

test("without order, results come in completion order, each once", async () => {
  const { results } = await startsOf(mixed, { isOrdered: false });
  expect(results).not.toEqual(mixed);
  expect([...results].sort()).toEqual([...mixed].sort());
});

test("a domain that does not answer takes its share, and the others go on", async () => {
  async function* source() {
    for (let i = 0; i < 100; i++) yield i % 2 === 0 ? `u${i}@slow.test` : `u${i}@quick.test`;
  }
  const options = { isOrdered: false, window: 1000, concurrency: 10, perDomain: 5 };
  const work = (email: string) => (email.endsWith("slow.test") ? never : Promise.resolve(email));
  const results = mapByDomain(source(), String, options, work);
  for (let i = 0; i < 50; i++) expect((await results.next()).value).toMatch(/@quick\.test$/);
});

test("no more items are read than the window holds", async () => {
  let read = 0;
  async function* source() {
    for (;;) yield `u${read++}@d${read % 3}.test`;
  }
  const options = { isOrdered: true, window: 20, concurrency: 5, perDomain: 2 };
  let results = 0;
  for await (const _ of mapByDomain(source(), String, options, async (email) => email)) {
    expect(read - results).toBeLessThanOrEqual(20);
    if (++results === 200) break;
  }
});

test("after the consumer has left, no further work is started", async () => {
  async function* source() {
    for (let n = 0; n < 500; n++) yield `ann${n}@firm${n % 50}.test`;
  }
  const running: (() => void)[] = [];
  const options = { isOrdered: true, window: 200, concurrency: 20, perDomain: 5 };
  const results = mapByDomain(
    source(),
    String,
    options,
    (email) => new Promise<string>((resolve) => running.push(() => resolve(email))),
  );
  const first = results.next();
  await expect.poll(() => running.length).toBe(20);
  running[0]!();
  await first;
  await results.return(undefined);
  const started = running.length;
  for (const end of running.splice(0)) end();
  await new Promise(setImmediate);
  expect(running).toEqual([]);
  expect(started).toBeLessThanOrEqual(21);
});
