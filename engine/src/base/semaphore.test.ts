import { expect, test } from "vitest";
import { createSemaphore } from "./semaphore.ts";

/** Three permits; tasks that end when told to. */
function setUp(permits: number | (() => number) = 3, levels = 3, reserve = 0) {
  const semaphore = createSemaphore(permits, levels, reserve);
  const started: string[] = [];
  const releases = new Map<string, () => void>();
  const end = (name: string) => {
    releases.get(name)!();
    releases.delete(name);
  };
  return {
    started,
    ask: (name: string, level = 0, tenant?: string) =>
      semaphore.acquire(
        level,
        (release) => {
          started.push(name);
          releases.set(name, release);
        },
        tenant,
      ),
    raise: semaphore.raise,
    end,
    /** The tasks that run, oldest first. */
    endOldest: (count: number) => {
      for (let i = 0; i < count; i++) end(releases.keys().next().value!);
    },
    running: () => [...releases.keys()],
  };
}

test("no more tasks run than there are permits, and waiters start in FIFO order", () => {
  const { ask, endOldest, started } = setUp();
  const names = Array.from({ length: 3000 }, (_, i) => `${i}`);
  for (const name of names) ask(name);
  expect(started).toEqual(names.slice(0, 3));
  endOldest(1);
  expect(started).toEqual(names.slice(0, 4));
  endOldest(2999);
  expect(started).toEqual(names);
  for (const name of ["a", "b", "c", "d"]) ask(name);
  expect(started.slice(3000)).toEqual(["a", "b", "c"]);
});

test("a lower level starts before a higher one that waited longer", () => {
  const { ask, endOldest, started } = setUp(1);
  for (const [name, level] of [
    ["running", 2],
    ["c", 2],
    ["b", 1],
    ["d", 2],
    ["a", 0],
  ] as const)
    ask(name, level);
  endOldest(4);
  expect(started).toEqual(["running", "a", "b", "c", "d"]);
});

test("a waiter that is raised starts with its new level, and once", () => {
  const { ask, endOldest, raise, started } = setUp(1);
  ask("running");
  ask("first", 1);
  const raised = ask("raised", 2)!;
  raise(raised, 2); // no lower: nothing changes
  raise(raised, 1);
  ask("second", 1);
  raise(raised, 0);
  endOldest(1);
  raise(raised, 0); // has started
  endOldest(3);
  expect(started).toEqual(["running", "raised", "first", "second"]);
  ask("next");
  expect(started).toHaveLength(5); // the permit is free again, not handed to the raised one twice
});

test("a task that starts has no place in the queue", () => {
  const { ask } = setUp(1);
  expect(ask("running")).toBeUndefined();
  expect(ask("waiting")).toBeDefined();
});

test("the reserve is for the first level, and keeps others from nothing", () => {
  const { ask, end, raise, started } = setUp(2, 2, 1 / 2);
  for (const name of ["a", "b", "waits"]) ask(name, 1);
  const raised = ask("raised", 1)!;
  ask("first");
  ask("second");
  expect(started).toEqual(["a", "b", "first"]);
  raise(raised, 0); // the reserve is taken
  end("first");
  expect(started).toEqual(["a", "b", "first", "second"]);
  end("a");
  expect(started).toEqual(["a", "b", "first", "second", "raised"]);
  end("b");
  expect(started).toEqual(["a", "b", "first", "second", "raised", "waits"]);
});

test("the number of permits may change while tasks run and wait", () => {
  let permits = 4;
  const { ask, end, endOldest, started } = setUp(() => permits, 2, 1 / 2);
  for (const name of ["a", "b", "c", "d", "e", "f", "g", "h"]) ask(name, 1);
  expect(started).toEqual(["a", "b", "c", "d"]);
  permits = 2;
  ask("first");
  ask("second"); // one permit is left of the reserve
  expect(started).toEqual(["a", "b", "c", "d", "first"]);
  endOldest(3);
  expect(started).toEqual(["a", "b", "c", "d", "first", "second"]);
  permits = 4;
  end("d");
  expect(started).toEqual(["a", "b", "c", "d", "first", "second", "e", "f", "g"]);
});

test("a waiter that is raised to the first level takes a permit of the reserve", () => {
  const { ask, raise, started } = setUp(1, 2, 1);
  ask("running", 1);
  raise(ask("raised", 1)!, 0);
  expect(started).toEqual(["running", "raised"]);
});

test("tenants take turns, whatever the level of their waiters, and each starts them by level", () => {
  const { ask, endOldest, started } = setUp(3, 3);
  for (let i = 0; i < 20; i++) ask(`a${i}`, 1, "a");
  for (const name of ["b0", "b1", "b2", "b3"]) ask(name, 2, "b");
  ask("b4", 1, "b");
  ask("c0", 2, "c");
  while (!started.includes("a11")) endOldest(1);
  const order = (tenant: string) => started.filter((name) => name.startsWith(tenant));
  expect(order("b")).toEqual(["b0", "b4", "b1", "b2", "b3"]);
  expect(order("c")).toEqual(["c0"]);
  expect(order("a")).toEqual(Array.from({ length: 12 }, (_, i) => `a${i}`));
});

test("waiters of the first level go before all turns", () => {
  const { ask, endOldest, raise, started } = setUp(2, 2);
  for (let i = 0; i < 8; i++) ask(`a${i}`, 1, "a");
  const waiters = ["b0", "b1", "b2"].map((name) => ask(name, 1, "b"));
  raise(waiters[2]!, 0);
  ask("a8", 0, "a");
  expect(started).toEqual(["a0", "a1", "b0"]);
  endOldest(3);
  expect(started.slice(3, 5).toSorted()).toEqual(["a8", "b2"]);
});

test.each([
  [1, [12]],
  [2, [7, 7]],
  [3, [5, 5, 5]],
])("permits are shared: %d tenants", (count, shares) => {
  const { ask, endOldest, running } = setUp(12, 2);
  const tenants = ["a", "b", "c"].slice(0, count);
  for (const tenant of tenants) for (let i = 0; i < 500; i++) ask(`${tenant}${i}`, 1, tenant);
  endOldest(200);
  const held = tenants.map((tenant) => running().filter((name) => name.startsWith(tenant)).length);
  expect(held.toSorted((a, b) => b - a)).toEqual(shares);
});

test("a waiter that another tenant waits for too starts in the turn of either, and once", () => {
  const { ask, endOldest, raise, running, started } = setUp(4, 2);
  for (let i = 0; i < 40; i++) ask(`a${i}`, 1, "a");
  const shared = ["s0", "s1", "s2"].map((name) => ask(name, 1, "a")!);
  raise(shared[0]!, 1, "b");
  raise(shared[1]!, 1, "b");
  raise(shared[1]!, 1, "b");
  expect(started).toContain("s0");
  raise(shared[2]!, 0, "b");
  raise(shared[2]!, 0, "a");
  while (running().length > 0) endOldest(1);
  expect(started).toHaveLength(43);
  expect(new Set(started).size).toBe(43);
  for (let i = 0; i < 3; i++) ask(`z${i}`, 1, "z");
  expect(running()).toHaveLength(3); // no permit was lost
});

test("whatever a tenant holds, another one gets permits at once", () => {
  const { ask, started } = setUp(12, 2);
  for (let i = 0; i < 500; i++) ask(`a${i}`, 1, "a");
  for (let i = 0; i < 500; i++) ask(`b${i}`, 1, "b");
  expect(started.filter((name) => name.startsWith("a"))).toHaveLength(12);
  expect(started.filter((name) => name.startsWith("b"))).toHaveLength(3);
});

test("a failed task releases its permit", async () => {
  const semaphore = createSemaphore(1);
  await expect(semaphore.run(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await semaphore.run(async () => "next")).toBe("next");
});
