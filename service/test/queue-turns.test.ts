/** Whose turn it is: between accounts, between the jobs of one, and among processes that claim at the same time. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Task } from "../src/queue/tasks.ts";
import { openQueueWorld, type QueueWorld } from "./queue-world.ts";

const ME = randomUUID();

/** How many of the tasks are in each of the lanes. */
const spread = (tasks: readonly Task[], lanes: readonly string[]) =>
  lanes.map((lane) => tasks.filter(({ laneId }) => laneId === lane).length);

/** The lanes served, one after the other, by a single worker with a single slot. */
async function turns({ tasks, database }: QueueWorld, count: number): Promise<string[]> {
  const served: string[] = [];
  for (let turn = 0; turn < count; turn++) {
    const [task] = await tasks.claim("jobs", ME, 1);
    served.push(task!.laneId);
    await tasks.complete(database.orm, task!, ME);
  }
  return served;
}

test("a small job gets the next free slot, however many slices another account's large one has waiting", async () => {
  await using world = await openQueueWorld();
  const { tasks } = world;
  const large = await world.lane(await world.account(), 5000);
  expect(spread(await tasks.claim("jobs", ME, 8), [large])).toEqual([8]);

  const small = await world.lane(await world.account(), 2);
  const next = await tasks.claim("jobs", ME, 3);

  expect(next.map(({ laneId }) => laneId)).toEqual([small, small, large]);
  expect(next.map(({ subject }) => subject)).toEqual(["0", "1", "8"]);
});

test("a second job of the same account need not wait for the first either", async () => {
  await using world = await openQueueWorld();
  const account = await world.account();
  const large = await world.lane(account, 100);
  await world.tasks.claim("jobs", ME, 8);

  const small = await world.lane(account, 3);
  const next = await world.tasks.claim("jobs", ME, 4);

  expect(next.map(({ laneId }) => laneId)).toEqual([small, small, small, large]);
});

test("with a single slot a new job is next, and then they take turns", async () => {
  await using world = await openQueueWorld();
  const large = await world.lane(await world.account(), 20);
  const [running] = await world.tasks.claim("jobs", ME, 1);
  const small = await world.lane(await world.account(), 2);
  await world.tasks.complete(world.database.orm, running!, ME);

  expect(await turns(world, 4)).toEqual([small, large, small, large]);
});

test("ten jobs of one account weigh no more than one job of another", async () => {
  await using world = await openQueueWorld();
  const many = await world.account();
  const ten = await Promise.all(Array.from({ length: 10 }, () => world.lane(many, 10)));
  const one = await world.lane(await world.account(), 100);

  const claimed = await world.tasks.claim("jobs", ME, 24);
  expect(spread(claimed, [one])).toEqual([12]);
  expect(spread(claimed, ten).sort()).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 2, 2]);
  await world.tasks.giveBack("jobs", ME, []);

  const served = await turns(world, 20);
  expect(served.filter((lane) => lane === one)).toHaveLength(10);
  expect(new Set(served)).toHaveLength(11);
});

test("a stream of new little jobs does not push another account aside, even with a single slot", async () => {
  await using world = await openQueueWorld();
  const large = await world.lane(await world.account(), 20);
  const busy = await world.account();
  const served: string[] = [];
  for (let job = 0; job < 10; job++) {
    await world.lane(busy, 1);
    served.push(...(await turns(world, 1)));
  }
  expect(served.filter((lane) => lane === large)).toHaveLength(5);
});

test("tasks come when they are due, first those that were due first, and those of the other line stay out of it", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const account = await world.account();
  const lane = await world.lane(account, 0);
  await world.lane(account, 1, "webhooks");
  await tasks.add(database.orm, [
    { laneId: lane, kind: "slice", subject: "in an hour", dueInMs: 3600_000 },
    { laneId: lane, kind: "slice", subject: "a minute ago", dueInMs: -60_000 },
    { laneId: lane, kind: "plan", subject: "an hour ago", dueInMs: -3600_000 },
  ]);
  const claimed = await tasks.claim("jobs", ME, 5);
  expect(claimed.map(({ kind, subject }) => [kind, subject])).toEqual([
    ["plan", "an hour ago"],
    ["slice", "a minute ago"],
  ]);
  expect(claimed[0]).toMatchObject({ laneId: lane, accountId: account, failures: 0, losses: 0 });

  const back = await tasks.postpone(database.orm, claimed[0]!, ME, { dueInMs: -1000, hasFailed: true });
  expect(back).toBe(true);
  expect(await tasks.claim("jobs", ME, 5)).toEqual([
    { ...claimed[0], takenAt: expect.any(String), overdueMs: expect.any(Number), failures: 1 },
  ]);
});

test("a lane that is held keeps its tasks until it is let go", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const lane = await world.lane(await world.account(), 3);
  const [inHand] = await tasks.claim("jobs", ME, 1);
  await tasks.hold(database.orm, lane);
  expect(await tasks.claim("jobs", ME, 3)).toEqual([]);
  expect(await tasks.complete(database.orm, inHand!, ME)).toBe(true); // what was begun goes on

  await tasks.letGo(database.orm, lane);
  expect(await tasks.claim("jobs", ME, 3)).toHaveLength(2);
});

test("whoever has a task of a closed lane in hand is told that it is no longer theirs", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const account = await world.account();
  const closed = await world.lane(account, 3);
  const [one, other] = await tasks.claim("jobs", ME, 2);
  const open = await world.lane(account, 1);

  await database.orm.transaction((tx) => tasks.closeLane(tx, closed));

  expect(await tasks.complete(database.orm, one!, ME)).toBe(false);
  expect(await tasks.postpone(database.orm, other!, ME, {})).toBe(false);
  expect((await tasks.claim("jobs", ME, 5)).map(({ laneId }) => laneId)).toEqual([open]);
});

test("a task in somebody else's hands can be neither completed nor postponed", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  await world.lane(await world.account(), 1);
  const [task] = await tasks.claim("jobs", randomUUID(), 1);
  expect(await tasks.complete(database.orm, task!, ME)).toBe(false);
  expect(await tasks.postpone(database.orm, task!, ME, {})).toBe(false);
});

test("four processes that claim at once do each of thousands of tasks exactly once, also while lanes are closed", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const accounts = await Promise.all(Array.from({ length: 3 }, () => world.account()));
  const kept = await Promise.all(Array.from({ length: 5 }, (_, n) => world.lane(accounts[n % 3]!, 300)));
  const doomed = await Promise.all(Array.from({ length: 5 }, (_, n) => world.lane(accounts[n % 3]!, 100)));
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
    for (const lane of doomed) await database.orm.transaction((tx) => tasks.closeLane(tx, lane));
  };
  await Promise.all([work(), work(), work(), work(), closeAll()]);

  expect(new Set(done.map(({ id }) => id))).toHaveLength(done.length);
  expect(spread(done, kept)).toEqual(kept.map(() => 300));
  expect(await world.rows()).toEqual([]);
});

test("idle lanes are closed, but none that gets a task at this moment", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const account = await world.account();
  const lanes = await Promise.all(Array.from({ length: 20 }, () => world.lane(account, 0, "webhooks")));
  const add = (laneId: string) =>
    database.orm.transaction(async (tx) => {
      await tasks.openLane(tx, { id: laneId, accountId: account, line: "webhooks" });
      await new Promise((resolve) => setTimeout(resolve, 5)); // timing: others get in between
      await tasks.add(tx, [{ laneId, kind: "delivery", subject: "1" }]);
    });
  const closing = (async () => {
    for (let round = 0; round < 12; round++) await tasks.closeIdleLanes("webhooks");
  })();
  for (const lane of lanes.slice(0, 6)) await add(lane);
  await closing;
  await tasks.closeIdleLanes("webhooks");

  expect(await world.rows()).toHaveLength(6);
  const { rowCount } = await database.pool.query("select from lanes");
  expect(rowCount).toBe(6);
});
