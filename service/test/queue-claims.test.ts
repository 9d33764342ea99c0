/** Fair claims: between accounts, between the jobs of one account, and by processes that claim concurrently. */
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { isDatabaseUnavailable, type Orm } from "../src/db/database.ts";
import type { Task } from "../src/queue/task.ts";
import { openQueueWorld, type QueueWorld } from "./queue-world.ts";

/** Number of tasks per group. */
const spread = (tasks: readonly Task[], groups: readonly string[]) =>
  groups.map((group) => tasks.filter(({ groupId }) => groupId === group).length);

/** The groups served, in order, by a single worker with a single slot. */
async function serve(world: QueueWorld, count: number): Promise<string[]> {
  const served: string[] = [];
  for (let turn = 0; turn < count; turn++) {
    const [task] = await world.claim(1);
    served.push(task!.groupId);
    await world.complete(task!);
  }
  return served;
}

test("a small job gets every second slot, however many slices of another account's large job wait", async () => {
  await using world = await openQueueWorld();
  const large = await world.group(await world.account(), 5000);
  expect(spread(await world.claim(8), [large])).toEqual([8]);

  const small = await world.group(await world.account(), 2);
  const next = await world.claim(4);

  expect(spread(next, [small, large])).toEqual([2, 2]);
  const subjects = (group: string) =>
    next.filter(({ groupId }) => groupId === group).map(({ subject }) => subject);
  expect(subjects(small).sort()).toEqual(["0", "1"]);
  expect(subjects(large).sort()).toEqual(["8", "9"]);
});

test("the 20 slices of a newcomer are served within twice their ideal share of a 400-slice list", async () => {
  await using world = await openQueueWorld();
  const list = await world.group(await world.account(), 400);
  await serve(world, 40); // the list is under way
  const newcomer = await world.group(await world.account(), 20);
  let servedBefore = 0;
  for (let left = 20; left > 0; servedBefore++) {
    const tasks = await world.claim(1);
    if (tasks[0]!.groupId === newcomer) left--;
    await world.complete(tasks[0]!);
  }
  // Ideal: alternating, 40 in all.
  expect(servedBefore).toBeLessThan(80);
  expect(await serve(world, 5)).toEqual(Array(5).fill(list));
});

test("a second job of the same account does not wait for the first", async () => {
  await using world = await openQueueWorld();
  const account = await world.account();
  const large = await world.group(account, 100);
  await world.claim(8);

  const small = await world.group(account, 3);
  const next = await world.claim(4);

  expect(spread(next, [small, large])).toEqual([3, 1]);
});

test("with a single slot a new job is served within two turns, then the jobs alternate", async () => {
  await using world = await openQueueWorld();
  const large = await world.group(await world.account(), 20);
  const [running] = await world.claim(1);
  const small = await world.group(await world.account(), 2);
  await world.complete(running!);

  const served = await serve(world, 4);
  expect(served.filter((group) => group === small)).toHaveLength(2);
  expect(served.filter((group) => group === large)).toHaveLength(2);
});

test("ten jobs of one account get the same share as one job of another", async () => {
  await using world = await openQueueWorld();
  const many = await world.account();
  const ten = await Promise.all(Array.from({ length: 10 }, () => world.group(many, 10)));
  const one = await world.group(await world.account(), 100);

  const claimed = await world.claim(24);
  expect(spread(claimed, [one])).toEqual([12]);
  expect(spread(claimed, ten).sort()).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 2, 2]);
});

test("a stream of small jobs does not displace another account, even with a single slot", async () => {
  await using world = await openQueueWorld();
  const large = await world.group(await world.account(), 40);
  const busy = await world.account();
  const served: string[] = [];
  for (let job = 0; job < 20; job++) {
    await world.group(busy, 1);
    served.push(...(await serve(world, 1)));
  }
  expect(served.filter((group) => group === large).length).toBeGreaterThanOrEqual(8);
});

test("an account whose tasks occupy their slots longer gets fewer of them", async () => {
  await using world = await openQueueWorld();
  const [slowAccount, fastAccount] = [await world.account(), await world.account()];
  const slow = await world.group(slowAccount, 300);
  const fast = await world.group(fastAccount, 300);
  const units = new Map([
    [slow, 90],
    [fast, 10],
  ]);
  const served: string[] = [];
  let charges: { accountId: string; cost: number; actual: number }[] = [];
  while (await world.feed.feedDue("slice"));
  for (let turn = 0; turn < 220; turn++) {
    const { tasks } = await world.feed.claim("slice", 1, charges);
    const [task] = tasks;
    served.push(task!.groupId);
    await world.complete(task!);
    const { accountId, turn: claimed, groupId } = task!;
    charges = [{ accountId, cost: claimed.cost, actual: units.get(groupId)! }];
  }
  const recent = served.slice(-100);
  expect(recent.filter((group) => group === fast).length).toBeGreaterThan(80); // nine times as many are fair
  expect(recent).toContain(slow);
});

test("a task that took longer than its turn was charged for delays the next one of its account by as much", async () => {
  await using world = await openQueueWorld();
  const [steady, slow] = [await world.account(), await world.account()];
  await world.group(steady, 60);
  await world.group(slow, 1);
  const first = await world.claim(2);
  const long = first.find(({ accountId }) => accountId === slow)!;
  for (const task of first) await world.complete(task);
  const { cost } = long.turn;
  const { tasks } = await world.feed.claim("slice", 1, [{ accountId: slow, cost, actual: 21 * cost }]);
  for (const task of tasks) await world.complete(task);
  const next = await world.group(slow, 1);
  // The account is twenty turns ahead, of which the other one has had two.
  expect((await serve(world, 25)).indexOf(next)).toBeGreaterThanOrEqual(18);
});

test("an account that kept idle slots for long shares the following claims with one that arrives", async () => {
  await using world = await openQueueWorld();
  const { feed, tasks, database } = world;
  const [early, late] = [await world.account(), await world.account()];
  await world.group(early, 400);
  const kept = await world.claim(16);
  await world.group(late, 400);
  // Now that another account waits, the early one leaves its slots, which it has had for ten minutes.
  for (const task of kept) await tasks.postpone(database.orm, task, {});
  const chargesFor = (claimed: readonly Task[], actual: number) =>
    claimed.map(({ accountId, turn }) => ({ accountId, cost: turn.cost, actual }));
  let charges = chargesFor(kept, 6000);
  const served: Task[] = [];
  while (served.length < 320) {
    while (await feed.feedDue("slice"));
    const { tasks: claimed } = await feed.claim("slice", 16, charges);
    for (const task of claimed) await world.complete(task);
    served.push(...claimed);
    charges = chargesFor(claimed, 10);
  }
  const ofEarly = served.filter(({ accountId }) => accountId === early).length;
  expect(ofEarly).toBeGreaterThan(320 / 3);
  expect(ofEarly).toBeLessThan((320 * 2) / 3);
});

test("an account that was idle has no advantage over one that was busy", async () => {
  await using world = await openQueueWorld();
  const [busy, idle] = [await world.account(), await world.account()];
  await world.group(busy, 60);
  await serve(world, 60); // the queue is empty again
  const groups = [await world.group(busy, 20), await world.group(idle, 20)];
  const served = await serve(world, 20);
  for (const group of groups) expect(served.filter((one) => one === group).length).toBeGreaterThanOrEqual(9);
});

test("tasks are claimed when due, in order of due time, and only from the given queue", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const account = await world.account();
  const group = await world.group(account, 0);
  await world.group(account, 1, "delivery");
  await tasks.add(database.orm, [
    { groupId: group, queue: "slice", subject: "in an hour", dueInMs: 3600_000 },
    { groupId: group, queue: "slice", subject: "a minute ago", dueInMs: -60_000 },
    { groupId: group, queue: "slice", subject: "an hour ago", dueInMs: -3600_000 },
  ]);
  const claimed = await world.claim(5);
  expect(claimed.map(({ queue, subject }) => [queue, subject])).toEqual([
    ["slice", "an hour ago"],
    ["slice", "a minute ago"],
  ]);
  expect(claimed[0]).toMatchObject({
    groupId: group,
    accountId: account,
    failures: 0,
    turn: { retryCount: 0 },
  });

  const back = await tasks.postpone(database.orm, claimed[0]!, { dueInMs: -1000, hasFailed: true });
  expect(back).toBe(true);
  expect(await world.claim(5)).toMatchObject([{ id: claimed[0]!.id, failures: 1, turn: { retryCount: 0 } }]);
});

test("a paused group keeps its tasks until it is resumed", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const group = await world.group(await world.account(), 3);
  const [running] = await world.claim(1);
  await tasks.pause(database.orm, group);
  expect(await world.claim(3)).toEqual([]);
  expect(await world.complete(running!)).toBe(true); // claimed tasks continue

  await database.orm.transaction((tx) => tasks.resume(tx, group));
  expect(await world.claim(3)).toHaveLength(2);
});

test("closing a group ends the claims on its tasks", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const account = await world.account();
  const closed = await world.group(account, 3);
  const [one, other] = await world.claim(2);
  const open = await world.group(account, 1);

  await database.orm.transaction((tx) => tasks.closeGroup(tx, closed));

  expect(await tasks.keep(database.orm, one!)).toBe(false);
  expect(await world.complete(one!)).toBe(false);
  expect(await tasks.postpone(database.orm, other!, {})).toBe(false);
  expect((await world.claim(5)).map(({ groupId }) => groupId)).toEqual([open]);
});

test("of two attempts at a task only the later one can save anything", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  await world.group(await world.account(), 1);
  const [stalled] = await world.claim(1);
  await world.lose(stalled!);
  const [heir] = await world.claim(1);
  expect(heir).toMatchObject({ id: stalled!.id, turn: { id: stalled!.turn.id, retryCount: 1 } });

  expect(await tasks.keep(database.orm, stalled!)).toBe(false);
  expect(await tasks.postpone(database.orm, stalled!, {})).toBe(false);
  expect(await world.complete(stalled!)).toBe(false);
  expect(await world.rows()).toMatchObject([{ state: "taken" }]);

  expect(await tasks.keep(database.orm, heir!)).toBe(true);
  expect(await world.complete(heir!)).toBe(true);
  expect(await world.complete(heir!)).toBe(false);
  expect(await world.rows()).toEqual([]);
});

test("an attempt cannot save anything after its task was postponed and claimed again", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 1);
  const [first] = await world.claim(1);
  await world.tasks.postpone(world.database.orm, first!, {});
  const [second] = await world.claim(1);
  expect(second).toMatchObject({ id: first!.id, turn: { retryCount: 0 } });
  expect(await world.complete(first!)).toBe(false);
  expect(await world.complete(second!)).toBe(true);
});

test("what was completed or added in a transaction that is rolled back did not happen", async () => {
  await using world = await openQueueWorld();
  const group = await world.group(await world.account(), 1);
  const [task] = await world.claim(1);
  await expect(
    world.database.orm.transaction(async (tx) => {
      expect(await world.tasks.complete(tx, task!)).toBe(true);
      await world.tasks.add(tx, [{ groupId: group, queue: "slice", subject: "more" }]);
      throw new Error("rolled back");
    }),
  ).rejects.toThrow("rolled back");
  expect(await world.claim(5)).toEqual([]);
  expect(await world.complete(task!)).toBe(true);
});

test.each(["complete", "postpone"] as const)(
  "when the connection is lost between the two changes of %s, neither is made",
  async (change) => {
    await using world = await openQueueWorld();
    const { pool, orm } = world.database;
    await world.group(await world.account(), 1);
    const [task] = await world.claim(1);
    // The server ends the connection when the task's row is changed, which is after its turn.
    await pool.query(`
      create function disconnect() returns trigger language plpgsql as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); return old; end $$;
      create trigger disconnect before update or delete on tasks for each row execute function disconnect()`);
    const apply = () => world.tasks[change](orm, task!, {});
    await expect(apply()).rejects.toSatisfy(isDatabaseUnavailable);
    expect(await world.rows()).toMatchObject([{ state: "taken" }]);

    await pool.query("drop trigger disconnect on tasks");
    expect(await apply()).toBe(true);
    expect(await world.rows()).toMatchObject(change === "complete" ? [] : [{ state: "waiting" }]);
  },
);

test("four processes that claim concurrently complete each of thousands of tasks exactly once, also while groups are closed", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const accounts = await Promise.all(Array.from({ length: 3 }, () => world.account()));
  const kept = await Promise.all(Array.from({ length: 5 }, (_, n) => world.group(accounts[n % 3]!, 300)));
  const doomed = await Promise.all(Array.from({ length: 5 }, (_, n) => world.group(accounts[n % 3]!, 100)));
  const done: Task[] = [];

  const work = async () => {
    for (let empty = 0; empty < 3; ) {
      const claimed = await world.claim(20);
      empty = claimed.length === 0 ? empty + 1 : 0;
      await database.orm.transaction(async (tx) => {
        for (const task of claimed) if (await tasks.complete(tx, task)) done.push(task);
      });
    }
  };
  const closeAll = async () => {
    for (const group of doomed) await database.orm.transaction((tx) => tasks.closeGroup(tx, group));
  };
  await Promise.all([work(), work(), work(), work(), closeAll()]);
  await work();

  expect(new Set(done.map(({ id }) => id))).toHaveLength(done.length);
  expect(spread(done, kept)).toEqual(kept.map(() => 300));
  expect(await world.rows()).toEqual([]);
});

/** Waits until this many statements wait for a lock. */
const untilLockWaits = (world: QueueWorld, count: number) =>
  expect
    .poll(async () => {
      const { rows } = await world.database.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.length;
    })
    .toBe(count);

test("a task may be claimed and completed while its job ends", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  const account = await world.account();
  const job = await world.group(account, 1, "plan");
  await tasks.add(database.orm, [{ groupId: job, queue: "slice", subject: "0" }]);
  const lockJob = (tx: Orm) => tx.execute(sql`select from accounts where id = ${account} for update`); // in its place
  const other = await database.pool.connect();
  await other.query("begin");
  await other.query("select from tasks where queue = 'plan' for update");

  const closing = database.orm.transaction(async (tx) => {
    await lockJob(tx);
    await tasks.closeGroup(tx, job);
  });
  await untilLockWaits(world, 1);
  const completing = world.claim(1).then(([task]) =>
    database.orm.transaction(async (tx) => {
      if (task) await tasks.complete(tx, task);
      await lockJob(tx);
    }),
  );
  await untilLockWaits(world, 2);
  await other.query("commit");
  other.release();

  await Promise.all([closing, completing]);
  expect(await world.rows()).toEqual([]);
});

test("tasks become due while their job ends", async () => {
  await using world = await openQueueWorld();
  const { tasks, feed, database } = world;
  const account = await world.account();
  const job = await world.group(account, 2);
  const [task] = await world.claim(1);
  await tasks.postpone(database.orm, task!, {});

  let feeding: Promise<unknown> | undefined;
  await database.orm.transaction(async (tx) => {
    await tx.execute(sql`select from queue_shares where account_id = ${account} for no key update`);
    feeding = Promise.allSettled([feed.feedDue("slice")]);
    await untilLockWaits(world, 1);
    await tasks.closeGroup(tx, job);
  });

  expect(await feeding).toEqual([{ status: "fulfilled", value: false }]);
  expect(await world.rows()).toEqual([]);
});

test("tags stay within the range of pg-boss's priority", async () => {
  await using world = await openQueueWorld();
  const account = await world.account();
  const group = await world.group(account, 3);
  const { pool } = world.database;
  const [first] = await world.claim(1);
  await world.complete(first!);
  await pool.query("update queue_shares set virtual_time = virtual_time + 1500000000");
  await pool.query("update pgboss.job set priority = priority - 1500000000");

  await world.feed.rebase("slice");

  const { rows } = await pool.query("select virtual_time < 1000 as is_small from queue_shares");
  expect(rows).toEqual([{ is_small: true }]);
  const next = await world.claim(2);
  expect(next.map(({ groupId }) => groupId)).toEqual([group, group]);
  expect(next.every(({ turn }) => turn.tag >= 0 && turn.tag < 1000)).toBe(true);
});

test("tags are rebased while processes claim", async () => {
  await using world = await openQueueWorld();
  const { feed, tasks, database } = world;
  const { pool } = database;
  for (let account = 0; account < 4; account++) await world.group(await world.account(), 200);
  const work = async () => {
    for (let claims = 0; claims < 5; claims++) {
      for (const task of await world.claim(4)) await tasks.postpone(database.orm, task, {});
    }
  };
  await work();
  for (let round = 0; round < 10; round++) {
    await pool.query("update pgboss.job set priority = priority - 1500000000");
    await pool.query("update queue_shares set virtual_time = virtual_time + 1500000000");
    await Promise.all([work(), work(), work(), feed.rebase("slice"), work()]);
    const { rows } = await pool.query("select max(-priority) < 1000000000 as is_small from pgboss.job");
    expect(rows).toEqual([{ is_small: true }]);
  }
});
