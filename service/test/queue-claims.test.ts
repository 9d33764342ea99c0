/** Fair claims: between accounts, between the jobs of one account, and by processes that claim concurrently. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Task } from "../src/queue/task.ts";
import { openQueueWorld, type QueueWorld } from "./queue-world.ts";

const ME = randomUUID();

/** Number of tasks per group. */
const spread = (tasks: readonly Task[], groups: readonly string[]) =>
  groups.map((group) => tasks.filter(({ groupId }) => groupId === group).length);

/** The groups served, in order, by a single worker with a single slot. */
async function turns({ tasks, database }: QueueWorld, count: number): Promise<string[]> {
  const served: string[] = [];
  for (let turn = 0; turn < count; turn++) {
    const [task] = await tasks.claim("jobs", ME, 1);
    served.push(task!.groupId);
    await tasks.complete(database.orm, task!, ME);
  }
  return served;
}

test("a small job gets the next free slot, however many slices of another account's large job wait", async () => {
  await using world = await openQueueWorld();
  const { tasks } = world;
  const large = await world.group(await world.account(), 5000);
  expect(spread(await tasks.claim("jobs", ME, 8), [large])).toEqual([8]);

  const small = await world.group(await world.account(), 2);
  const next = await tasks.claim("jobs", ME, 3);

  expect(next.map(({ groupId }) => groupId)).toEqual([small, small, large]);
  expect(next.map(({ subject }) => subject)).toEqual(["0", "1", "8"]);
});

test("a second job of the same account does not wait for the first", async () => {
  await using world = await openQueueWorld();
  const account = await world.account();
  const large = await world.group(account, 100);
  await world.tasks.claim("jobs", ME, 8);

  const small = await world.group(account, 3);
  const next = await world.tasks.claim("jobs", ME, 4);

  expect(next.map(({ groupId }) => groupId)).toEqual([small, small, small, large]);
});

test("with a single slot a new job is next, then the jobs alternate", async () => {
  await using world = await openQueueWorld();
  const large = await world.group(await world.account(), 20);
  const [running] = await world.tasks.claim("jobs", ME, 1);
  const small = await world.group(await world.account(), 2);
  await world.tasks.complete(world.database.orm, running!, ME);

  expect(await turns(world, 4)).toEqual([small, large, small, large]);
});

test("ten jobs of one account get the same share as one job of another", async () => {
  await using world = await openQueueWorld();
  const many = await world.account();
  const ten = await Promise.all(Array.from({ length: 10 }, () => world.group(many, 10)));
  const one = await world.group(await world.account(), 100);

  const claimed = await world.tasks.claim("jobs", ME, 24);
  expect(spread(claimed, [one])).toEqual([12]);
  expect(spread(claimed, ten).sort()).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 2, 2]);
  await world.tasks.releaseOrphaned("jobs", ME, []);

  const served = await turns(world, 20);
  expect(served.filter((group) => group === one)).toHaveLength(10);
  expect(new Set(served)).toHaveLength(11);
});

test("a stream of small jobs does not displace another account, even with a single slot", async () => {
  await using world = await openQueueWorld();
  const large = await world.group(await world.account(), 20);
  const busy = await world.account();
  const served: string[] = [];
  for (let job = 0; job < 10; job++) {
    await world.group(busy, 1);
    served.push(...(await turns(world, 1)));
  }
  expect(served.filter((group) => group === large)).toHaveLength(5);
});

test("tasks are claimed when due, in order of due time, and only from the given queue", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const account = await world.account();
  const group = await world.group(account, 0);
  await world.group(account, 1, "webhooks");
  await tasks.add(database.orm, [
    { groupId: group, kind: "slice", subject: "in an hour", dueInMs: 3600_000 },
    { groupId: group, kind: "slice", subject: "a minute ago", dueInMs: -60_000 },
    { groupId: group, kind: "plan", subject: "an hour ago", dueInMs: -3600_000 },
  ]);
  const claimed = await tasks.claim("jobs", ME, 5);
  expect(claimed.map(({ kind, subject }) => [kind, subject])).toEqual([
    ["plan", "an hour ago"],
    ["slice", "a minute ago"],
  ]);
  expect(claimed[0]).toMatchObject({ groupId: group, accountId: account, failures: 0, losses: 0 });

  const back = await tasks.postpone(database.orm, claimed[0]!, ME, { dueInMs: -1000, hasFailed: true });
  expect(back).toBe(true);
  expect(await tasks.claim("jobs", ME, 5)).toEqual([
    { ...claimed[0], takenAt: expect.any(String), overdueMs: expect.any(Number), failures: 1 },
  ]);
});

test("a paused group keeps its tasks until it is resumed", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const group = await world.group(await world.account(), 3);
  const [running] = await tasks.claim("jobs", ME, 1);
  await tasks.pause(database.orm, group);
  expect(await tasks.claim("jobs", ME, 3)).toEqual([]);
  expect(await tasks.complete(database.orm, running!, ME)).toBe(true); // claimed tasks continue

  await tasks.resume(database.orm, group);
  expect(await tasks.claim("jobs", ME, 3)).toHaveLength(2);
});

test("closing a group ends the claims on its tasks", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const account = await world.account();
  const closed = await world.group(account, 3);
  const [one, other] = await tasks.claim("jobs", ME, 2);
  const open = await world.group(account, 1);

  await database.orm.transaction((tx) => tasks.closeGroup(tx, closed));

  expect(await tasks.complete(database.orm, one!, ME)).toBe(false);
  expect(await tasks.postpone(database.orm, other!, ME, {})).toBe(false);
  expect((await tasks.claim("jobs", ME, 5)).map(({ groupId }) => groupId)).toEqual([open]);
});

test("a task claimed by another process can be neither completed nor postponed", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  await world.group(await world.account(), 1);
  const [task] = await tasks.claim("jobs", randomUUID(), 1);
  expect(await tasks.complete(database.orm, task!, ME)).toBe(false);
  expect(await tasks.postpone(database.orm, task!, ME, {})).toBe(false);
});

test("four processes that claim concurrently complete each of thousands of tasks exactly once, also while groups are closed", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const accounts = await Promise.all(Array.from({ length: 3 }, () => world.account()));
  const kept = await Promise.all(Array.from({ length: 5 }, (_, n) => world.group(accounts[n % 3]!, 300)));
  const doomed = await Promise.all(Array.from({ length: 5 }, (_, n) => world.group(accounts[n % 3]!, 100)));
  const done: Task[] = [];

  const work = async () => {
    const id = randomUUID();
    for (;;) {
      const claimed = await tasks.claim("jobs", id, 20);
      if (claimed.length === 0) return;
      await database.orm.transaction(async (tx) => {
        for (const task of claimed) if (await tasks.complete(tx, task, id)) done.push(task);
      });
    }
  };
  const closeAll = async () => {
    for (const group of doomed) await database.orm.transaction((tx) => tasks.closeGroup(tx, group));
  };
  await Promise.all([work(), work(), work(), work(), closeAll()]);

  expect(new Set(done.map(({ id }) => id))).toHaveLength(done.length);
  expect(spread(done, kept)).toEqual(kept.map(() => 300));
  expect(await world.rows()).toEqual([]);
});

test("idle groups are closed, except those that get a task at the same time", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const account = await world.account();
  const groups = await Promise.all(Array.from({ length: 20 }, () => world.group(account, 0, "webhooks")));
  const add = (groupId: string) =>
    database.orm.transaction(async (tx) => {
      await tasks.openGroup(tx, { id: groupId, accountId: account, queue: "webhooks" });
      await new Promise((resolve) => setTimeout(resolve, 5)); // timing: others get in between
      await tasks.add(tx, [{ groupId, kind: "delivery", subject: "1" }]);
    });
  const closing = (async () => {
    for (let round = 0; round < 12; round++) await tasks.closeIdleGroups("webhooks");
  })();
  for (const group of groups.slice(0, 6)) await add(group);
  await closing;
  await tasks.closeIdleGroups("webhooks");

  expect(await world.rows()).toHaveLength(6);
  const { rowCount } = await database.pool.query("select from lanes");
  expect(rowCount).toBe(6);
});
