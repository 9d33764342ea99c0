import { expect, test } from "vitest";
import { createSemaphore } from "./semaphore.ts";

/** Three permits; tasks that end when told to. */
function setUp(permits = 3, levels = 3, reserved = 0) {
  const semaphore = createSemaphore(permits, levels, reserved);
  const started: string[] = [];
  return {
    started,
    ask: (name: string, level = 0) => semaphore.acquire(level, () => started.push(name)),
    raise: semaphore.raise,
    end: (count: number) => {
      for (let i = 0; i < count; i++) semaphore.release();
    },
  };
}

test("no more tasks run than there are permits, and waiters start in FIFO order", () => {
  const { ask, end, started } = setUp();
  const names = Array.from({ length: 3000 }, (_, i) => `${i}`);
  for (const name of names) ask(name);
  expect(started).toEqual(names.slice(0, 3));
  end(1);
  expect(started).toEqual(names.slice(0, 4));
  end(2996);
  expect(started).toEqual(names);
  end(3);
  for (const name of ["a", "b", "c", "d"]) ask(name);
  expect(started.slice(3000)).toEqual(["a", "b", "c"]);
});

test("a lower level starts before a higher one that waited longer", () => {
  const { ask, end, started } = setUp(1);
  for (const [name, level] of [
    ["running", 2],
    ["c", 2],
    ["b", 1],
    ["d", 2],
    ["a", 0],
  ] as const)
    ask(name, level);
  end(4);
  expect(started).toEqual(["running", "a", "b", "c", "d"]);
});

test("a waiter that is raised starts with its new level, and once", () => {
  const { ask, end, raise, started } = setUp(1);
  ask("running");
  ask("first", 1);
  const raised = ask("raised", 2)!;
  raise(raised, 2); // no lower: nothing changes
  raise(raised, 1);
  ask("second", 1);
  raise(raised, 0);
  end(1);
  raise(raised, 0); // has started
  end(3);
  expect(started).toEqual(["running", "raised", "first", "second"]);
  ask("next");
  expect(started).toHaveLength(5); // the permit is free again, not handed to the raised one twice
});

test("a task that starts has no place in the queue", () => {
  const { ask } = setUp(1);
  expect(ask("running")).toBeUndefined();
  expect(ask("waiting")).toBeDefined();
});

test("the reserve is for the first level, and is refilled before others start", () => {
  const { ask, end, raise, started } = setUp(2, 2, 1);
  for (const name of ["a", "b", "waits"]) ask(name, 1);
  const raised = ask("raised", 1)!;
  ask("first");
  ask("second");
  expect(started).toEqual(["a", "b", "first"]);
  raise(raised, 0); // the reserve is taken
  end(1);
  expect(started).toEqual(["a", "b", "first", "second"]);
  end(2);
  expect(started).toEqual(["a", "b", "first", "second", "raised"]);
  end(1);
  expect(started).toEqual(["a", "b", "first", "second", "raised", "waits"]);
});

test("a waiter that is raised to the first level takes a permit of the reserve", () => {
  const { ask, raise, started } = setUp(1, 2, 1);
  ask("running", 1);
  raise(ask("raised", 1)!, 0);
  expect(started).toEqual(["running", "raised"]);
});

test("a failed task releases its permit", async () => {
  const semaphore = createSemaphore(1);
  await expect(semaphore.run(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await semaphore.run(async () => "next")).toBe("next");
});
